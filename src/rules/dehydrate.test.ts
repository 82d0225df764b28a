import { during, SESSION } from './case.contract.ts'
import { NOTHING_RECORDED } from '../model/plan/evidence.ts'
import { expect, test } from 'vitest'
import { begin } from '../model/plan/advance.ts'
import type { Effort } from '../model/effort.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import { visit } from '../model/plan/visit.ts'
import type { Traces } from './told/background.ts'
import { dehydrate, dehydrationOf } from './dehydrate.ts'
import type { Facts, SkillFacts } from './facts.ts'

const PLAN = planOf([step('look', { produces: ['view'] }), step('do', { consumes: ['view'] })])
const effort = {
  id: 7,
  task_id: '/t',
  skill: 'flow',
  ordinal: 1,
  current_phase: null,
  request: null,
  metadata: {},
} as unknown as Effort
const looked = visit(PLAN, begin(PLAN), 'look', NOTHING_RECORDED)
const work: SkillFacts & { readonly effort: Effort } = {
  name: 'flow',
  folder: '/s/flow',
  plan: PLAN,
  enforceable: true,
  requiredTodos: [],
  effort,
  recorded: NOTHING_RECORDED,
  approved: [],
  progress: looked.ok ? looked.progress : undefined,
}
const TRACES: Traces = {
  messages: [
    { role: 'assistant', content: 'I have looked.\nAll of it.', tool_name: null },
    { role: 'tool', content: '{"command":"npm run build"} → ok\nall', tool_name: 'Bash' },
    { role: 'tool', content: '{"file_path":"/a"} → {}', tool_name: 'Read' },
  ],
  asked: ['second', 'first'],
  loadedFiles: ['/a', '/b', '/s/flow/SKILL.md'],
  artifacts: ['view'],
  open: ['Queue 3 (question): Why?'],
}
const facts = (more: Partial<Facts>) => ({ session: SESSION, ...more }) as unknown as Facts
const event = (kind: 'compact.before' | 'session.ended') => ({ client: 'c', kind }) as const

test('it is asked when the context goes, and only then', () => {
  expect(dehydrate.on).toEqual(['compact.before', 'session.ended'])
})

test.each(['compact.before', 'session.ended'] as const)(
  'at %s what the store knows is kept by effort',
  (kind) => {
    expect(dehydrate.judge(event(kind), facts({ work, traces: TRACES }))).toEqual({
      changes: [{ kind: 'dehydrated', effort: 7, payload: dehydrationOf(work, TRACES, []) }],
    })
  },
)

test('a call that is under way is left behind by an end, but goes on through a compaction', () => {
  const openCalls = [{ id: '1', tool: 'Bash', what: 'npm test', at: '' }]
  const left = (kind: 'compact.before' | 'session.ended') =>
    JSON.stringify(dehydrate.judge(event(kind), facts({ work, traces: TRACES, ...during(openCalls) })))
  expect(left('session.ended')).toContain('Running: Bash npm test')
  expect(left('compact.before')).not.toContain('npm test')
})

test('our own commands are no work that is under way', () => {
  const running = (what: string) =>
    dehydrationOf(work, TRACES, [{ id: '1', tool: 'Bash', what, at: '' }]).handoverInstructions
  for (const ours of [
    'holdfast session continue 2',
    '/home/me/.local/state/holdfast/bin/holdfast session continue 2 --take',
    'cd /t && npx holdfast recap',
  ])
    expect(running(ours)).toBe('Queue 3 (question): Why?')
  expect(running('npm test && holdfast log "tested"')).toContain('Running: Bash npm test')
  expect(running('cat holdfast')).toContain('Running: Bash cat')
})

test('a session without a plan leaves nothing', () => {
  expect(dehydrate.judge(event('session.ended'), facts({ traces: TRACES }))).toBeUndefined()
  const planless = facts({ work: { ...work, plan: undefined }, traces: TRACES })
  expect(dehydrate.judge(event('session.ended'), planless)).toBeUndefined()
  const asking = facts({ work: { ...work, plan: undefined, requiredTodos: ['Ship'] }, traces: TRACES })
  expect(dehydrate.judge(event('session.ended'), asking)?.changes).toHaveLength(1)
})

test('what is made says where the work stands, what was done and said, and what to read', () => {
  const made = dehydrationOf(work, TRACES, [{ id: '1', tool: 'Bash', what: 'npm test', at: '' }])
  expect(made).toMatchObject({
    lastAction:
      'The agent said: I have looked. All of it.\nRead: {"file_path":"/a"} → {}\nBash: {"command":"npm run build"} → ok all',
    handoverInstructions: 'Running: Bash npm test\nQueue 3 (question): Why?',
    userHistory: 'first\nsecond',
    requiredFiles: ['/s/flow/SKILL.md', '/s/flow/steps/look.md', '/b', '/a'],
  })
  expect(made.summary).toContain('effort 7 of flow in /t')
  expect(made.summary).toContain('Next: finish step "look", then do step "do" (read /s/flow/steps/do.md)')
  expect(made.summary).toContain('Artifacts: view.')
})

test('what the user said stays, however often the user only says to go on', () => {
  const asked = ['go on', 'go on', 'use tabs', ...Array<string>(30).fill('go on'), 'never touch b.ts']
  expect(dehydrationOf(work, { ...TRACES, asked }, []).userHistory).toBe('never touch b.ts\nuse tabs\ngo on')
})

test('of much that the user said the newest stays, and what fits of the rest', () => {
  const asked = [...Array.from({ length: 40 }, (_, n) => `${n} ${'x'.repeat(440)}`), 'never touch b.ts']
  const lines = (dehydrationOf(work, { ...TRACES, asked }, []).userHistory ?? '').split('\n')
  expect(lines[0]).toBe('never touch b.ts')
  expect(lines.at(-1)).toMatch(/^0 x/)
  expect(lines.join('').length).toBeLessThan(5000)
})

test('a window that left nothing leaves only where the work stands', () => {
  const none: Traces = { messages: [], asked: [], loadedFiles: [], artifacts: [], open: [] }
  expect(dehydrationOf({ ...work, folder: null, progress: undefined }, none, [])).toMatchObject({
    lastAction: '',
    handoverInstructions: '',
    userHistory: '',
    requiredFiles: [],
  })
})
