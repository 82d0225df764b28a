import { describe, expect, test } from 'vitest'
import { planOf, step } from '../model/plan/case.contract.ts'
import { inSequence } from '../model/plan/sequence.ts'
import { begin, type Progress } from '../model/plan/advance.ts'
import type { Plan } from '../model/plan/plan.ts'
import { effort, event, facts, reading, skill, subject, SESSION } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { changedOnlyFrom } from './told/words.ts'
import { writeGate } from './write-gate.ts'
import { writeUnresolved } from './write-unresolved.ts'

const PHASES: Plan = {
  ...planOf(
    inSequence([
      step('1', { title: 'Red', proof: ['failing'] }),
      step('2', { title: 'Green', writes: ['src/**', 'tasks/**', '.holdfast/**'] }),
      step('3', { title: 'Done', writes: ['CHANGES'] }),
    ]),
  ),
  notation: 'phases',
  entry: ['1'],
  demands: { failing: { rank: 'proved', command: 'npm test', covers: [], expect: 'fail' } },
}
const at = (id: string): Progress => ({ status: 'running', current: [id], open: [], visits: {} })
const file = (name: string) => ({
  path: `/p/${name}`,
  name,
  inTasks: name.startsWith('.holdfast/tasks/'),
})
const work = (more: Partial<NonNullable<Facts['work']>> = {}) => ({
  ...skill({ name: 'tdd', plan: PHASES, progress: at('1') }),
  effort: effort({ id: 3, skill: 'tdd', task_id: '/p' }),
  ...more,
})
const change = (names: readonly string[], more: Partial<NonNullable<Facts['work']>> = {}) =>
  writeGate.judge(event('before'), facts({ writes: names.map(file), work: work(more) }))
const reasonFor = (...given: Parameters<typeof change>) => change(...given)?.block?.reason

