import { expect, test } from 'vitest'
import type { ToolAction } from '../model/event.ts'
import { advance, begin } from '../model/plan/advance.ts'
import { planOf, step } from '../model/plan/case.contract.ts'
import type { Plan } from '../model/plan/plan.ts'
import { effort, event, facts, skill } from './case.contract.ts'
import { firstStepGate } from './first-step-gate.ts'
import type { SkillFacts } from './facts.ts'
import { firstStepFirst } from './told/words.ts'

const PLAN: Plan = {
  ...planOf([step('a', { next: { ok: [] } })]),
  notation: 'workflow',
  format: 'xml',
  activate: 'first',
  entry: ['a'],
}

const judge = (does: ToolAction, more: Partial<SkillFacts> = {}) => {
  const work = { ...skill({ plan: PLAN, ...more }), effort: effort() }
  const before = event('before', { tool: { name: 'x', does, input: {} } })
  return firstStepGate.judge(before, facts({ work }))?.block
}
const RUN = (command: string): ToolAction => ({ kind: 'command', command })
const READ = (path: string): ToolAction => ({ kind: 'files', touches: [{ path, how: 'read' }] })

test('any other tool is refused, with the command that prints the first step', () => {
  for (const does of [
    RUN('ls'),
    READ('/p/src/a.ts'),
    { kind: 'other' },
    { kind: 'agent', prompt: 'x' },
  ] as const)
    expect(judge(does)).toEqual({
      reason: firstStepFirst('flow', 'holdfast step --effort 7'),
      skill: 'flow',
      effort: 7,
    })
})

test.each([
  'holdfast step flow; cat secret',
  'cat secret && holdfast status',
  'holdfast step flow | cat - secret',
  'env A=1 holdfast step flow & grep -r x .',
  'if holdfast step flow; then cat secret; fi',
  'holdfast() { cat secret; }; holdfast step flow',
  'cat() { holdfast step flow; }; rg secret',
  'holdfast step flow --param topic="$(cat secret)"',
  'cat <(holdfast step flow) secret',
  'cd "$(cat secret)" && holdfast step flow',
  'A=`cat secret` holdfast step flow',
  'holdfast step flow --param topic="$(<secret)"',
  'holdfast step flow $(("$(cat secret)"))',
])('our command does not open the way to others in the same call: %s', (command) => {
  expect(judge(RUN(command))?.effort).toBe(7)
})

test.each<ToolAction>([
  { kind: 'skill', name: 'other', args: '' },
  RUN('holdfast session continue 2'),
  RUN('holdfast --json effort start work other'),
  RUN('X=1 npx holdfast session activate work other'),
  RUN('holdfast step other --param topic=x'),
  RUN('holdfast step "$OTHER"'),
  RUN('holdfast $VERB 2'),
  RUN('holdfast status; holdfast pipeline start other'),
])('an agent does not turn to other work to explore before it: %j', (does) => {
  expect(judge(does)?.effort).toBe(7)
})

test('a workflow that must be given something names the command that gives it', () => {
  const params = { topic: { type: 'text', required: true } } as const
  expect(judge(RUN('ls'), { plan: { ...PLAN, params } })?.reason).toContain(
    'holdfast step flow --effort 7 --param topic=____',
  )
  const depth = { depth: { type: 'text', required: true, default: 'low' } } as const
  expect(
    judge(RUN('ls'), { plan: { ...PLAN, params: depth, variables: { depth: 'low' } } })?.reason,
  ).toContain('holdfast step --effort 7')
})

test.each<[string, ToolAction]>([
  ['our own command', RUN('holdfast step flow')],
  ['our own command behind others', RUN('cd /p && /home/bin/holdfast step flow 2>&1')],
  [
    'our own command with a long value',
    RUN(`holdfast step flow --param topic="$(cat <<'EOF'\nIt's $5\nEOF\n)"`),
  ],
  [
    'our own command in the environment of the client',
    RUN('cd "$HOME" && X=1 node /p/holdfast.mjs step flow'),
  ],
  ['our own command cut to its beginning', RUN('holdfast step flow 2>&1 | head -50')],
  ['the todo list', { kind: 'todos', todos: [] }],
  ['the call of the skill', { kind: 'skill', name: 'flow', args: '' }],
  ['our own command with a number', RUN('holdfast step --effort 7')],
  ['our own command for a sub-agent', RUN('holdfast step flow/look --parent 7 --child 1')],
  ['the file of the skill', READ('/s/flow/SKILL.md')],
])('%s passes', (_, does) => {
  expect(judge(does)).toBeUndefined()
})

test('nothing is refused once the first step was entered, or where the workflow does not ask for it', () => {
  const entered = advance(PLAN, begin(PLAN), { kind: 'enter', step: 'a' })
  expect(judge(RUN('ls'), { progress: entered.ok ? entered.progress : undefined })).toBeUndefined()
  const { activate: _, ...plan } = PLAN
  expect(judge(RUN('ls'), { plan })).toBeUndefined()
  expect(judge(RUN('ls'), { enforceable: false })).toBeUndefined()
  expect(firstStepGate.judge(event('before'), facts({ work: undefined }))).toBeUndefined()
})
