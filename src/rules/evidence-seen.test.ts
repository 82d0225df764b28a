import { expect, test } from 'vitest'
import type { SeenRun } from '../model/plan/evidence.ts'
import { during, event, facts } from './case.contract.ts'
import { NOT_BEGUN } from './told/begun.ts'
import { evidenceSeen } from './evidence-seen.ts'

const run = (name: string, passed: boolean): SeenRun => ({
  effort_id: 7,
  name,
  command: 'npm test',
  covers: ['src/**'],
  digest: passed ? 'd' : null,
  passed,
})

test.each<[string, readonly SeenRun[]]>([
  ['passed', [run('tests', true)]],
  ['failed', [run('tests', false)]],
  ['is named under several names, some of which fail', [run('tests', true), run('build', false)]],
])('a command of the plan that %s is recorded as it was seen', (_, seen) => {
  expect(evidenceSeen.judge(event('after'), facts({ seen }))).toEqual({
    changes: seen.map((one) => ({ kind: 'evidence.seen', run: one })),
  })
})

test('a command that no plan names is nothing', () => {
  expect(evidenceSeen.judge(event('after'), facts())).toBeUndefined()
})

test('it is asked when a command has ended, whatever came of it', () => {
  expect(evidenceSeen.on).toEqual(['tool.after', 'tool.failed'])
})

test('at strict, a pass counts only for a call that was seen before it ran, and a failure always', () => {
  const seen = [run('tests', true), run('build', false)]
  const after = event('after', {
    tool: { id: 'c1', name: 'Bash', does: { kind: 'other' }, input: null, result: null, ended: true },
  })
  const judged = (more: object) => evidenceSeen.judge(after, facts({ seen, ...more }))
  const both = seen.map((one) => ({ kind: 'evidence.seen', run: one }))
  expect(judged({ level: 'strict' })).toEqual({ changes: both.slice(1), contexts: [NOT_BEGUN] })
  expect(judged({ level: 'enforce' })).toEqual({ changes: both })
  const begun = during([{ id: 'c1', tool: 'Bash', what: '', at: '' }])
  expect(judged({ level: 'strict', ...begun })).toEqual({ changes: both })
})
