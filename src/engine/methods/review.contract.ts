import { describe, expect, test } from 'vitest'
import { doorsIn } from '../../model/door-calls.ts'
import type { Plan } from '../../model/plan/plan.ts'
import type { World } from '../world.contract.ts'
import { familyOf } from './family.contract.ts'
import { planOf } from './workflow.contract.ts'

const RESULT = { type: 'choice', choices: ['pass', 'fail'], required: true } as const

/** A review as `gate` of the workflow door makes it: some work, its review, the gate, and what follows. */
export function reviewedPlan(dispatch: object = {}, pass: readonly string[] = ['ship'], limit = 5): Plan {
  const workflow = planOf(
    [
      { id: 'look', next: { ok: ['say'] } },
      { id: 'say', next: { ok: [] } },
    ],
    { state: { result: RESULT, report: { type: 'text' } } },
  )
  return planOf(
    [
      { id: 'work', limit, next: { ok: ['qr'] } },
      {
        id: 'qr',
        review: { name: 'Completeness', gate: 'qr-gate' },
        dispatch: {
          count: 1,
          join: 1,
          agent: 'quality-reviewer',
          workflow: 'check',
          returns: ['result', 'report'],
          ...dispatch,
        },
        next: { ok: ['qr-gate'] },
      },
      {
        id: 'qr-gate',
        gate: { name: 'Completeness', review: 'qr', work: 'work', message: 'It passed.', fix: 'developer' },
        decides: [{ when: { result: 'pass' }, outcome: 'pass' }, { outcome: 'fail' }],
        next: { pass, fail: ['work'] },
      },
      { id: 'ship', limit: 2, next: { ok: [] } },
    ],
    {
      state: { result: { type: 'text' }, report: { type: 'text' } },
      workflows: { check: workflow },
    },
  )
}

