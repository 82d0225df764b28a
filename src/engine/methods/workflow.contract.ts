import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Plan, Step } from '../../model/plan/plan.ts'
import { putSkill } from '../../store/skill.ts'
import { listRoots } from '../../store/workplace.ts'
import { keepBefore } from '../skill/plan-edits.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

export type Written = Pick<Step, 'id'> & Partial<Step>

/** The plan of a workflow with these steps. */
export function planOf(steps: readonly Written[], more: Partial<Plan> = {}): Plan {
  const place = { file: 'workflow.ts', line: 1, column: 1 }
  const whole = steps.map(({ id, ...step }) => ({
    label: id,
    title: `Do ${id}`,
    optional: false,
    consumes: [],
    produces: [],
    proof: [],
    place,
    ...step,
    id,
  }))
  const fields = Object.entries({ ...more.params, ...more.state })
  const variables = Object.fromEntries(fields.map(([name, { default: value = '' }]) => [name, value]))
  return {
    notation: 'workflow',
    explicit: true,
    gate: 'produced',
    format: 'xml',
    entry: [whole[0]?.id ?? ''],
    ...(fields.length > 0 && { variables }),
    ...more,
    steps: whole,
  }
}

/** Stores a skill with this plan, as one whose module is trusted. */
export async function putWorkflow(
  world: World,
  plan: Plan,
  { name = world.name('flow'), project = world.project }: { name?: string; project?: string } = {},
): Promise<string> {
  const { context } = world
  await world.store.transact(async (tx) => {
    const root = (await listRoots(tx, context.machine)).find(({ path }) => path === project)
    if (root?.workplace === undefined) throw new Error('The project has no workplace.')
    const { id: workplace_id, project_id } = root.workplace
    const details = { alias: name, notation: plan.notation, steps: plan.steps.length, enforceable: true }
    const rest = { errors: 0, warnings: 0, user_invocable: true, argument_hint: null, heartbeat: null }
    const lists = { allowed_tools: [], required_todos: [], uses_skill_run: false }
    await keepBefore(tx, { workplace_id, name }, { context, prepared: undefined, now: NOW, record })
    await putSkill(tx, context.store.volatile, {
      name,
      project_id,
      workplace_id,
      phases: '[]',
      modes: null,
      templates: null,
      cmd_dependencies: null,
      next_skills: null,
      directives: null,
      kind: 'skill',
      scope: 'project',
      file: null,
      folder: join(project, '.claude', 'skills', name),
      digest: JSON.stringify(plan),
      description: 'Works.',
      plan: JSON.stringify(plan),
      details: JSON.stringify({ ...details, ...rest, ...lists }),
      diagnostics: '[]',
      now: NOW,
    })
  })
  return name
}

const NOW = '2026-01-01T00:00:00.000Z'
const record = () => Promise.resolve()

/** An effort of a workflow with these steps, begun by its first call. */
export async function begunWorkflow(
  world: World,
  steps: readonly Written[],
  more: Partial<Plan> = {},
  given: object = {},
) {
  const skill = await putWorkflow(world, planOf(steps, more))
  const { effort_id } = await world.call('step.start', { skill, cwd: world.project, ...given })
  const call = (method: string, said: object = {}): Promise<Answer> =>
    world.call(method, { effort_id, ...said })
  return {
    skill,
    id: Number(effort_id),
    call,
    show: () => call('step.show'),
    enter: () => call('step.enter'),
    leave: (step: string, visit: number, said: object = {}) => call('step.leave', { step, visit, ...said }),
  }
}

const TWO = [
  { id: 'plan', actions: ['Plan {{topic}}.'], next: { ok: ['build'] } },
  { id: 'build', next: { ok: [], fail: ['plan'] }, limit: 3 },
]
export const TOPIC = { params: { topic: { type: 'text', required: true } } } as const

