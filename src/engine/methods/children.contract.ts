import { describe, expect, test } from 'vitest'
import type { Plan } from '../../model/plan/plan.ts'
import { failure, type World } from '../world.contract.ts'
import { familyOf, familyPlan } from './family.contract.ts'
import { planOf } from './workflow.contract.ts'

/** What the efforts of sub-agents promise. */
export function childrenContract(world: () => World): void {
  const family = (dispatch: object = {}, more: Partial<Plan> = {}) =>
    familyOf(world(), familyPlan(dispatch, more))

  describe('a step that sub-agents do, each by a workflow', () => {
    test('prints the command of each, and waits for them', async () => {
      const it = await family()
      const { view } = await it.show()
      const command = (child: number) =>
        `holdfast step ${it.skill}/check --parent ${it.id} --child ${child} --visit 1`
      const fail = (child: number) =>
        `holdfast step fail split --effort ${it.id} --child ${child} --visit 1 --reason '____'`
      expect(view).toMatchObject({
        next: [],
        dispatch: {
          agent: 'developer',
          vars: { topic: 'the logs in attic' },
          children: [1, 2].map((child) => ({
            child,
            state: 'waiting',
            command: command(child),
            report: { fail: fail(child) },
          })),
        },
      })
    })

    test('begins the effort of each once, on its own task, with nothing but what it is given', async () => {
      const it = await family()
      const [one, again, two] = await Promise.all([it.begin(1), it.begin(1), it.begin(2)])
      expect(again).toEqual(one)
      expect(one).toMatchObject({
        skill: `${it.skill}/check`,
        step: 'split',
        visit: 1,
        child: 1,
        state: 'running',
      })
      expect(two.effort_id).not.toBe(one.effort_id)
      const [parent, own] = [await it.call('db.effort.get'), await it.effort(one.effort_id)]
      expect(own).toMatchObject({ task_id: parent.task_id, skill: `${it.skill}/check`, request: null })
      expect([parent.ordinal, own.ordinal]).toEqual([1, expect.any(Number)])
      const { view } = await world().call('step.enter', { effort_id: one.effort_id })
      expect(view).toMatchObject({
        skill: `${it.skill}/check`,
        step: 'look',
        actions: ['Look at the logs in attic.'],
      })
      expect((await it.show()).view.dispatch.children).toMatchObject([
        { state: 'running' },
        { state: 'running' },
      ])
    })

    test.each([
      ['first to last', [0, 1]],
      ['last to first', [1, 0]],
    ])('ends with the last of them, from %s, and keeps what the first of them returned', async (_, order) => {
      const it = await family()
      const efforts = [(await it.begin(1)).effort_id, (await it.begin(2)).effort_id]
      const said = ['fail', 'pass']
      await it.finish(efforts[order[0] ?? 0], { result: said[order[0] ?? 0] })
      expect((await it.show()).view).toMatchObject({ step: 'split', next: [] })
      const seq = await world().lastSeq()
      await it.finish(efforts[order[1] ?? 0], { result: said[order[1] ?? 0] })
      expect(await it.show()).toMatchObject({ view: null, entry: 'tell' })
      const { view } = await it.enter()
      expect(view).toMatchObject({
        step: 'tell',
        results: [
          { child: 1, outcome: 'ok', values: { result: 'fail' } },
          { child: 2, outcome: 'ok', values: { result: 'pass' } },
        ],
      })
      const told = (await world().since(seq)).filter(({ effort_id }) => effort_id === it.id)
      expect(told.map(({ event_type }) => event_type)).toEqual([
        'delegation.ended',
        'step.completed',
        'step.started',
      ])
      expect(await it.move(it.id, 'tell')).toMatchObject({ status: 'finished' })
    })

    test('counts each of them once if all end at the same instant', async () => {
      const it = await family({ count: 3, join: 3 })
      const efforts: number[] = []
      for (const child of [1, 2, 3]) efforts.push((await it.begin(child)).effort_id)
      for (const effort_id of efforts) {
        await world().call('step.enter', { effort_id })
        await it.move(effort_id, 'look')
      }
      const last = (effort_id: number) => it.move(effort_id, 'say', { set: { result: 'pass' } })
      await Promise.all([...efforts, ...efforts].map(last))
      expect(await it.show()).toMatchObject({ entry: 'tell' })
      const { steps } = await it.show()
      expect(steps[0]).toMatchObject({ attempts: 1, state: 'completed' })
    })

    test('fails as soon as too few can succeed, with the reason, and its next visit asks for fresh ones', async () => {
      const it = await family()
      const first = (await it.begin(1)).effort_id
      const other = (await it.begin(2)).effort_id
      await it.giveUp(first)
      expect(await it.show()).toMatchObject({
        entry: 'split',
        failures: [expect.stringContaining('It broke')],
      })
      const { view } = await it.enter()
      expect(view).toMatchObject({
        visit: 2,
        dispatch: { children: [{ state: 'waiting' }, { state: 'waiting' }] },
      })
      const before = await it.show()
      // One of the first visit comes back late.
      await it.finish(other, { result: 'fail' })
      expect(await it.show()).toEqual(before)
      const second = await it.begin(1, { visit: 2 })
      expect(second).toMatchObject({ visit: 2, state: 'running' })
      expect([first, other]).not.toContain(second.effort_id)
      for (const child of [1, 2]) await it.finish((await it.begin(child)).effort_id)
      expect(await it.show()).toMatchObject({ entry: 'tell', failures: [] })
    })

    test('tells a sub-agent of an earlier visit that nobody waits for it, and one that ended what it returned', async () => {
      const it = await family()
      const { effort_id } = await it.begin(1)
      await it.finish(effort_id)
      expect(await it.begin(1)).toMatchObject({ effort_id, state: 'ok', values: { result: 'pass' } })
      await it.giveUp((await it.begin(2)).effort_id)
      expect(await it.begin(2)).toMatchObject({ state: 'fail', visit: 1 })
      await it.enter()
      expect(await it.begin(1, { visit: 1 })).toMatchObject({ effort_id: null, state: 'over' })
    })

    test('has as many of them as a value says, and each learns its number', async () => {
      const check = planOf([{ id: 'look', actions: ['Take part {{child}}.'], next: { ok: [] } }], {
        params: { child: { type: 'number', required: true } },
      })
      const dispatch = { count: 100, join: 100, countOf: 'many', vars: {}, returns: [] }
      const plan = familyPlan(dispatch, {
        state: { many: { type: 'number', min: 1, max: 9, default: '3' } },
        workflows: { check },
      })
      const it = await familyOf(world(), plan)
      expect((await it.show()).view.dispatch.children).toHaveLength(3)
      expect(await failure(it.begin(4))).toMatchObject({ code: 'invalid', field: 'child' })
      for (const child of [3, 1, 2]) {
        const { effort_id } = await it.begin(child)
        const { view } = await world().call('step.enter', { effort_id })
        expect(view.actions).toEqual([`Take part ${child}.`])
        await it.move(effort_id, 'look')
      }
      expect(await it.show()).toMatchObject({ entry: 'tell' })
    })

    test('lets its caller give up a sub-agent that never returns, or never began', async () => {
      const it = await family()
      const running = (await it.begin(1)).effort_id
      const fail = (child: number) => it.move(it.id, 'split', { child, outcome: 'fail', reason: 'It hangs' })
      expect(await failure(it.move(it.id, 'split', { child: 1 }))).toMatchObject({
        code: 'refused',
        hint: `holdfast step ${it.skill}/check --parent ${it.id} --child 1 --visit 1`,
      })
      expect(await failure(fail(3))).toMatchObject({ code: 'invalid', field: 'child' })
      expect(await fail(1)).toMatchObject({ entry: 'split', past: false })
      expect(await it.effort(running)).toMatchObject({ lifecycle: 'finished' })
      const after = await it.show()
      expect(after.failures).toEqual([expect.stringContaining('It hangs')])
      // It is said again, of another one too, and it wakes up.
      for (const child of [1, 2]) expect(await fail(child)).toMatchObject({ entry: 'split', past: true })
      expect((await failure(it.finish(running))).code).toBe('conflict')
      expect(await it.show()).toEqual(after)
      await it.enter()
      expect(
        await it.move(it.id, 'split', { child: 2, visit: 2, outcome: 'fail', reason: 'No' }),
      ).toMatchObject({ entry: 'split' })
    })

    test('is decided by the first that succeeds, if one is enough', async () => {
      const it = await family({ count: 3, join: 1 })
      const [one, two, three] = [await it.begin(1), await it.begin(2), await it.begin(3)]
      await it.giveUp(three.effort_id)
      await it.finish(two.effort_id, { result: 'pass' })
      expect(await it.show()).toMatchObject({ entry: 'tell' })
      const { view } = await it.enter()
      await it.finish(one.effort_id, { result: 'fail' })
      expect((await it.show()).view).toEqual(view)
      expect(await it.begin(1)).toMatchObject({ state: 'ok' })
    })

    test('gives up the work of its sub-agents with its own effort', async () => {
      const it = await family()
      const { effort_id } = await it.begin(1)
      await it.giveUp(it.id)
      expect(await it.effort(effort_id)).toMatchObject({ lifecycle: 'finished' })
      expect((await it.begin(2)).state).toBe('over')
    })

    test('comes to one end if it is given up while the last of them ends', async () => {
      for (const _ of [1, 2, 3]) {
        const it = await family()
        const own = [await it.begin(1), await it.begin(2)].map(({ effort_id }) => Number(effort_id))
        const [one = 0, two = 0] = own
        await it.finish(one)
        await world().call('step.enter', { effort_id: two })
        await it.move(two, 'look')
        await Promise.allSettled([
          it.giveUp(it.id),
          it.move(two, 'say', { set: { result: 'pass' } }),
          it.giveUp(it.id),
        ])
        for (const id of [it.id, ...own]) expect(await it.effort(id)).toMatchObject({ lifecycle: 'finished' })
      }
    })
  })
}
