import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Answer, failure, type World } from '../world.contract.ts'

const RUNBOOK = '## Step 1: Dig\n\nDig.\n\n## Step 2: Rest (optional)\n\nRest.\n\n## Step 3: Fill\n\nFill.\n'

const LOOP = `phases:
  - {label: "1", name: Red, proof: [failing], limit: 2}
  - {label: "2", name: Green, proof: [passing]}
  - {label: "3", name: Refactor}
`

const FILES = {
  'steps/a.md': '---\nconsumes: [user-request]\nproduces: [x]\n---\n# A\n\nDo a.\n',
  'steps/b.md': '---\nconsumes: [x]\nproduces: [y]\noptional: true\n---\n# B\n\nDo b.\n',
  'steps/c.md': '---\nconsumes: [y]\nproduces: [z]\n---\n# C\n\nDo c.\n',
}

/** An effort of a skill with these files. */
async function effortOf(world: World, files: Readonly<Record<string, string>>, more: object = {}) {
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

const stateIn = ({ steps }: Answer) => steps.map(({ label, state }: Answer) => `${label} ${state}`)

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
        `holdfast step go '2: B' --effort ${it.id}`,
        `holdfast step go '3: C' --effort ${it.id}`,
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

  describe('an optional step that is open', () => {
    const BLOG = {
      'steps/outline.md': '---\nconsumes: [user-request]\nproduces: [outline]\n---\n# Outline\n\nDo.\n',
      'steps/art.md': '---\nconsumes: [outline]\nproduces: [art]\noptional: true\n---\n# Art\n\nDo.\n',
      'steps/draft.md': '---\nconsumes: [outline]\nproduces: [draft]\n---\n# Draft\n\nDo.\n',
      'steps/publish.md': '---\nconsumes: [draft]\n---\n# Publish\n\nDo.\n',
    }
    const published = async () => {
      const it = await effortOf(world(), BLOG)
      for (const step of ['outline', 'draft', 'publish']) await it.go(step)
      return it
    }

    test('does not hide the last step that was started', async () => {
      const it = await published()
      const read = expect.stringMatching(/^read .*art\.md$/)
      const skip = `holdfast step skip art --effort ${it.id}`
      expect((await it.show()).next).toEqual([`holdfast step done publish --effort ${it.id}`, read, skip])
      expect((await it.call('db.effort.recap')).text).toContain(
        `To complete the started steps, run: holdfast step done publish --effort ${it.id}`,
      )
      const done = await it.leave()
      expect(done).toMatchObject({
        status: 'completed',
        next: [`holdfast effort finish ${it.id}`, read, skip],
      })
      const { text } = await it.call('db.effort.recap')
      expect(text).toContain(`Every required step is done. Run: holdfast effort finish ${it.id}`)
      expect(text).toContain(`To leave out "art", run: ${skip}`)
      expect(await failure(it.leave())).toMatchObject({
        message: 'Every required step is done. Optional: art.',
        hint: `holdfast effort finish ${it.id}`,
      })
    })

    test('is what a skip without a name means, and ends the effort with it', async () => {
      const it = await published()
      expect((await it.leave(undefined, { outcome: 'skip' })).steps[1]).toMatchObject({ state: 'skipped' })
      expect(await it.leave()).toMatchObject({ status: 'finished' })
      const other = await published()
      await other.leave()
      expect(await other.leave(undefined, { outcome: 'skip' })).toMatchObject({ status: 'finished' })
    })

    test('at the end of phases is offered beside the end', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Make}\n  - {label: "2", name: Tell, optional: true}\n',
      })
      await it.go('1')
      const more = [`holdfast step go '2: Tell' --effort ${it.id}`, `holdfast step skip 2 --effort ${it.id}`]
      expect((await it.show()).next).toEqual([`holdfast step done 1 --effort ${it.id}`, ...more])
      expect((await it.leave()).next).toEqual([`holdfast effort finish ${it.id}`, ...more])
      expect((await it.call('db.effort.recap')).text).toContain(
        `Every required step is done. Run: holdfast effort finish ${it.id}`,
      )
      expect(await it.leave(undefined, { outcome: 'skip' })).toMatchObject({ status: 'finished' })
    })

    test('of a runbook is offered beside the end', async () => {
      const it = await effortOf(world(), { 'RUNBOOK.md': '## Step 1: Dig\n\n## Step 2: Rest (optional)\n' })
      expect((await it.call('db.effort.recap')).text).toContain(
        `Next: run holdfast step go 'Step 1' --effort ${it.id}`,
      )
      await it.go()
      expect((await it.leave()).next).toEqual([
        `holdfast effort finish ${it.id}`,
        `holdfast step go 'Step 2' --effort ${it.id}`,
        `holdfast step skip 'Step 2' --effort ${it.id}`,
      ])
    })
  })

  describe('a refusal', () => {
    const TDD = `phases:
  - label: "1"
    name: Red
    proof: {failing_test: {command: npm test, expect: fail, covers: [src/**]}}
  - {label: "2", name: Green}
`

    test('says what the started step owes, not that it is next', async () => {
      const phases = await effortOf(world(), { 'holdfast.yaml': LOOP })
      await phases.go('1')
      expect((await failure(phases.go('2'))).message).toBe(
        'Step "2" is not next: step "1" still owes "failing". Replace ____ with what shows it.',
      )
      expect((await failure(phases.go('3'))).message).toContain('Step "3" is not next: step "1" still owes')
    })

    test('says that a claim is not enough where the plan demands a run', async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': TDD })
      await it.go('1')
      for (const move of [
        () => it.go('2', { proof: { failing_test: 'yes' } }),
        () => it.leave('1', { proof: { failing_test: 'yes' } }),
      ])
        expect((await failure(move())).message).toContain(
          'A claim is not enough for "failing_test": the plan requires a failing run of npm test.',
        )
    })
  })

  test('a step of a pipeline is told as resumed only to a session that began after it', async () => {
    const it = await effortOf(world(), {
      'holdfast.yaml': 'pipeline: [{id: a, prompt: a}, {id: b, prompt: b}]\n',
    })
    await it.go()
    await it.leave()
    expect((await it.show()).offer).toMatchObject({ step: 'b', resumed: false })
    const { task_id } = await it.call('db.effort.get')
    world().advance(1000)
    await world().call('db.session.start', { task_id, effort_id: it.id, native_id: world().name('native') })
    expect((await it.show()).offer).toMatchObject({ step: 'b', resumed: true })
  })

  describe('another outcome than success', () => {
    const LOOPY = `phases:
  - {label: "1", name: Draft, limit: 2}
  - {label: "2", name: Review, proof: [seen], next: {ok: "3", again: "1", drop: end}}
  - {label: "3", name: Publish}
`
    const review = async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': LOOPY })
      await it.go('1')
      await it.leave()
      return it
    }

    test('is offered by its name, after success', async () => {
      const it = await review()
      expect((await it.show()).next).toEqual([
        `holdfast step go '3: Publish' --effort ${it.id} --proof '{"seen":"____"}'`,
        `holdfast step done 2 --effort ${it.id} --outcome again`,
        `holdfast step done 2 --effort ${it.id} --outcome drop`,
      ])
    })

    test('is shown by its name too, not as a failure', async () => {
      const it = await review()
      expect(stateIn(await it.leave('2', { outcome: 'again' }))).toEqual([
        '1 started',
        '2 again',
        '3 waiting',
      ])
      const other = await review()
      expect(stateIn(await other.leave('2', { outcome: 'drop' }))).toEqual([
        '1 completed',
        '2 drop',
        '3 left out',
      ])
    })
  })

  describe('a failure', () => {
    // A step in a file starts when it is read; any other starts again at once.
    test.each<[string, Readonly<Record<string, string>>, string, object]>([
      ['a runbook', { 'RUNBOOK.md': RUNBOOK }, 'Step 1', { state: 'started', attempts: 2 }],
      ['phases', { 'holdfast.yaml': LOOP }, '1', { state: 'started', attempts: 2 }],
      ['step files', FILES, 'a', { state: 'ready', attempts: 1 }],
    ])('can be recorded in %s, and the step is tried again', async (_, files, first, after) => {
      const it = await effortOf(world(), files)
      expect(await failure(it.leave(first, { outcome: 'fail', reason: 'no' }))).toMatchObject({
        message: `Step "${first}" has not started.`,
      })
      expect((await it.show()).steps[0]).toMatchObject({ attempts: 0 })
      const { step } = await it.go(first)
      const failed = await it.leave(first, { outcome: 'fail', reason: 'no' })
      expect(failed.steps[0]).toMatchObject(after)
      expect(
        await world().call('ledger.list', { effort_id: it.id, event_type: 'step.failed' }),
      ).toMatchObject([{ phase: step, payload: { reason: 'no' } }])
      expect((await it.go(first)).steps[0]).toMatchObject({ state: 'started', attempts: 2 })
    })

    test('at the limit of a step parks the plan', async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': LOOP })
      for (const _ of [1, 2]) {
        await it.go('1')
        await it.leave('1', { outcome: 'fail', reason: 'no' })
      }
      expect(await it.show()).toMatchObject({ status: 'parked', reason: 'Limit reached for step "1".' })
    })
  })

  describe('a parked plan', () => {
    const parked = async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Draft, limit: 1}\n  - {label: "2", name: Review, next: {ok: "3", again: "1", drop: end}}\n  - {label: "3", name: Publish}\n',
      })
      await it.go('1')
      await it.leave()
      const next = `holdfast effort approve ${it.id} 1 --reason '____'`
      expect(await it.leave('2', { outcome: 'again' })).toMatchObject({ status: 'parked' })
      expect((await it.show()).next[0]).toBe(next)
      return it
    }

    test('names the approved step as the way on, and goes there without its name', async () => {
      const it = await parked()
      const blocked = { message: 'The plan is parked. Limit reached for step "1".' }
      for (const move of [it.go, it.leave])
        expect(await failure(move())).toMatchObject({
          ...blocked,
          hint: `holdfast effort approve ${it.id} 1 --reason '____'`,
        })
      await it.call('db.effort.approve', { subject: '1', reason: 'one more' })
      const go = `holdfast step go '1: Draft' --effort ${it.id}`
      expect((await it.show()).next).toEqual([go])
      expect(await failure(it.leave())).toMatchObject({ ...blocked, hint: go })
      expect(await failure(it.finish())).toMatchObject({ hint: go })
      const { text } = await it.call('db.effort.recap')
      expect(text).toContain(`Blocked: Limit reached for step "1". The user approved a way on: ${go}`)
      expect((await it.go()).current).toEqual(['1'])
    })

    test('is open at the step that it waits at, and at those behind', async () => {
      const it = await parked()
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is open at: "1", "2", "3"'),
      })
      expect((await it.call('db.effort.validate')).checks[2]).toMatchObject({
        detail: 'Not done: 1: Draft, 2: Review, 3: Publish.',
      })
    })

    test('of a pipeline names the approved step too', async () => {
      const it = await effortOf(world(), { 'holdfast.yaml': 'pipeline: [{id: a, prompt: a, limit: 1}]\n' })
      await it.go()
      expect(await it.leave('a', { outcome: 'fail', reason: 'no' })).toMatchObject({ status: 'parked' })
      await it.call('db.effort.approve', { subject: 'a', reason: 'one more' })
      const go = `holdfast step go a --effort ${it.id}`
      expect((await it.show()).next).toEqual([go])
      expect((await it.call('db.effort.recap')).text).toContain(`The user approved a way on: ${go}`)
      expect((await it.go()).current).toEqual(['a'])
    })
  })

  describe('the values of proof', () => {
    const GUARDED = `variables: {confidence: low}
phases:
  - {label: "1", name: Diagnose, proof: [confidence]}
  - {label: "2", name: Investigate, when: {confidence: low}, proof: [confidence]}
  - {label: "3", name: Fix, when: {confidence: high}, proof: [confidence]}
  - {label: "4", name: Tell}
`
    const guarded = (more: object = {}) => effortOf(world(), { 'holdfast.yaml': GUARDED }, more)
    const labels = ({ steps }: Answer) => steps.map(({ label }: Answer) => label)

    test('open or leave out later steps, whichever command gives them', async () => {
      const done = await guarded()
      await done.go('1')
      expect(labels(await done.show())).toEqual(['1', '2', '4'])
      const left = await done.leave('1', { proof: { confidence: 'high' } })
      expect([labels(left), left.current]).toEqual([['1', '3', '4'], ['3']])
      const went = await guarded()
      await went.go('1')
      expect((await went.go('3', { proof: { confidence: 'high' } })).current).toEqual(['3'])
      expect(labels(await went.show())).toEqual(['1', '3', '4'])
      const entered = await guarded()
      await entered.go('1')
      const moved = await entered.call('db.effort.phase', { label: '3', proof: { confidence: 'high' } })
      expect(moved).toMatchObject({ current_phase: '3: Fix', next_phases: ['4: Tell'] })
    })

    test('keep a step that was started', async () => {
      const it = await guarded()
      await it.go('1')
      await it.leave('1', { proof: { confidence: 'low' } })
      const left = await it.leave('2', { proof: { confidence: 'high' } })
      expect([labels(left), left.current]).toEqual([['1', '2', '3', '4'], ['3']])
    })

    test('count when the effort is finished, too', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Look, proof: [more]}\n  - {label: "2", name: Dig, when: {more: "true"}}\n',
      })
      await it.go('1')
      expect(await failure(it.finish({ proof: { more: true } }))).toMatchObject({
        message: expect.stringContaining('is open at: "1", "2"'),
      })
      expect(await it.finish({ proof: { more: false } })).toMatchObject({ lifecycle: 'finished' })
    })

    test('are kept only by a move that is made', async () => {
      const it = await guarded()
      await it.go('1')
      await failure(it.go('4', { proof: { confidence: 'high' } }))
      expect(labels(await it.show())).toEqual(['1', '2', '4'])
    })

    test('and of the metadata decide, until a step says otherwise', async () => {
      const it = await guarded({ metadata: { confidence: 'high', other: ['x'] } })
      expect(labels(await it.show())).toEqual(['1', '3', '4'])
      await it.go('1')
      expect((await it.leave('1', { proof: { confidence: 'low' } })).current).toEqual(['2'])
    })

    test('of a claim do not count where the plan demands a run', async () => {
      const it = await effortOf(world(), {
        'holdfast.yaml':
          'phases:\n  - {label: "1", name: Look, proof: {safe: {command: "true", covers: [src/**]}}}\n  - {label: "2", name: Dig, when: {safe: "no"}}\n  - {label: "3", name: Tell}\n',
      })
      await it.go('1')
      await failure(it.leave('1', { proof: { safe: 'no' } }))
      expect(labels(await it.show())).toEqual(['1', '3'])
    })

    test('decide about steps in files, by their artifacts', async () => {
      const it = await effortOf(world(), {
        'steps/a.md': '---\nconsumes: [user-request]\nproduces: [x]\nproof: [depth]\n---\n# A\n\nDo a.\n',
        'steps/b.md': '---\nconsumes: [x]\nproduces: [y]\nwhen: {depth: 2}\n---\n# B\n\nDo b.\n',
        'steps/c.md': '---\nconsumes: [x]\nproduces: [z]\n---\n# C\n\nDo c.\n',
      })
      await it.go('a')
      expect(labels(await it.show())).toEqual(['a', 'c'])
      expect(stateIn(await it.leave('a', { proof: { depth: 2 } }))).toEqual([
        'a completed',
        'b ready',
        'c ready',
      ])
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
