import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Decision } from '../model/decision.ts'
import type { HookEvent } from '../model/event.ts'
import { anyText, mutated, stringsOf } from './payload.contract.ts'
import type { Subject } from './subject.contract.ts'
import { outcomesOf, textsOf } from '../model/transcript.ts'

const CONTEXT = 'what the agent should know'
const NOTICE = 'what the user should see'
const REASON = 'why not'
const decisions: readonly Decision[] = [
  { kind: 'allow', contexts: [] },
  { kind: 'allow', contexts: [CONTEXT], notice: NOTICE },
  { kind: 'block', reason: REASON, contexts: [CONTEXT], notice: NOTICE },
]
const anyDecision: fc.Arbitrary<Decision> = fc.oneof(
  fc.record({ kind: fc.constant('allow'), contexts: fc.array(anyText), notice: anyText }),
  fc.record({ kind: fc.constant('block'), reason: anyText, contexts: fc.array(anyText), notice: anyText }),
)

const withoutRaw = (key: string, value: unknown): unknown =>
  key === 'input' || key === 'result' ? undefined : value

const RUNS = Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 10)

/** Any payload of a client becomes an event, and any decision becomes a valid reply. */
export function protocolContract({ client, voice, captured }: Subject): void {
  const kinds = new Set<HookEvent['kind']>(['other', ...[...client.events.values()].map(({ kind }) => kind)])

  test('every event has a captured payload', () => {
    expect(new Set(captured.map(({ event }) => event))).toEqual(new Set(client.events.keys()))
  })

  describe.each(captured)('$event $index', ({ event: name, payload }) => {
    const event = client.decode(payload)
    const honours = client.events.get(name)

    test('becomes an event of the kind in the table, with its session', () => {
      const kind = voice.isOther(payload) ? 'other' : honours?.kind
      expect(event).toMatchObject({ client: client.name, name, kind })
      expect(event.session).toMatch(/^[\w-]+$/)
      expect(event.cwd).toMatch(/^\/home\/user\/project/)
    })

    test('gets contexts and notices as the table says, and no reply without them', () => {
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
          expect(kinds).toContain(decoded.kind)
          expect(decoded.client).toBe(client.name)
          // Inputs and results of tools stay as they are until they are recorded.
          const recorded = [...textsOf(decoded, ''), ...outcomesOf(decoded, '')]
          for (const kept of [JSON.stringify(decoded, withoutRaw), JSON.stringify(recorded)])
            expect(kept).not.toContain(String.raw`\u0000`)
          const reply = client.encode(decision, decoded)
          if (reply === undefined) return
          expect(JSON.parse(JSON.stringify(reply))).toEqual(reply)
          expect(Math.max(...stringsOf(reply).map((text) => text.length))).toBeLessThanOrEqual(10_000)
        }),
        { numRuns: RUNS },
      )
    })
  })

  test('an invalid payload becomes an event of kind other', () => {
    fc.assert(
      fc.property(fc.anything(), anyDecision, (payload, decision) => {
        const event = client.decode(payload)
        expect(event).toMatchObject({ client: client.name, kind: 'other' })
        expect(client.encode(decision, event)).toBeUndefined()
      }),
    )
  })

  test('a payload can be named as any kind of the client, and no other', () => {
    const payload = voice.origin('one', '/home/user/project')
    for (const { kind } of client.events.values())
      expect(client.decode(client.named(payload, kind))).toMatchObject({ kind, session: 'one' })
    expect(client.named(payload, 'other')).toEqual(payload)
    for (const none of [undefined, null, 7, 'x']) expect(client.named(none, 'tool.before')).toBe(none)
    fc.assert(
      fc.property(fc.anything(), fc.constantFrom(...kinds), (given, kind) => {
        expect([kind, 'other']).toContain(client.decode(client.named(given, kind)).kind)
      }),
    )
  })

  test('plain fields become the payload that the client sends itself', () => {
    const origin = { session: 'one', cwd: '/home/user/project' }
    const own = voice.origin(origin.session, origin.cwd)
    const told = (kind: HookEvent['kind'], more: object = {}) =>
      client.decode(client.named(client.payload({ ...origin, ...more }), kind))
    const sent = (kind: HookEvent['kind'], more: object = {}) =>
      client.decode(client.named({ ...own, ...more }, kind))
    expect(told('session.started', { source: 'startup' })).toEqual(sent('session.started', voice.started))
    expect(told('prompt.submitted', { prompt: 'hello' })).toEqual(
      sent('prompt.submitted', voice.prompt('hello')),
    )
    const tool = { ...voice.plainRead('/a.md'), id: '1', result: {} }
    const call = { ...voice.read('/a.md'), ...voice.call('1'), ...voice.done }
    expect(told('tool.before', { tool })).toEqual(sent('tool.before', call))
    expect(told('tool.after', { tool })).toEqual(sent('tool.after', call))
    expect(told('tool.before')).toMatchObject({ kind: 'tool.before', session: 'one' })
  })

  describe('canaries', () => {
    const canaries = client.canaries('one')

    test('are events of the client and the given session, and name the expected reply', () => {
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
      expect(canaries.map(({ wants }) => wants)).toContain('refusal')
    })

    test('are heard as they are answered, and an invalid reply is unreadable', () => {
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
        for (const rubbish of ['no', '[]', ...voice.misread])
          expect(client.heard(rubbish, name)).toBe('unreadable')
      }
    })
  })
}