/** What `holdfast step` promises for workflows. */
export function workflowContract(world: () => World): void {
  const begun = (...given: readonly [readonly Written[], Partial<Plan>?, object?]) =>
    begunWorkflow(world(), ...given)

  describe('a call of a workflow', () => {
    test('that has ended is begun anew by one command, with the same values', async () => {
      const it = await begun(TWO, TOPIC, { params: { topic: 'a login page' } })
      await it.call('db.effort.finish', { abandon: 'no more' })
      const again = `holdfast step ${it.skill} --param 'topic=a login page'`
      expect((await it.show()).finished).toMatchObject({ again })
      const told = await world().call('commands.session.continue', { effort_id: it.id })
      expect(told.markdown).toContain(`To begin it anew, if the user asks: ${again}`)
    })

    test('begins an effort on a task of its own, and a repeated call goes on with it', async () => {
      const it = await begun(TWO, TOPIC, { params: { topic: 'a login page' } })
      const again = await world().call('step.start', { skill: it.skill, cwd: world().project })
      expect(again).toEqual({ effort_id: it.id, begun: false })
      const effort = await it.call('db.effort.get')
      expect(effort).toMatchObject({ ordinal: 1, request: 'a login page' })
      expect(effort.task_id).toContain('/.holdfast/tasks/')
    })

    test('shows the step to start, and printing starts it with its values and the command that goes on', async () => {
      const it = await begun(TWO, TOPIC, { params: { topic: 'a page' } })
      expect(await it.show()).toMatchObject({
        view: null,
        entry: 'plan',
        next: [`holdfast step --effort ${it.id}`],
      })
      const { view } = await it.enter()
      expect(view).toMatchObject({
        step: 'plan',
        number: 1,
        total: 2,
        title: 'Do plan',
        visit: 1,
        actions: ['Plan a page.'],
        next: [
          { outcome: 'ok', command: `holdfast step done plan --effort ${it.id} --visit 1`, to: 'build' },
        ],
      })
      expect((await it.enter()).view).toEqual(view)
      expect((await it.show()).view).toEqual(view)
    })

    test('of a misspelt skill is refused with the nearest one', async () => {
      const { skill } = await begun([{ id: 'a', next: { ok: [] } }])
      const asked = world().call('step.start', { skill: `${skill}x`, cwd: world().project })
      expect(await failure(asked)).toMatchObject({ code: 'not-found', hint: `holdfast step ${skill}` })
    })

    test('is refused without a required value, or with a wrong one, with the whole command', async () => {
      const params = {
        ...TOPIC.params,
        depth: { type: 'choice', choices: ['low', 'high'], default: 'low' },
        rounds: { type: 'number', min: 1, max: 5 },
      } as const
      const skill = await putWorkflow(world(), planOf(TWO, { params }))
      const start = (values: object) =>
        failure(world().call('step.start', { skill, cwd: world().project, params: values }))
      expect(await start({})).toMatchObject({
        code: 'invalid',
        field: 'params',
        hint: `holdfast step ${skill} --param topic=____`,
      })
      expect(await start({ topic: 'x', depth: 'deep' })).toMatchObject({
        message: expect.stringContaining('depth must be one of low, high, not "deep".'),
        hint: `holdfast step ${skill} --param topic=x --param 'depth=low|high'`,
      })
      expect(await start({ topic: 'x', rounds: '9' })).toMatchObject({
        message: expect.stringContaining('rounds must be a number from 1 to 5'),
      })
      expect(await start({ topic: 'x', dept: 'low' })).toMatchObject({
        message: expect.stringContaining('did you mean depth?'),
      })
      expect(await start({ topic: '____' })).toMatchObject({ field: 'params' })
      // None of them began an effort.
      const { effort_id, begun: isNew } = await world().call('step.start', {
        skill,
        cwd: world().project,
        params: { topic: 'x' },
      })
      expect(isNew).toBe(true)
      expect((await world().call('db.effort.get', { effort_id })).ordinal).toBe(1)
    })

    test('cannot change what it was given once its first step was entered', async () => {
      const it = await begun(TWO, TOPIC, { params: { topic: 'a' } })
      const start = (topic: string) =>
        world().call('step.start', { skill: it.skill, cwd: world().project, params: { topic } })
      expect(await start('b')).toEqual({ effort_id: it.id, begun: false })
      await it.enter()
      expect((await it.show()).view.actions).toEqual(['Plan b.'])
      expect(await start('b')).toEqual({ effort_id: it.id, begun: false })
      expect(await failure(start('c'))).toMatchObject({
        code: 'conflict',
        field: 'params',
        hint: `holdfast step --effort ${it.id}`,
      })
      const params = { topic: 'b', subject: 'c' }
      const other = world().call('step.start', { skill: it.skill, cwd: world().project, params })
      expect(await failure(other)).toMatchObject({
        code: 'invalid',
        message: 'There is no value "subject". It has: topic.',
        hint: `holdfast step --effort ${it.id}`,
      })
    })

    test('does not start its first step while a required value is missing', async () => {
      const it = await begun(TWO)
      expect((await it.enter()).view.actions).toEqual(['Plan {{topic}}.'])
      const skill = await putWorkflow(world(), planOf(TWO, TOPIC))
      const { id: effort_id } = await world().effort({ skill })
      const hint = `holdfast step ${skill} --effort ${effort_id} --param topic=____`
      expect(await failure(world().call('step.enter', { effort_id }))).toMatchObject({
        code: 'invalid',
        hint,
      })
      expect((await world().call('step.show', { effort_id })).next).toEqual([hint])
      // The command names the effort, because another one may be active beside it.
      await world().effort({ skill })
      const given = { skill, effort_id, cwd: world().project, params: { topic: 'a' } }
      expect(await world().call('step.start', given)).toEqual({ effort_id, begun: false })
      expect((await world().call('step.show', { effort_id })).next).toEqual([
        `holdfast step --effort ${effort_id}`,
      ])
    })

    test('of two at once, only one begins an effort', async () => {
      const skill = await putWorkflow(world(), planOf(TWO))
      const start = () => world().call('step.start', { skill, cwd: world().project })
      const [a, b] = await Promise.all([start(), start()])
      expect(a.effort_id).toBe(b.effort_id)
      expect([a, b].filter((one) => one.begun)).toHaveLength(1)
    })

    test('begins anew once its effort is finished', async () => {
      const it = await begun([{ id: 'only', next: { ok: [] } }])
      await it.enter()
      expect(await it.leave('only', 1)).toMatchObject({ status: 'finished', view: null, entry: null })
      const again = await world().call('step.start', { skill: it.skill, cwd: world().project })
      expect(again).toMatchObject({ begun: true })
      expect(again.effort_id).not.toBe(it.id)
    })

    test('of a skill without a workflow shows the effort that the caller has, and begins none', async () => {
      const { id } = await world().effort()
      const start = (skill: string) => world().call('step.start', { skill, cwd: world().project })
      expect((await failure(start('nothing'))).code).toBe('not-found')
      expect(await world().call('step.start', { skill: 'implement', effort_id: id })).toEqual({
        effort_id: id,
        begun: false,
      })
    })
  })

  describe('the visit that a command names', () => {
    test('moves nothing once it has ended, however often and late the command comes', async () => {
      const it = await begun(TWO)
      await it.enter()
      const first = await it.leave('plan', 1)
      expect(first).toMatchObject({ past: false, view: { step: 'build', visit: 1 } })
      const seq = await world().lastSeq()
      expect(await it.leave('plan', 1)).toMatchObject({ past: true, view: first.view })
      await it.leave('build', 1, { outcome: 'fail', reason: 'It broke' })
      const again = await it.leave('build', 1, { outcome: 'fail', reason: 'It broke' })
      expect(again).toMatchObject({ past: true, view: { step: 'plan', visit: 2 } })
      expect(await it.leave('plan', 1)).toMatchObject({ view: { step: 'plan', visit: 2 } })
      const moves = (await world().since(seq)).filter(({ effort_id }) => effort_id === it.id)
      expect(moves.map(({ event_type }) => event_type)).toEqual(['step.failed', 'step.started'])
      await it.leave('plan', 2)
      const last = await it.leave('build', 2)
      expect(last.status).toBe('finished')
      expect(await it.leave('build', 2)).toMatchObject({
        status: 'finished',
        past: true,
        finished: { outcome: 'completed' },
      })
    })

    test('must exist, and needs its step', async () => {
      const it = await begun(TWO)
      await it.enter()
      const hint = `holdfast step --effort ${it.id}`
      expect(await failure(it.leave('plan', 2))).toMatchObject({ code: 'conflict', field: 'visit', hint })
      expect(await failure(it.call('step.leave', { visit: 1 }))).toMatchObject({ code: 'invalid', hint })
    })

    test('of two commands at once, only one moves', async () => {
      const it = await begun(TWO)
      await it.enter()
      const answers = await Promise.all([it.leave('plan', 1), it.leave('plan', 1), it.leave('plan', 1)])
      expect(answers.filter(({ past }) => !past)).toHaveLength(1)
      expect((await it.show()).view).toMatchObject({ step: 'build', visit: 1 })
    })
  })
}
