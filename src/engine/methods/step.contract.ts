import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, failure, type World } from '../world.contract.ts'

export const RUNBOOK =
  '## Step 1: Dig\n\nDig.\n\n## Step 2: Rest (optional)\n\nRest.\n\n## Step 3: Fill\n\nFill.\n'

export const LOOP = `phases:
  - {label: "1", name: Red, proof: [failing], limit: 2}
  - {label: "2", name: Green, proof: [passing]}
  - {label: "3", name: Refactor}
`

export const FILES = {
  'steps/a.md': '---\nconsumes: [user-request]\nproduces: [x]\n---\n# A\n\nDo a.\n',
  'steps/b.md': '---\nconsumes: [x]\nproduces: [y]\noptional: true\n---\n# B\n\nDo b.\n',
  'steps/c.md': '---\nconsumes: [y]\nproduces: [z]\n---\n# C\n\nDo c.\n',
}

/** An effort of a skill with these files. */
export async function effortOf(world: World, files: Readonly<Record<string, string>>, more: object = {}) {
  const [skill, dir] = [world.name('skill'), await world.task()]
  const folder = join(world.project, '.claude', 'skills', skill)
  const head = `---\nname: ${skill}\ndescription: Works.\n---\n`
  for (const [path, text] of Object.entries({ 'SKILL.md': '', ...files })) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), path === 'SKILL.md' ? `${head}${text}` : text)
  }
  await mkdir(dir, { recursive: true })
  const { id } = await world.call('commands.effort.start', { dir, skill, ...more })
  const call = (method: string, given: object = {}): Promise<Answer> =>
    world.call(method, { effort_id: Number(id), ...given })
  return {
    id: Number(id),
    call,
    show: () => call('step.show'),
    go: (step?: string, given: object = {}) =>
      call('step.enter', { ...(step !== undefined && { step }), ...given }),
    leave: (step?: string, given: object = {}) =>
      call('step.leave', { ...(step !== undefined && { step }), ...given }),
    finish: (given: object = {}) => call('db.effort.finish', given),
  }
}

export const stateIn = ({ steps }: Answer) => steps.map(({ label, state }: Answer) => `${label} ${state}`)

