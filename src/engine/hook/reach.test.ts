import { beforeAll, describe, expect, test } from 'vitest'
import type { HookEvent } from '../../model/event.ts'
import { rules } from '../../rules/index.ts'
import type { Rule } from '../../rules/rule.ts'
import { temporarySqlite } from '../../store/open.contract.ts'
import { makeWorld } from '../world.contract.ts'
import { clientIn } from './client.contract.ts'
import { liveDay } from './day.contract.ts'

/** Notes which rule was asked about which kind of event, and asks it. */
const noting = (asked: Set<string>): readonly Rule[] =>
  rules.map((rule) => ({
    ...rule,
    judge(event, facts) {
      asked.add(`${rule.name} on ${event.kind}`)
      return rule.judge(event, facts)
    },
  }))

describe('every rule is reached through hooks by every kind of event that it names', () => {
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

/** Every kind of event that a client can report, as it was captured. */
const KINDS: readonly HookEvent['kind'][] = [
  'session.started',
  'prompt.submitted',
  'prompt.expanded',
  'tool.before',
  'tool.after',
  'tool.failed',
  'tool.batch',
  'permission.requested',
  'permission.denied',
  'turn.stopped',
  'turn.failed',
  'compact.before',
  'compact.after',
  'notification',
  'todo.created',
  'todo.completed',
  'config.changed',
  'cwd.changed',
  'session.ended',
]
const NAMES: Readonly<Partial<Record<HookEvent['kind'], string>>> = {
  'session.started': 'SessionStart',
  'prompt.submitted': 'UserPromptSubmit',
  'prompt.expanded': 'UserPromptExpansion',
  'tool.before': 'PreToolUse',
  'tool.after': 'PostToolUse',
  'tool.failed': 'PostToolUseFailure',
  'tool.batch': 'PostToolBatch',
  'permission.requested': 'PermissionRequest',
  'permission.denied': 'PermissionDenied',
  'turn.stopped': 'Stop',
  'turn.failed': 'StopFailure',
  'compact.before': 'PreCompact',
  'compact.after': 'PostCompact',
  notification: 'Notification',
  'todo.created': 'TaskCreated',
  'todo.completed': 'TaskCompleted',
  'config.changed': 'ConfigChange',
  'cwd.changed': 'CwdChanged',
  'session.ended': 'SessionEnd',
}

test('a new rule is a line in the list: it is asked about every kind of event that it names, and about no other', async () => {
  const heard: string[] = []
  const fresh: Rule = {
    name: 'fresh',
    summary: 'hears everything',
    on: KINDS,
    wakes: () => true,
    needs: ['spans', 'reads'],
    judge(event, facts) {
      if (facts.spans.length === 0 && facts.reads.length === 0) heard.push(event.kind)
      return undefined
    },
  }
  const asleep: Rule = { ...fresh, name: 'asleep', wakes: () => false, judge: () => ({ contexts: ['no'] }) }
  await using world = await makeWorld(temporarySqlite, Date.now, { rules: [asleep, fresh] })
  const it = clientIn(world, world.project)
  const call = { tool_name: 'Bash', tool_input: { command: 'ls' }, tool_use_id: 'x' }
  for (const kind of KINDS) {
    const answer = await it.fire(NAMES[kind] ?? '', {
      ...call,
      source: 'startup',
      prompt: 'Hello',
      tool_calls: [],
    })
    expect(answer).toEqual({ decision: 'allow' })
  }
  expect(heard).toEqual(KINDS)
})
