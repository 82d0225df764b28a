import { globSync } from 'node:fs'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../model/decision.ts'
import type { HookEvent } from '../model/event.ts'
import { clients } from './index.ts'
import { anyText, captured, mutated, stringsOf } from './payload.contract.ts'

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

const anyDecision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({ kind: fc.constant('allow'), contexts: fc.array(anyText), notice: anyText }),
  fc.record({ kind: fc.constant('block'), reason: anyText, contexts: fc.array(anyText), notice: anyText }),
)

describe.each([...clients.values()])('the canaries of $name', (client) => {
  const canaries = client.canaries('one')

  test('are events that it has, of the session that is named, and say what must come back', () => {
    for (const { event: name, payload, wants } of canaries) {
      const event = client.decode(payload)
      const honours = client.events.get(name)
      expect(event).toMatchObject({ name, session: 'one', kind: honours?.kind })
      const can = {
        refusal: honours?.block !== undefined,
        context: honours?.context.includes('allow'),
        nothing: true,
      }
      expect(can[wants]).toBe(true)
    }
  })

  test('are heard as they are answered, and what it would not understand is not', () => {
    for (const { event: name, payload } of canaries) {
      const event = client.decode(payload)
      const honours = client.events.get(name)
      const heard = (decision: Decision) =>
        client.heard(JSON.stringify(client.encode(decision, event)) ?? '', name)
      expect(heard({ kind: 'allow', contexts: [] })).toBe('nothing')
      expect(heard({ kind: 'allow', contexts: [CONTEXT] })).toBe(
        honours?.context.includes('allow') === true ? 'context' : 'nothing',
      )
      const refused = heard({ kind: 'block', reason: REASON, contexts: [] })
      expect(refused === 'refusal').toBe(honours?.block !== undefined)
      for (const rubbish of ['no', '[]', '{"hookSpecificOutput": {"hookEventName": "Other"}}'])
        expect(client.heard(rubbish, name)).toBe('unreadable')
    }
  })
})