/** What loops of reviews promise. */
export function reviewContract(world: () => World): void {
  const reviewed = async (dispatch: object = {}, pass?: readonly string[], limit?: number) => {
    const it = await familyOf(world(), reviewedPlan(dispatch, pass, limit))
    const visits: Record<string, number> = {}
    /** Leaves a step in its next visit. */
    const leave = (step: string, said: object = {}) => {
      visits[step] = (visits[step] ?? 0) + 1
      return it.call('step.leave', { step, visit: visits[step], ...said })
    }
    /** One round: the work, a fresh review with this result, and what the gate prints. */
    const round = async (result: string) => {
      await leave('work')
      const reviewer = await it.begin(1)
      await it.finish(reviewer.effort_id, { result, report: `/tmp/qr-${reviewer.effort_id}.md` })
      const { view } = await it.enter()
      return { view, reviewer: Number(reviewer.effort_id) }
    }
    return { ...it, leave, round }
  }

  describe('a review and its gate', () => {
    test('defect 1: count their rounds in the store, and lead back to the work with the report, whatever the caller says', async () => {
      const it = await reviewed()
      const reviewers = new Set<number>()
      for (const iteration of [1, 2, 3, 4]) {
        const work = (await it.show()).view
        expect(work).toMatchObject({ step: 'work', visit: iteration })
        expect(work.review === null).toBe(iteration === 1)
        const { view, reviewer } = await it.round('fail')
        reviewers.add(reviewer)
        const report = `/tmp/qr-${reviewer}.md`
        const blocking = iteration <= 3 ? ['MUST', 'SHOULD', 'COULD'] : ['MUST', 'SHOULD']
        expect(view).toMatchObject({
          step: 'qr-gate',
          gate: {
            name: 'Completeness',
            qr: { iteration, status: 'fail' },
            blocking,
            report,
            fix: 'developer',
            choices: [],
          },
          next: [{ outcome: 'fail', to: 'work' }],
        })
        const back = (await it.leave('qr-gate')).view
        expect(back).toMatchObject({
          step: 'work',
          review: { qr: { iteration: iteration + 1, failed: true }, report, fix: 'developer' },
          gate: null,
        })
      }
      expect(reviewers.size).toBe(4)
      const { view } = await it.round('pass')
      expect(view.gate).toMatchObject({
        qr: { iteration: 5, status: 'pass' },
        blocking: ['MUST'],
        report: null,
        message: 'It passed.',
      })
      expect((await it.leave('qr-gate')).view).toMatchObject({ step: 'ship', review: null, gate: null })
    })

    test('give the reviewer of each round a banner with its number, and no earlier report', async () => {
      const it = await reviewed()
      await it.round('fail')
      await it.leave('qr-gate')
      const { view } = await it.leave('work')
      expect(view.review).toEqual({
        name: 'Completeness',
        qr: { iteration: 2, failed: false, status: null },
        rounds: 5,
        blocking: ['MUST', 'SHOULD', 'COULD'],
        report: null,
        fix: 'developer',
      })
    })

    test('take no other outcome than the review says, and count no round for a reviewer that was lost', async () => {
      const it = await reviewed()
      await it.leave('work')
      const lost = await it.begin(1)
      await it.leave('qr', { child: 1, outcome: 'fail', reason: 'It hangs' })
      const { view } = await it.enter()
      expect(view).toMatchObject({ step: 'qr', visit: 2, review: { qr: { iteration: 1 } } })
      await it.finish((await it.begin(1)).effort_id, { result: 'fail' })
      expect((await it.begin(1, { visit: 1 })).state).toBe('over')
      expect(lost.visit).toBe(1)
      const gate = (await it.enter()).view
      expect(gate.gate.qr).toMatchObject({ iteration: 1, status: 'fail' })
      await expect(it.leave('qr-gate', { outcome: 'pass' })).rejects.toMatchObject({ code: 'refused' })
    })

    test('read nothing into a review that says nothing', async () => {
      const it = await reviewed({ workflow: undefined })
      await it.leave('work')
      await it.leave('qr', { child: 1 })
      expect((await it.enter()).view.gate.qr.status).toBe('fail')
      await it.leave('qr-gate')
      await it.leave('work')
      await it.leave('qr', { child: 1, set: { result: 'pass' } })
      expect((await it.enter()).view.gate.qr).toMatchObject({ iteration: 2, status: 'pass' })
    })

    test('pass only if each of several reviewers passes', async () => {
      const it = await reviewed({ count: 2, join: 2 })
      await it.leave('work')
      await it.finish((await it.begin(2)).effort_id, { result: 'fail', report: '/tmp/two.md' })
      await it.finish((await it.begin(1)).effort_id, { result: 'pass', report: '/tmp/one.md' })
      expect((await it.enter()).view.gate).toMatchObject({ qr: { status: 'fail' }, report: '/tmp/two.md' })
    })
  })

  describe('a review that failed as often as it may', () => {
    const spent = async (pass?: readonly string[]) => {
      const it = await reviewed({}, pass)
      for (let round = 1; round <= 5; round++) {
        await it.round('fail')
        await it.leave('qr-gate')
      }
      const parked = await it.show()
      const [more, skip, stop] = parked.view.gate.choices
      /** Runs `effort approve ID STEP --reason TEXT` of a choice. */
      const approve = ({ command }: { readonly command: string }) => {
        const [, subject, reason] = /approve \d+ (\S+) --reason '(.*)'$/.exec(command) ?? []
        return it.call('db.effort.approve', { subject, reason })
      }
      return { ...it, parked, more, skip, stop, approve }
    }

    test('asks the user, with the command of each choice', async () => {
      const { id, parked } = await spent()
      expect(parked).toMatchObject({ status: 'parked', view: { step: 'qr-gate', next: [] } })
      expect(parked.view.gate).toMatchObject({
        qr: { iteration: 5, status: 'fail' },
        blocking: ['MUST'],
        choices: [
          {
            label: 'Continue iterating',
            command: `holdfast effort approve ${id} work --reason 'continue iterating'`,
          },
          {
            label: 'Skip this check',
            command: `holdfast effort approve ${id} ship --reason 'skip this check'`,
          },
          {
            label: 'Abort',
            command: `holdfast effort finish ${id} --abandon 'the review failed in round 5'`,
          },
        ],
      })
    })

    test('has as many rounds as the limit of its work says', async () => {
      const it = await reviewed({}, undefined, 2)
      expect((await it.round('fail')).view.gate).toMatchObject({ qr: { iteration: 1 }, rounds: 2 })
      expect((await it.leave('qr-gate')).view.review).toMatchObject({ rounds: 2 })
      await it.round('fail')
      await it.leave('qr-gate')
      const { gate } = (await it.show()).view
      expect(gate).toMatchObject({ qr: { iteration: 2, status: 'fail' }, rounds: 2 })
      expect(gate.choices.at(-1).command).toMatch(/--abandon 'the review failed in round 2'$/)
    })

    test('waits at the work: the gate only routes, so nobody is told to approve it', async () => {
      const { id, call } = await spent()
      const { next } = await call('db.effort.get', {})
      expect(next).toEqual([`holdfast effort approve ${id} work --reason '____'`])
    })

    test('is settled by the skip of its check: a later step that fails waits for the user alone', async () => {
      const it = await spent()
      await it.approve(it.skip)
      for (const _ of [1, 2]) {
        await it.enter()
        await it.leave('ship', { outcome: 'fail', reason: 'no' })
      }
      const { next, status } = await it.show()
      expect({ next, status }).toEqual({
        next: [`holdfast effort approve ${it.id} ship --reason '____'`],
        status: 'parked',
      })
    })

    test('ends the work if the user skips a check behind which nothing follows', async () => {
      const it = await spent([])
      expect(it.skip).toEqual({
        label: 'Skip this check',
        command: `holdfast effort approve ${it.id} qr-gate --reason 'skip this check'`,
      })
      await it.approve(it.skip)
      expect(await it.show()).toMatchObject({
        status: 'finished',
        finished: { outcome: 'completed' },
        failures: [],
      })
    })

    test('leaves each choice to the user: an agent that runs its command is asked or refused', async () => {
      const { parked } = await spent()
      for (const { command } of parked.view.gate.choices) expect(doorsIn(command)).toHaveLength(1)
    })

    test('has exactly one more round once the user wants to go on', async () => {
      const it = await spent()
      await it.approve(it.more)
      const { view } = await it.enter()
      expect(view).toMatchObject({ step: 'work', visit: 6, review: { qr: { iteration: 6, failed: true } } })
      expect((await it.round('fail')).view.gate.qr).toMatchObject({ iteration: 6, status: 'fail' })
      await it.leave('qr-gate')
      expect(await it.show()).toMatchObject({ status: 'parked', view: { gate: { qr: { iteration: 6 } } } })
      await it.approve(it.more)
      await it.enter()
      await it.round('pass')
      expect((await it.leave('qr-gate')).view).toMatchObject({ step: 'ship' })
    })

    test('goes on past it if the user skips the check, and ends if the user stops', async () => {
      const it = await spent()
      await it.approve(it.skip)
      expect((await it.enter()).view).toMatchObject({ step: 'ship', review: null, gate: null })
      expect(await it.leave('ship')).toMatchObject({ status: 'finished' })
      const other = await spent()
      await other.call('db.effort.finish', { abandon: 'the review failed in round 5' })
      expect(await other.show()).toMatchObject({ status: 'finished', finished: { outcome: 'abandoned' } })
    })
  })
}
