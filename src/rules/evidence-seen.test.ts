import { expect, test } from 'vitest'
import type { SeenRun } from '../model/plan/evidence.ts'
import { event, facts } from './case.contract.ts'
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
