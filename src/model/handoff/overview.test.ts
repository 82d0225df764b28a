import { expect, test } from 'vitest'
import { overviewOf, scheduledIn } from './overview.ts'
import { planCommand, planStateOf } from './plan-state.ts'
import { readSessionFile } from './session-file.ts'

const tasks = (...lines: readonly string[]) => readSessionFile(`## In-tree Tasks\n${lines.join('\n')}\n`)
const parallel = (...lines: readonly string[]) => overviewOf(tasks(...lines)).parallel.map(({ name }) => name)

test('the next task is the one in progress, else the first pending one', () => {
  expect(overviewOf(tasks('- [ ] **A**', '- [>] **B**')).next?.name).toBe('B')
  expect(overviewOf(tasks('- [x] **Z**', '- [!] **Y**', '- [ ] **A**', '- [ ] **B**')).next?.name).toBe('A')
  expect(overviewOf(tasks('- [x] **Z**', '- [?] **Y**')).next).toBeUndefined()
})

test('tasks that wait in a row and do not depend on each other can run in parallel', () => {
  expect(parallel('- [ ] **Alpha** #PNDNG', '- [ ] **Beta** #PNDNG')).toEqual(['Alpha', 'Beta'])
  expect(parallel('- [ ] **Alpha**', '- [x] **Done**', '- [ ] **Beta**')).toEqual(['Alpha', 'Beta'])
  expect(parallel('- [ ] **Alpha**', '- [ ] **Beta** — after Alpha', '- [ ] **Gamma**')).toEqual([
    'Beta',
    'Gamma',
  ])
  expect(parallel('- [ ] **Alpha** #AB12', '- [ ] **Beta** — `x #AB12`')).toEqual([])
  expect(parallel('- [ ] **Alpha**', '  - Plan: p', '- [ ] **Beta**', '  - Plan: p')).toEqual([])
  expect(parallel('- [ ] **Alpha** — `x` | opus | restart', '- [ ] **Beta**')).toEqual([])
  expect(parallel('- [ ] **Alpha**', '- [ ] **Beta**', '## Blockers', '- Alpha and', '  Beta wait')).toEqual(
    [],
  )
  expect(parallel(...Array.from({ length: 7 }, (_, at) => `- [ ] **Task ${at}**`))).toHaveLength(5)
})

test('ten times the tasks and blockers take about ten times as long', () => {
  const costOf = (count: number, runs: number): number => {
    const lines = (line: (at: number) => string) => Array.from({ length: count }, (_, at) => line(at))
    const file = tasks(
      ...lines((at) => `- [ ] **Task ${at}**${at % 3 === 0 ? ' — `x` | opus | restart' : ''}`),
      '## Blockers',
      ...lines((at) => `- The server of part ${at} is down until somebody mends it`),
    )
    const costs = Array.from({ length: 3 }, () => {
      const before = process.threadCpuUsage()
      for (let run = 0; run < runs; run++) overviewOf(file)
      const { user, system } = process.threadCpuUsage(before)
      // The kernel only guesses which part of short work was the user's.
      return user + system
    })
    return Math.min(...costs)
  }
  costOf(400, 10)
  // A square would be ten times as much.
  expect(costOf(4000, 1) / costOf(400, 10)).toBeLessThan(5)
})

test('a plan folder is scheduled if a task names it', () => {
  const isScheduled = scheduledIn(
    tasks('- [ ] **A** — `/design plans/login/design.md`', '- [ ] **B**', '  - Plan: mail'),
    'plans',
  )
  expect(['login', 'mail', 'log', 'other'].map(isScheduled)).toEqual([true, true, false, false])
})

test.each<readonly [readonly string[], string | undefined, string | undefined]>([
  [['requirements.md'], undefined, 'requirements'],
  [['brief.md', 'requirements.md'], undefined, 'briefed'],
  [['outline.md', 'brief.md'], undefined, 'outlined'],
  [['design.md', 'outline.md'], undefined, 'designed'],
  [['runbook.md', 'compiled', 'orchestrator-plan.md'], undefined, 'ready'],
  [['Runbook.md'], undefined, 'planned'],
  [['inline-plan.md', 'outline.md'], undefined, 'designed'],
  [['runbook-phase-1.md', 'design.md'], undefined, 'planned'],
  [['runbook.md', 'steps'], undefined, 'planned'],
  [['runbook.md', 'steps', 'orchestrator-plan.md'], undefined, 'ready'],
  [
    ['steps', 'orchestrator-plan.md'],
    '2026-03-01 rework again\n2026-03-02 review-pending\n',
    'review-pending',
  ],
  [['design.md'], '2026-03-02 something else', 'designed'],
  [['notes.md'], undefined, undefined],
])('a plan folder with %j and the lifecycle %j is %s', (names, lifecycle, state) => {
  expect(planStateOf(names, lifecycle)).toBe(state)
})

test('a state of a plan implies the call that goes on', () => {
  expect(planCommand('plans/a b', 'briefed')).toBe("/design 'plans/a b'")
  expect(planCommand('plans/login', 'designed')).toBe('/plan-adhoc plans/login')
  expect(planCommand('plans/login', 'planned')).toBe('holdfast runbook compile plans/login')
  expect(planCommand('plans/login', 'ready')).toBe('/orchestrate plans/login')
  expect(planCommand('plans/login', 'delivered')).toBeUndefined()
})
