import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { defaultClient } from '../../clients/index.ts'
import { rules } from '../../rules/index.ts'
import type { Rule } from '../../rules/rule.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { makeWorld, writeFiles } from '../world.contract.ts'
import { clientIn, reasonOf, skillOf } from './client.contract.ts'
import { liveDay } from './day.contract.ts'

/** Records which rule gets which kind of event, and calls it. */
const noting = (asked: Set<string>): readonly Rule[] =>
  rules.map((rule) => ({
    ...rule,
    judge(event, facts) {
      asked.add(`${rule.name} on ${event.kind}`)
      return rule.judge(event, facts)
    },
  }))

describe('hooks reach every rule with every kind of event that it names', () => {
  const asked = new Set<string>()

  beforeAll(async () => {
    await using world = await makeWorld(temporarySqlite, Date.now, { rules: noting(asked) })
    await liveDay(world)
  })

  const pairs = rules.flatMap(({ name, on }) => on.map((kind) => `${name} on ${kind}`))
  test.each(pairs)('%s', (pair) => {
    expect(asked).toContain(pair)
  })
})

/** Every hook event of a client with our kind of it; a session ends last. */
const EVENTS = [...defaultClient.events]
  .map(([name, { kind }]) => ({ name, kind }))
  .filter(({ kind }) => kind !== 'context.measured')
  .toSorted((a, b) => Number(a.kind === 'session.ended') - Number(b.kind === 'session.ended'))
const KINDS = EVENTS.map(({ kind }) => kind)

describe('a new rule is a line in the list', () => {
  const listening = (heard: string[], more: Partial<Rule> = {}): Rule => ({
    name: 'fresh',
    summary: 'hears everything',
    on: KINDS,
    wakes: () => true,
    needs: ['spans', 'reads'],
    judge(event, facts) {
      if (facts.spans.length === 0 && facts.reads.length === 0) heard.push(event.kind)
      return undefined
    },
    ...more,
  })
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'x' }
  const more = { ...call, source: 'startup', prompt: 'Hello', tool_calls: [] }

  test('it gets every kind of event that it names, and no other', async () => {
    const [all, some, none]: [string[], string[], string[]] = [[], [], []]
    const list = [
      listening(none, { wakes: () => false }),
      listening(some, { on: ['turn.stopped'] }),
      listening(all),
    ]
    await using world = await makeWorld(temporarySqlite, Date.now, { rules: list })
    const it = clientIn(world, world.project)
    await it.start()
    all.length = 0
    for (const { name } of EVENTS) expect(await it.fire(name, more)).toEqual({ decision: 'allow' })
    expect(all).toEqual(KINDS)
    expect([some, none]).toEqual([['turn.stopped'], []])
  })

  test('it sees stale evidence on any event, if it needs the work of the session', async () => {
    const seen: (readonly string[])[] = []
    const judging = listening([], {
      on: ['turn.stopped'],
      needs: ['work'],
      judge: (_, { work }) => void seen.push([...(work?.recorded.stale ?? [])]),
    })
    await using world = await makeWorld(temporarySqlite, Date.now, { rules: [...rules, judging] })
    const it = clientIn(world, join(world.project, 'repo'))
    await writeFiles({ '.git/HEAD': '', 'src/a.ts': '1' }, it.project)
    const sidecar = 'artifacts:\n  view: {command: npm test, covers: [src/**], rank: observed}\n'
    await it.add('build', { ...skillOf('build', { look: 'produces: [view]' }), 'holdfast.yaml': sidecar })
    await it.start()
    await it.prompt('/build')
    const ended = { ...call, tool_input: { command: 'npm test' } }
    await it.fire('PostToolUse', { ...ended, tool_response: { stdout: '', stderr: '', interrupted: false } })
    await it.fire('Stop', {})
    await writeFiles({ 'src/a.ts': '2' }, it.project)
    await it.fire('Stop', {})
    expect(seen).toEqual([[], ['view']])
  })

  test('it can refuse a call of a sub-agent, and the sub-agent reads the reason', async () => {
    const block = { reason: 'Holdfast: no.', skill: '', effort: undefined }
    const refusing = listening([], { on: ['tool.before'], hearsSubagents: true, judge: () => ({ block }) })
    await using world = await makeWorld(temporarySqlite, Date.now, { rules: [refusing] })
    const it = clientIn(world, world.project)
    await it.start()
    const answer = await it.fire('PreToolUse', { ...call, agent_id: 'a1', agent_type: 'x' })
    expect([answer.decision, reasonOf(answer)]).toEqual(['block', 'Holdfast: no.'])
  })
})
