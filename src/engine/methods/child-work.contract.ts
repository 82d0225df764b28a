import { describe, expect, test } from 'vitest'
import type { Plan } from '../../model/plan/plan.ts'
import { failure, type World } from '../world.contract.ts'
import { familyOf, familyPlan } from './family.contract.ts'
import { planOf, putWorkflow } from './workflow.contract.ts'

/** What a sub-agent works by: its workflow, its task and its caller. */
export function childWorkContract(world: () => World): void {
  const family = (dispatch: object = {}, more: Partial<Plan> = {}) =>
    familyOf(world(), familyPlan(dispatch, more))

  describe('the work that a step gives to sub-agents', () => {
    test('ends with the sub-agents of its sub-agents, and ends its own effort if it is the last', async () => {
      const inner = planOf([{ id: 'look', next: { ok: [] } }])
      const outer = planOf(
        [{ id: 'split', dispatch: { count: 1, join: 1, workflow: 'inner' }, next: { ok: [] } }],
        { workflows: { inner } },
      )
      const plan = planOf(
        [{ id: 'split', dispatch: { count: 1, join: 1, workflow: 'check' }, next: { ok: [] } }],
        { workflows: { check: outer } },
      )
      const it = await familyOf(world(), plan)
      const child = await it.begin(1)
      const { view } = await world().call('step.enter', { effort_id: child.effort_id })
      expect(view.dispatch.children[0].command).toBe(
        `holdfast step ${it.skill}/check/inner --parent ${child.effort_id} --child 1 --visit 1`,
      )
      const below = { effort_id: child.effort_id, workflow: 'inner', child: 1 }
      const grandchild = await world().call('step.child', below)
      expect(grandchild.skill).toBe(`${it.skill}/check/inner`)
      await world().call('step.enter', { effort_id: grandchild.effort_id })
      await it.move(grandchild.effort_id, 'look')
      for (const id of [it.id, child.effort_id, grandchild.effort_id])
        expect(await it.effort(id)).toMatchObject({ lifecycle: 'finished' })
      expect(await it.show()).toMatchObject({ status: 'finished', finished: { outcome: 'completed' } })
    })

    test('says which step is meant, if several run one workflow', async () => {
      const dispatch = { count: 1, join: 1, workflow: 'check' }
      const plan = planOf(
        [
          { id: 'one', dispatch, next: { ok: ['two'] } },
          { id: 'two', dispatch, next: { ok: [] } },
        ],
        { workflows: { check: planOf([{ id: 'look', next: { ok: [] } }]) } },
      )
      const it = await familyOf(world(), plan)
      const command = (step: string) =>
        `holdfast step ${it.skill}/check --parent ${it.id} --child 1 --at ${step} --visit 1`
      expect((await it.show()).view.dispatch.children[0].command).toBe(command('one'))
      const first = await it.begin(1, { step: 'one', visit: 1 })
      await world().call('step.enter', { effort_id: first.effort_id })
      await it.move(first.effort_id, 'look')
      expect((await it.enter()).view.dispatch.children[0].command).toBe(command('two'))
      expect(await it.begin(1, { step: 'one', visit: 1 })).toMatchObject({
        effort_id: first.effort_id,
        state: 'ok',
      })
      expect(await it.begin(1, { step: 'two', visit: 1 })).toMatchObject({ step: 'two', state: 'running' })
    })

    test('does not begin a workflow that it does not have, or gives too little', async () => {
      const it = await family()
      expect(await failure(it.begin(1, { workflow: 'other' }))).toMatchObject({
        code: 'not-found',
        field: 'workflow',
      })
      expect(await failure(it.begin(3))).toMatchObject({
        code: 'invalid',
        field: 'child',
        hint: `holdfast step ${it.skill}/check --parent ${it.id} --child 2 --visit 1`,
      })
      const poor = await family({ vars: {} })
      const refused = await failure(poor.begin(1))
      expect(refused).toMatchObject({ code: 'conflict', field: 'workflow' })
      expect(refused.message).toContain('It needs topic.')
    })

    test('is not begun by the name of its workflow alone: the step names the whole command', async () => {
      const it = await family()
      const start = (skill: string, cwd = world().project) =>
        failure(world().call('step.start', { skill, cwd }))
      const refused = await start(`${it.skill}/check`)
      expect(refused).toMatchObject({
        code: 'refused',
        field: 'skill',
        hint: `holdfast step --effort ${it.id}`,
      })
      expect(refused.message).toContain('the workflow of a sub-agent')
      expect(await start(`${it.skill}/other`)).toMatchObject({ code: 'not-found' })
      await it.giveUp(it.id)
      expect(await start(`${it.skill}/check`)).toMatchObject({ hint: `holdfast step ${it.skill}` })
    })

    test('keeps the workflow of each as it began, while the skill is edited', async () => {
      const it = await family()
      const { effort_id } = await it.begin(1)
      const text = planOf([{ id: 'look', actions: ['Look away.'], next: { ok: [] } }])
      await putWorkflow(world(), familyPlan({}, { workflows: { check: text } }), { name: it.skill })
      const { view, plan_edit } = await world()
        .call('step.enter', { effort_id })
        .then(async (entered) => ({
          ...entered,
          ...(await world().call('step.show', { effort_id })),
        }))
      expect(view).toMatchObject({ total: 2, actions: ['Look at the logs in attic.'] })
      expect(plan_edit).toBeNull()
      await it.finish(effort_id)
      expect((await it.show()).view.dispatch.children[0]).toMatchObject({ state: 'ok' })
    })

    test('leads back to its caller: no command begins the work of a sub-agent by itself', async () => {
      const it = await family()
      const { effort_id } = await it.begin(1)
      const over = await it.finish(effort_id)
      expect(over).toMatchObject({
        status: 'finished',
        next: [],
        finished: { parent: it.id, again: `holdfast step --effort ${it.id}` },
      })
      const refused = await failure(world().call('step.enter', { effort_id }))
      expect(refused).toMatchObject({ code: 'conflict', hint: `holdfast step --effort ${effort_id}` })
    })

    test('gives each its own task', async () => {
      const each = ['attic', 'cellar'].map((id) => ({
        id,
        title: `The ${id}`,
        task: `See {{topic}} of the ${id}`,
      }))
      const params = { task: { type: 'text' }, title: { type: 'text' } } as const
      const check = planOf([{ id: 'look', actions: ['{{title}}: {{task}}'], next: { ok: [] } }], { params })
      const it = await family({ each, vars: {} }, { workflows: { check } })
      expect((await it.show()).view.dispatch.children[1]).toMatchObject({
        title: 'The cellar',
        task: 'See logs of the cellar',
      })
      const { effort_id } = await it.begin(2)
      const { view } = await world().call('step.enter', { effort_id })
      expect(view.actions).toEqual(['The cellar: See logs of the cellar'])
    })

    test("is nobody else's: another session cannot begin its sub-agents", async () => {
      const it = await family({}, {})
      const mine = await familyOf(world(), familyPlan(), {
        native_id: world().name('session'),
        client: 'claude-code',
      })
      expect(await failure(mine.begin(1, { native_id: world().name('session') }))).toMatchObject({
        code: 'conflict',
        field: 'effort_id',
      })
      expect((await it.begin(1, { native_id: world().name('session') })).state).toBe('running')
    })
  })
}
