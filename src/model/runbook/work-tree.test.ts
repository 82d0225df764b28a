import { expect, test } from 'vitest'
import { item, phase, runbook } from './case.contract.ts'
import { planOf } from './plan.ts'
import { uncommitted } from './work-tree.ts'

const plan = planOf(runbook(phase(1, item('1.1', 'haiku', { reportPath: 'notes/one.md' }))))

test('the reports of a runbook in the root of its project do not count', () => {
  const phases = [phase(1, item('1.1')), phase(2, item('2.1'))]
  const atRoot = planOf({ ...runbook(...phases), folder: '.' })
  const changed = [
    'reports/checkpoint-1.md',
    'reports/fix-checkpoint-1.md',
    'reports/more.md',
    'src/reports/a.ts',
  ]
  expect(uncommitted({ top: '/p', changed }, atRoot, '/p')).toEqual(['src/reports/a.ts'])
  const texts = atRoot.steps.map(({ actions = [], hands }) => JSON.stringify([actions, hands]))
  expect(texts.join('\n')).not.toMatch(/[\s"]\.\/|\.\.|in \./)
})

test.each([
  ['a file of the project', '/p', '/p', 'src/a.ts', true],
  ['a file with a strange name', '/p', '/p', 'a b\n.ts', true],
  ['a file of ours', '/p', '/p', '.holdfast/runs/1.md', false],
  ['a file of ours in a project below the checkout', '/p', '/p/app', 'app/.holdfast/x', false],
  ['a file of ours in the checkout around it', '/p', '/p/app', '.holdfast/x', false],
  ['a report of the runbook', '/p', '/p', 'plans/auth/reports/step-1-1.md', false],
  ['a report elsewhere', '/p', '/p', 'notes/one.md', false],
  ['another file of that folder', '/p', '/p', 'notes/two.md', true],
  ['a report of another runbook', '/p', '/p', 'plans/other/reports/step-1-1.md', false],
  ['a file with the name of their folder', '/p', '/p', 'plans/other/reports.md', true],
  ['a folder of reports elsewhere', '/p', '/p', 'src/other/reports/a.md', true],
  ['a step file', '/p', '/p', 'plans/auth/steps/step-1-1.md', true],
  ['a folder with a similar name', '/p', '/p', '.holdfastx/a', true],
  ['a report in a project below the checkout', '/p', '/p/app', 'app/plans/auth/reports/a.md', false],
  ['the same path in the checkout itself', '/p', '/p/app', 'plans/auth/reports/a.md', true],
])('%s counts as uncommitted or not', (_, top, root, path, counts) => {
  expect(uncommitted({ top, changed: [path] }, plan, root)).toEqual(counts ? [path] : [])
})