describe('write-gate', () => {
  test('refuses in two sentences: what opens the file, and the command that leads there', () => {
    expect(change(['src/app.ts'])?.block).toEqual({
      reason: `${changedOnlyFrom('src/app.ts', 'phase "2: Green"', 'it is "1: Red"')} Next: run holdfast prove failing --effort 3 && holdfast step go '2: Green' --effort 3`,
      skill: 'tdd',
      effort: 3,
    })
  })

  test('names all files that the same step opens, and leaves others out', () => {
    const reason = reasonFor(['test/a.ts', 'src/a.ts', 'src/b.ts', 'CHANGES'])
    expect(reason).toContain('src/a.ts, src/b.ts may be changed only from phase "2: Green" on')
  })

  test.each<[string, Parameters<typeof change>]>([
    ['a file that no step names', [['test/app.ts']]],
    ['a file whose step is current', [['src/app.ts'], { progress: at('2') }]],
    ['a file of an earlier step', [['src/app.ts'], { progress: at('3') }]],
    ['a plan that only advises', [['src/app.ts'], { enforceable: false }]],
    ['a skill without a plan', [['src/app.ts'], { plan: undefined }]],
    ['a faulty step', [['src/app.ts'], { plan: { ...PHASES, faulty: ['2'] } }]],
    [
      'any file of a task among the tasks',
      [
        ['.holdfast/tasks/login/a.js'],
        { effort: effort({ skill: 'tdd', task_id: '/p/.holdfast/tasks/login' }) },
      ],
    ],
    [
      'a file that is named for the effort itself',
      [
        ['src/1_TDD.md', 'src/1_TDD_LOG.md'],
        { effort: effort({ skill: 'tdd', ordinal: 1, task_id: '/p/src' }) },
      ],
    ],
    ['nothing written', [[]]],
  ])('allows %s', (_, given) => {
    expect(change(...given)).toBeUndefined()
  })

  test('holds files back from an effort whose folder is the project', () => {
    expect(change(['tasks/a.md'])?.block).toBeDefined()
    expect(change(['tasks/a.md'], { effort: effort({ task_id: '/p/tasks/login' }) })?.block).toBeDefined()
  })

  test('holds files back from an effort whose folder is where they lie, or another task', () => {
    const inSrc = effort({ skill: 'tdd', ordinal: 1, task_id: '/p/src' })
    for (const name of ['src/app.ts', 'src/1_FIX.md', 'src/deep/1_TDD.md', 'src/1_TDD.ts'])
      expect([name, change([name], { effort: inSrc })?.block]).toEqual([name, expect.anything()])
    expect(change(['.holdfast/tasks/other/a.md'], { effort: inSrc })?.block).toBeDefined()
  })

  test('says nothing without work', () => {
    expect(writeGate.judge(event('before'), facts({ writes: [file('src/app.ts')] }))).toBeUndefined()
  })

  test('says where a plan stands that has not begun, and one that waits for the user', () => {
    expect(reasonFor(['src/a.ts'], { progress: begin(PHASES) })).toContain('; now no phase is current. ')
    const parked: Progress = {
      status: 'parked',
      current: [],
      open: [],
      visits: { 1: { attempts: 1, outcome: 'fail' } },
    }
    expect(reasonFor(['src/a.ts'], { progress: parked })).toMatch(
      /; now the plan is parked\. Next: ask the user; only the user can run holdfast effort approve 3 /,
    )
  })

  test('sends a sub-agent back to the main thread', () => {
    const sub = { ...event('before'), subagent: { id: 'a' } }
    const verdict = writeGate.judge(sub, facts({ writes: [file('src/app.ts')], work: work() }))
    expect(verdict?.block?.reason).toMatch(
      / Next: leave it as it is and report that; the main thread can run /,
    )
  })

  test('names the file to read where steps are files', () => {
    const plan = planOf([
      step('look', { produces: ['view'] }),
      step('do', { consumes: ['view'], writes: ['a'] }),
    ])
    expect(reasonFor(['a'], { plan, progress: begin(plan) })).toMatch(
      / Next: read \S+look\.md\. Then: "do"\.$/,
    )
    const reason = reasonFor(['a'], { plan, progress: reading(plan, ['look']) })
    expect(reason).toMatch(
      /^a may be changed only from step "do" on; now it is "look"\. Next: read \S+do\.md$/,
    )
  })

  test('names every step that is left, up to the one that opens the file', () => {
    const none = begin(PHASES)
    expect(reasonFor(['CHANGES'], { progress: none })).toMatch(
      / Next: run holdfast step go '1: Red' --effort 3\. Then: "2: Green", "3: Done"\.$/,
    )
    expect(reasonFor(['CHANGES'])).toMatch(
      / Next: run holdfast prove failing --effort 3 && holdfast step go '2: Green' --effort 3\. Then: "3: Done"\.$/,
    )
  })

  test('names the alternative that opens the file', () => {
    const plan: Plan = {
      ...PHASES,
      steps: [
        step('1', { title: 'Look', next: { ok: ['2.A', '2.B'] } }),
        step('2.A', { title: 'Ask', next: { ok: [] } }),
        step('2.B', { title: 'Do', next: { ok: [] }, writes: ['src/**'] }),
      ],
    }
    expect(reasonFor(['src/a.ts'], { plan })).toMatch(/ Next: run holdfast step go '2\.B: Do' --effort 3$/)
  })

  test('names what sub-agents must do as it is', () => {
    const plan = {
      ...PHASES,
      steps: inSequence([
        step('1', { title: 'Review', dispatch: { count: 2, join: 1 } }),
        step('2', { title: 'Release', writes: ['src/**'] }),
      ]),
    }
    expect(reasonFor(['src/a.ts'], { plan })).toMatch(
      / Next: do step "1": give it to 2 sub-agents; .* in each prompt\)\. Then: "2: Release"\.$/,
    )
  })

  test('wakes only where a plan gates files and some are written', () => {
    const writes = [{ path: '/p/a', folder: '/p' }]
    const window = (gatesWrites: boolean) => ({
      session: SESSION,
      watch: { heartbeat: undefined, wantsEffort: false, gatesWrites },
    })
    expect(writeGate.wakes(subject(event('before'), { writes }), window(true))).toBe(true)
    expect(writeGate.wakes(subject(event('before'), { writes }), window(false))).toBe(false)
    expect(writeGate.wakes(subject(event('before')), window(true))).toBe(false)
  })
})

describe('write-unresolved', () => {
  const unsure = (more: Partial<NonNullable<Facts['work']>> = {}) =>
    writeUnresolved.judge(event('before'), facts({ unsureWrite: 'x > $f', work: work(more) }))

  test('records a command that may change a file that a plan holds back', () => {
    expect(unsure()?.changes).toEqual([{ kind: 'write.unresolved', command: 'x > $f' }])
    expect(unsure({ progress: at('3') })).toBeUndefined()
    expect(unsure({ enforceable: false })).toBeUndefined()
  })

  test('hears of sub-agents only for the plan', () => {
    const sub = { ...event('before'), subagent: { id: 'a' } }
    const watch = { heartbeat: undefined, wantsEffort: true }
    expect(writeUnresolved.judge(sub, facts({ unsureWrite: 'x', watch }))).toBeUndefined()
    expect(writeUnresolved.judge(sub, facts({ unsureWrite: 'x', work: work() }))?.changes).toHaveLength(1)
  })
})
