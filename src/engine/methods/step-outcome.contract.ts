import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { effortOf, FILES, LOOP, RUNBOOK, stateIn } from './step.contract.ts'

/** The texts and entries for outcomes other than success, and for the end of a plan. */
export function stepOutcomeContract(world: () => World): void {
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
      const message =
        'The plan is parked. Limit reached for step "1". Ask the user: only the user can run the command that follows. Replace ____ with the reason.'
      for (const move of [it.go, it.leave])
        expect(await failure(move())).toMatchObject({
          message,
          hint: `holdfast effort approve ${it.id} 1 --reason '____'`,
        })
      await it.call('db.effort.approve', { subject: '1', reason: 'one more' })
      const go = `holdfast step go '1: Draft' --effort ${it.id}`
      expect((await it.show()).next).toEqual([go])
      expect(await failure(it.leave())).toMatchObject({ message: 'Step "1" has not started.', hint: go })
      expect(await failure(it.finish())).toMatchObject({ hint: go })
      expect((await it.call('db.effort.recap')).text).toContain(go)
      expect((await it.go()).current).toEqual(['1'])
    })

    test('is open at the step that it waits at, and at those behind', async () => {
      const it = await parked()
      expect(await failure(it.finish())).toMatchObject({
        message: expect.stringContaining('is parked. Limit reached for step "1".'),
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
      expect((await it.call('db.effort.recap')).text).toContain(go)
      expect((await it.go()).current).toEqual(['a'])
    })
  })
}