/** What `step.*` promises for plans of every notation. */
export function stepContract(world: () => World): void {
  describe('a runbook', () => {
    test('advances step by step, and ends its effort with the last one', async () => {
      const it = await effortOf(world(), { 'RUNBOOK.md': RUNBOOK })
      expect((await it.show()).next).toEqual([`holdfast step go 'Step 1' --effort ${it.id}`])
      await it.go()
      const first = await it.leave()
      expect(first.status).toBe('running')
      expect(stateIn(first)).toEqual(['Step 1 completed', 'Step 2 ready', 'Step 3 ready'])
      expect((await it.leave('Step 2', { outcome: 'skip' })).current).toEqual(['step-3'])
      expect(await it.leave('Step 3')).toMatchObject({ status: 'finished', next: [] })
      expect((await it.call('db.effort.get')).lifecycle).toBe('finished')
    })

    test('refuses a step out of order, an unknown one and a skip of a required one', async () => {
      const it = await effortOf(world(), { 'RUNBOOK.md': RUNBOOK })
      expect(await failure(it.go('Step 3'))).toMatchObject({
        code: 'refused',
        hint: `holdfast step go 'Step 1' --effort ${it.id}`,
      })
      expect(await failure(it.go('banana'))).toMatchObject({ code: 'not-found' })
      expect(await failure(it.leave('Step 1', { outcome: 'skip' }))).toMatchObject({
        message: 'Step "Step 1" is required.',
      })
    })

    test('completes no step that was never started', async () => {
      const it = await effortOf(world(), { 'RUNBOOK.md': RUNBOOK })
      for (const word of [undefined, 'Step 1'])
        expect(await failure(it.leave(word))).toMatchObject({
          message: 'Step "Step 1" has not started.',
          hint: `holdfast step go 'Step 1' --effort ${it.id}`,
        })
      await it.go()
      await it.leave()
      expect(await failure(it.leave('Step 3'))).toMatchObject({
        hint: `holdfast step go 'Step 3' --effort ${it.id}`,
      })
    })

    test('takes a repeated report without another move', async () => {
      const it = await effortOf(world(), { 'RUNBOOK.md': RUNBOOK })
      await it.go()
      await it.leave('Step 1')
      const seq = await world().lastSeq()
      expect(stateIn(await it.leave('Step 1'))[0]).toBe('Step 1 completed')
      expect(await world().lastSeq()).toBe(seq)
    })
  })

  describe('phases', () => {
    test('move by `step` as by `effort phase`, with the proof of the one that is left', async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': LOOP })
      await it.go('1')
      expect(await failure(it.go('2'))).toMatchObject({
        code: 'refused',
        hint: `holdfast step done 1 --effort ${it.id} --proof '{"failing":"____"}'`,
      })
      expect((await it.leave('1', { proof: { failing: 'yes' } })).current).toEqual(['2'])
      const { current_phase, phase_history } = await it.call('db.effort.get')
      expect(current_phase).toBe('2: Green')
      expect(phase_history.at(-1)).toMatchObject({ phase_label: '2: Green', proof: { failing: 'yes' } })
    })

    test('from headings advance as told, and never refuse', async () => {
      const it = await effortOf(world(), {
        'SKILL.md': '\n## Phase 1: Gather\n\nx\n\n## Phase 2: Write\n\ny\n\n## Phase 3: Check\n\nz\n',
      })
      const first = await it.call('db.effort.phase', { label: '1: Gather' })
      expect(first).toMatchObject({ entered: true, next_phases: ['2: Write'] })
      const third = await it.go('3')
      expect(third).toMatchObject({ current: ['3'], advice: expect.stringContaining('not next') })
    })

    test('for one mode only are left out in another', async () => {
      const phases = '\n## Phase 1: Look\n\n## Phase 2: Deepen (full only)\n\n## Phase 3: Tell\n'
      const quick = await effortOf(world(), { 'SKILL.md': phases }, { mode: 'quick' })
      expect((await quick.call('db.effort.phase', { label: '1' })).next_phases).toEqual(['3: Tell'])
    })

    test('that are optional may be passed', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: A}\n  - {label: "2", name: B, optional: true}\n  - {label: "3", name: C}\n',
      })
      await it.go('1')
      expect((await it.show()).next).toEqual([
        `holdfast step go '3: C' --effort ${it.id}`,
        `holdfast step go '2: B' --effort ${it.id}`,
      ])
      expect((await it.go('3')).current).toEqual(['3'])
    })

    test('are left without a waived field once, and going back does not use the waiver up', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Draft}\n  - {label: "2", name: Review, proof: [verdict], next: {again: "1"}}\n  - {label: "3", name: Tell}\n',
      })
      await it.go('1')
      await it.go('2')
      await it.call('db.effort.approve', { subject: 'verdict', reason: 'in a hurry' })
      expect((await it.leave('2', { outcome: 'again' })).current).toEqual(['1'])
      await it.go('2')
      expect((await it.go('3')).current).toEqual(['3'])
      expect((await it.call('db.effort.get')).approvals).toMatchObject([{ used_at: expect.any(String) }])
    })

    test('that owe proof keep it if a later one is approved, and the approval says what to waive', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Draft, proof: [verdict]}\n  - {label: "2", name: Tell}\n  - {label: "3", name: End}\n',
      })
      await it.go('1')
      const owed = async (subject: string) =>
        (await it.call('db.effort.approve', { subject, reason: 'in a hurry' })).still_owed
      expect(await owed('3')).toEqual(['verdict'])
      expect(await failure(it.go('3'))).toMatchObject({ code: 'refused' })
      expect([await owed('verdict'), await owed('3')]).toEqual([[], []])
      expect((await it.go('3')).current).toEqual(['3'])
    })

    test('that an approved way back leaves are not done, whatever they owe', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Draft}\n  - {label: "2", name: Review, proof: [verdict], dispatch: 1}\n  - {label: "3", name: Tell}\n',
      })
      await it.go('1')
      await it.go('2')
      const back = await it.go('1', { reason: 'the user wants another draft' })
      expect(stateIn(back)).toEqual(['1 started', '2 waiting', '3 waiting'])
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is open at: "1", "2", "3"'),
      })
      expect((await it.go('2')).current).toEqual(['2'])
      expect(await failure(it.go('3', { proof: { verdict: 'good' } }))).toMatchObject({ code: 'refused' })
    })

    test('that a loop opened again may be reported as done again', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Ask, limit: 3}\n  - {label: "2", name: Draft, limit: 3}\n  - {label: "3", name: Review, next: {again: ["1", "2"]}}\n  - {label: "4", name: Tell}\n',
      })
      await it.go('1')
      await it.leave('1')
      await it.leave('2')
      expect((await it.leave('3', { outcome: 'again' })).current).toEqual([])
      await it.go('2')
      expect((await it.leave('2')).current).toEqual(['3'])
    })

    test('that were left are refused as phases once the plan is parked', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Draft, limit: 1}\n  - {label: "2", name: Review, next: {again: "1"}}\n',
      })
      await it.go('1')
      await it.go('2')
      expect(await it.leave('2', { outcome: 'again' })).toMatchObject({ status: 'parked' })
      expect(await failure(it.call('db.effort.phase', { label: '2' }))).toMatchObject({ code: 'refused' })
      expect(
        await world().call('ledger.list', { effort_id: it.id, event_type: 'phase.refused' }),
      ).toHaveLength(1)
    })

    test('are not done before they were entered', async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': LOOP })
      expect(await failure(it.leave(undefined, { proof: { failing: 'yes' } }))).toMatchObject({
        message: 'Step "1" has not started.',
        hint: `holdfast step go '1: Red' --effort ${it.id}`,
      })
      expect(stateIn(await it.show())).toEqual(['1 ready', '2 waiting', '3 waiting'])
    })

    test('of a plan with steps are refused', async () => {
      const it = await effortOf(world(), FILES)
      expect(await failure(it.call('db.effort.phase', { label: 'banana' }))).toMatchObject({
        code: 'not-found',
      })
    })
  })

  describe('finishing an effort', () => {
    test('takes the proof of the last phase, and wants it', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml': 'phases:\n  - {label: "1", name: Only, proof: [tests]}\n',
      })
      await it.go('1')
      expect(await failure(it.finish())).toMatchObject({
        code: 'refused',
        message: expect.stringContaining('still owes proof of: tests'),
        hint: `holdfast step done 1 --effort ${it.id} --proof '{"tests":"____"}'`,
      })
      expect((await it.call('db.effort.validate')).valid).toBe(false)
      expect(await it.finish({ proof: { tests: 'pass' } })).toMatchObject({ lifecycle: 'finished' })
    })

    test('counts no step as done that was only started', async () => {
      const it = await effortOf(world(), { 'RUNBOOK.md': RUNBOOK })
      await it.go()
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is open at: "Step 1", "Step 3"'),
        hint: `holdfast step done 'Step 1' --effort ${it.id}`,
      })
      await it.leave()
      await it.go('Step 3')
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is open at: "Step 3"'),
      })
      expect((await it.call('db.effort.validate')).checks[2]).toMatchObject({
        pass: false,
        detail: 'Not done: Step 3: Fill.',
      })
    })

    test.each<[string, Readonly<Record<string, string>>, string]>([
      ['phase', { 'holdfast.yaml': 'phases: [{label: "1", name: A}]\n' }, '1'],
      ['step', { 'steps/a.md': FILES['steps/a.md'] }, 'a'],
      ['step of a runbook', { 'RUNBOOK.md': '## Step 1: Dig\n\n## Step 2: Rest (optional)\n' }, 'Step 1'],
    ])('in its last %s is abandoned if the caller says so', async (_, files, last) => {
      const it = await effortOf(world(), files)
      const { step } = await it.go(last)
      await it.finish({ abandon: 'gave up' })
      const [ended] = await world().call('ledger.list', { effort_id: it.id, event_type: 'effort.finished' })
      expect(ended.payload).toMatchObject({ outcome: 'abandoned', reason: 'gave up', steps_left: [step] })
    })

    test('with open steps needs a reason, and the ledger says abandoned', async () => {
      const it = await effortOf(world(), FILES)
      const validated = await it.call('db.effort.validate')
      expect(validated.checks[2]).toMatchObject({
        check: 'steps-done',
        pass: false,
        detail: 'Not done: a: A, c: C.',
      })
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is open at: "a", "c"'),
      })
      await it.finish({ abandon: 'no longer wanted' })
      expect(
        await world().call('ledger.list', { effort_id: it.id, event_type: 'effort.finished' }),
      ).toMatchObject([
        { payload: { outcome: 'abandoned', reason: 'no longer wanted', steps_left: ['a', 'c'] } },
      ])
    })
  })

  describe('steps in files', () => {
    test('are shown and started by `step go`, and an optional one is never jumped', async () => {
      const it = await effortOf(world(), FILES)
      expect(await failure(it.go('c'))).toMatchObject({ code: 'refused' })
      expect((await it.go('a')).text).toContain('Do a.')
      expect(await it.go('c')).toMatchObject({ text: expect.stringContaining('Do c.'), current: ['c'] })
      expect(await it.leave()).toMatchObject({ status: 'completed' })
    })

    test('name in a refusal the step that owes something, not another one that was started', async () => {
      const it = await effortOf(world(), {
        'steps/a.md': '---\nconsumes: [user-request]\nproduces: [x]\n---\n# A\n\nDo a.\n',
        'steps/b.md': '---\nconsumes: [user-request]\nproduces: [y]\n---\n# B\n\nDo b.\n',
        'steps/c.md': '---\nconsumes: [x, y]\n---\n# C\n\nDo c.\n',
        'holdfast.yaml': 'gate: produced\nproof: {b: [seen]}\n',
      })
      await it.go('a')
      await it.go('b')
      expect((await it.show()).current).toEqual(['a', 'b'])
      const refused = { hint: `holdfast step done b --effort ${it.id} --proof '{"seen":"____"}'` }
      expect(await failure(it.leave('b'))).toMatchObject(refused)
    })

    test('are done only after they were read', async () => {
      const it = await effortOf(world(), FILES)
      expect(await failure(it.leave('a'))).toMatchObject({
        message: 'Step "a" was not read yet.',
        hint: `holdfast step go a --effort ${it.id}`,
      })
    })
  })
}
