import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../model/decision.ts'
import type { HookEvent } from '../model/event.ts'
import { clients } from './index.ts'

const captured = globSync('src/clients/*/fixtures/*.json').flatMap((file) => {
  const client = clients.get(file.split('/')[2] ?? '')
  if (client === undefined) throw new Error(`${file} belongs to no client that is listed`)
  const payloads: readonly unknown[] = JSON.parse(readFileSync(file, 'utf8'))
  return payloads.map((payload, index) => ({ client, event: basename(file, '.json'), index, payload }))
})

const CONTEXT = 'what the agent should know'
const NOTICE = 'what the user should see'
const REASON = 'why not'
const decisions: readonly Decision[] = [
  { kind: 'allow', contexts: [] },
  { kind: 'allow', contexts: [CONTEXT], notice: NOTICE },
  { kind: 'block', reason: REASON, contexts: [CONTEXT], notice: NOTICE },
]

test('every folder of a client is listed by its name', () => {
  const folders = globSync('src/clients/*/index.ts').map((path) => path.split('/')[2])
  expect(new Set(clients.keys())).toEqual(new Set(folders))
})

test('every event of a client was captured', () => {
  for (const client of clients.values()) {
    const events = captured.filter((each) => each.client === client).map(({ event }) => event)
    expect(new Set(events)).toEqual(new Set(client.events.keys()))
  }
})

describe.each(captured)('$client.name: $event $index', ({ client, event: name, payload }) => {
  const event = client.decode(payload)
  const honours = client.events.get(name)

  test('becomes an event of the kind that its table says, of a known session', () => {
    const isOwnSummary = (payload as { agent_type?: unknown }).agent_type === ''
    expect(event).toMatchObject({ client: client.name, name, kind: isOwnSummary ? 'other' : honours?.kind })
    expect(event.session).toMatch(/^[0-9a-f-]{36}$/)
    expect(event.cwd).toMatch(/^\/home\/user\/project/)
  })

  test('tells the agent and the user what its table says, and nothing where there is nothing to tell', () => {
    expect(client.encode({ kind: 'allow', contexts: [] }, event)).toBeUndefined()
    for (const decision of decisions.slice(1)) {
      const reply = JSON.stringify(client.encode(decision, event)) ?? ''
      const isRefused = decision.kind === 'block' && honours?.block !== undefined
      const as = isRefused ? 'block' : 'allow'
      const isOther = event.kind === 'other'
      expect(reply.includes(CONTEXT)).toBe(!isOther && honours?.context.includes(as) === true)
      expect(reply.includes(NOTICE)).toBe(!isOther && honours?.notice.includes(as) === true)
    }
  })

  test('survives any change to its fields', () => {
    fc.assert(
      fc.property(mutated(payload), anyDecision, (changed, decision) => {
        const decoded = client.decode(changed)
        expect(kindsOf(client.events)).toContain(decoded.kind)
        expect(decoded.client).toBe(client.name)
        expect(JSON.stringify(decoded)).not.toContain(String.raw`\u0000`)
        const reply = client.encode(decision, decoded)
        if (reply === undefined) return
        expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
        expect(Math.max(...stringsOf(reply).map((text) => text.length))).toBeLessThanOrEqual(10_000)
      }),
      { numRuns: 30 },
    )
  })
})

const kindsOf = (events: ReadonlyMap<string, { kind: HookEvent['kind'] }>) => [
  'other',
  ...[...events.values()].map(({ kind }) => kind),
]

test('what is no payload at all is an event too', () => {
  for (const client of clients.values())
    fc.assert(
      fc.property(fc.anything(), anyDecision, (payload, decision) => {
        const event = client.decode(payload)
        expect(event).toMatchObject({ client: client.name, kind: 'other' })
        expect(client.encode(decision, event)).toBeUndefined()
      }),
    )
})

const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom(
    '',
    '\0',
    '\u{d800}',
    '__proto__',
    'constructor',
    '../..',
    '~',
    'file:///%zz',
    'x'.repeat(200_000),
  ),
)

const deep = Array.from({ length: 50_000 }).reduce((inner) => [inner], 1 as unknown)

const wide = Array.from({ length: 5000 }, () => ({ a: 1 }))

const anyValue = fc.oneof(
  anyText,
  fc.anything({ withNullPrototype: true }),
  fc.constantFrom<unknown>(null, undefined, Infinity, [], {}, deep, wide),
)

const anyDecision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({ kind: fc.constant('allow'), contexts: fc.array(anyText), notice: anyText }),
  fc.record({ kind: fc.constant('block'), reason: anyText, contexts: fc.array(anyText), notice: anyText }),
)

/** Some fields of a payload, at any depth, deleted, replaced or added. */
function mutated(payload: unknown): fc.Arbitrary<unknown> {
  const change = fc.record({
    at: fc.nat(),
    how: fc.constantFrom('delete', 'replace', 'add'),
    value: anyValue,
    key: anyText,
  })
  return fc.array(change, { minLength: 1, maxLength: 4 }).map((changes) => {
    const copy: unknown = structuredClone(payload)
    const places = placesIn(copy)
    for (const { at, how, value, key } of changes) {
      const place = places[at % places.length]
      if (place === undefined) continue
      if (how === 'delete') Reflect.deleteProperty(place.holder, place.key)
      else if (how === 'add' && Array.isArray(place.holder)) place.holder.push(value)
      // As JSON.parse does it: __proto__ is a field like any other.
      else own(place.holder, how === 'add' ? key : place.key, value)
    }
    return copy
  })
}

const own = (holder: object, key: string, value: unknown) =>
  Object.defineProperty(holder, key, { value, configurable: true, enumerable: true, writable: true })

function placesIn(value: unknown): readonly { holder: object; key: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [{ holder: value, key }, ...placesIn(inner)])
}

function stringsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsOf) : []
}
