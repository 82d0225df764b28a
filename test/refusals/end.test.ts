import { afterAll, describe, expect, test, vi } from 'vitest'
import { User } from '../holdfast.ts'
import { doNamed } from '../../src/harness/named-action.ts'
import { Scene } from './scene.ts'
import { type Files, side, skill } from './skills.ts'

vi.setConfig({ testTimeout: 600_000 })

const user = new User()
afterAll(() => user[Symbol.asyncDispose]())

const RUNBOOK = { '.claude/skills/flow/runbook.md': '## Step 1: Make\n\n## Step 2: Tell\n\n' }
const RUN: Files = { ...skill('flow', 'uses_skill_run: true\n'), ...RUNBOOK }
const TODOS: Files = { ...skill('flow', 'required_todos: [ask the user, write the report]\n'), ...RUNBOOK }

const lifecycleOf = async (it: Scene): Promise<string> =>
  (await it.ask<{ lifecycle: string }>('db.effort.get', { effort_id: it.effort })).lifecycle

/** All steps are reported as done. */
async function done(files: Files): Promise<Scene> {
  const it = new Scene(user, files)
  await it.call('/flow')
  await it.good("step go 'Step 1' --effort EFFORT")
  await it.good('step done --effort EFFORT')
  await it.good('step done --effort EFFORT')
  return it
}

const checksOf = async (it: Scene) =>
  (
    await it.ask<{ checks: readonly { check: string; pass: boolean; detail: string }[] }>(
      'db.effort.validate',
      { effort_id: it.effort },
    )
  ).checks

describe('the last step of a plan', () => {
  test('ends no effort whose todos are open: it names them, and the obedient reach the end', async () => {
    const it = await done(TODOS)
    expect(await lifecycleOf(it)).toBe('active')
    expect(it.said).toContain('Every required step is done. Open todos: ask the user, write the report.')
    expect(it.said).toContain(`next: holdfast effort tick ${it.effort} 'ask the user'`)
    for (let turn = 0; turn < 2; turn++) {
      const refused = await it.bad('effort finish EFFORT')
      expect(refused).toContain('has open todos')
      expect(await doNamed(it, refused ?? '')).toBeUndefined()
    }
    await it.good('effort finish EFFORT')
  })

  test('ends no effort whose run has no result: the file is named, and written it may end', async () => {
    const it = await done(RUN)
    expect(await lifecycleOf(it)).toBe('active')
    const [, file = ''] = /Write the result of the run: (\S+synthesis\.md)\./.exec(it.said) ?? []
    expect(file).toMatch(/\/synthesis\.md$/)
    const refused = await it.bad('effort finish EFFORT')
    expect(refused).toContain(`has no result of its run: write ${file}`)
    expect((await checksOf(it)).find(({ check }) => check === 'run-result')).toMatchObject({ pass: false })
    it.put(file, '# Found\n')
    expect((await checksOf(it)).find(({ check }) => check === 'run-result')).toMatchObject({ pass: true })
    await it.good('effort finish EFFORT')
    expect(await lifecycleOf(it)).toBe('finished')
  })

  test('ends an effort whose result was written before it', async () => {
    const it = new Scene(user, RUN)
    await it.call('/flow')
    await it.good("step go 'Step 1' --effort EFFORT")
    await it.good('step done --effort EFFORT')
    const [run] = await it.ask<readonly { path: string }[]>('run.list', { path: it.project })
    it.put(`${run?.path}/synthesis.md`, '# Found\n')
    await it.good('step done --effort EFFORT')
    expect(await lifecycleOf(it)).toBe('finished')
  })
})

test('recorded proof of the last phase counts for the end, whoever asks', async () => {
  const it = new Scene(
    user,
    side(
      'phases:\n  - {label: "1", name: Build, proof: {tests: {command: test -d src, covers: [src/**]}}}\n',
    ),
  )
  await it.call('/flow')
  await it.good('step go 1 --effort EFFORT')
  await it.good('prove tests --effort EFFORT')
  expect((await checksOf(it)).find(({ check }) => check === 'steps-done')).toMatchObject({ pass: true })
  await it.fire('SessionEnd', { reason: 'other' })
  expect(await lifecycleOf(it)).toBe('finished')
  const { current } = await it.ask<{ current: readonly string[] }>('step.show', { effort_id: it.effort })
  expect(current).toEqual([])
})

test.each<readonly [string, Files]>([
  ['a runbook', { ...skill('flow'), ...RUNBOOK }],
  ['a pipeline', side('pipeline:\n  - {id: make, prompt: Make.}\n  - {id: tell, prompt: Tell.}\n')],
])('one call that reports %s twice ends only the step that was done', async (_, files) => {
  const it = new Scene(user, files)
  await it.call('/flow')
  await it.good('step go --effort EFFORT')
  const report = `holdfast step done --effort ${it.effort}`
  const refused = await it.shell(`${report} && ${report}`)
  expect(refused).toContain('began in this very call')
  const shown = await it.ask<{ steps: readonly { state: string }[] }>('step.show', { effort_id: it.effort })
  expect(shown.steps.map(({ state }) => state)).toEqual(['completed', 'started'])
  expect(await doNamed(it, refused ?? '')).toBeUndefined()
  expect(await lifecycleOf(it)).toBe('finished')
})
