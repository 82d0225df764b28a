import { describe, expect, test } from 'vitest'
import { PRINTS_STEP } from '../../rules/told/words.ts'
import { planOf, putWorkflow } from '../methods/workflow.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'
import { clientAt, clientIn, contextOf, reasonOf } from './client.contract.ts'

const PLAN = planOf(
  [
    { id: 'plan', actions: ['Plan {{topic}}.'], next: { ok: ['build'] } },
    { id: 'build', next: { ok: [] } },
  ],
  { params: { topic: { type: 'text' } } },
)

/** What a workflow means for the session that runs it. */
export function workflowSessionContract(world: () => World): void {
  const atWork = async () => {
    const it = await clientAt(world())
    await it.start()
    const skill = await putWorkflow(world(), PLAN, { project: it.project })
    const step = (more: object = {}): Promise<Answer> =>
      world().call('step.start', { skill, cwd: it.project, native_id: it.session, ...more })
    return { ...it, skill, step }
  }

  describe('a session whose user calls a workflow', () => {
    test('goes on with that effort when its agent runs the first command', async () => {
      const it = await atWork()
      const called = await it.prompt(`/${it.skill} a login page`)
      const [effort] = await it.efforts()
      expect(contextOf(called)).toContain(`Next: run holdfast step --effort ${effort.id}`)
      expect(contextOf(called)).toContain(PRINTS_STEP)
      expect(await it.step({ params: { topic: 'a page' } })).toEqual({ effort_id: effort.id, begun: false })
      expect(await it.efforts()).toHaveLength(1)
    })

    test('is led back to the printed step after a compaction, with its visit', async () => {
      const it = await atWork()
      await it.prompt(`/${it.skill}`)
      const { effort_id } = await it.step({ params: { topic: 'x' } })
      const native_id = it.session
      const { view } = await world().call('step.enter', { effort_id, native_id })
      await it.fire('PreCompact', { trigger: 'auto' })
      const recap = contextOf(await it.start('compact'))
      expect(recap).toContain(`Next: run holdfast step --effort ${effort_id}`)
      // The module has all steps; the agent gets them one at a time.
      expect(recap).not.toContain('workflow.')
      expect((await world().call('step.show', { effort_id, native_id })).view).toEqual(view)
      expect(await it.step()).toEqual({ effort_id, begun: false })
    })
  })

  describe('a session whose agent runs the first command of a workflow by itself', () => {
    test('serves the effort that begins, as after a call, on a task of its own', async () => {
      const it = await atWork()
      const { effort_id, begun } = await it.step({ params: { topic: 'x' } })
      expect(begun).toBe(true)
      expect(await it.spans()).toEqual([`${it.skill} active`])
      const [effort] = await it.efforts()
      expect(effort).toMatchObject({ id: effort_id, request: 'x', ordinal: 1 })
      expect((await it.windows()).at(-1)).toMatchObject({ effort_id, task_id: effort.task_id })
      expect(contextOf(await it.start('compact'))).toContain(`Next: run holdfast step --effort ${effort_id}`)
    })

    test('suspends the skill that was in charge, and a second workflow is a second effort of its task', async () => {
      const it = await atWork()
      await it.prompt('/flow')
      const { effort_id } = await it.step()
      expect(await it.spans()).toEqual(['flow suspended', `${it.skill} active`])
      const other = await putWorkflow(world(), PLAN, { project: it.project })
      const second = await it.step({ skill: other })
      expect(second.begun).toBe(true)
      const tasks = (await it.efforts()).map(({ task_id }) => task_id)
      expect(new Set(tasks).size).toBe(1)
      // The first workflow waits for the second, and is still its session's own.
      expect(await it.step()).toEqual({ effort_id, begun: false })
    })

    test('never takes up the work of another session, free or not', async () => {
      const it = await atWork()
      const { effort_id } = await it.step()
      const other = clientIn(world(), it.project)
      await other.start()
      const start = () => it.step({ native_id: other.session })
      const second = await start()
      expect(second.begun).toBe(true)
      expect(second.effort_id).not.toBe(effort_id)
      expect(await start()).toEqual({ effort_id: second.effort_id, begun: false })
      const native_id = other.session
      expect(await failure(world().call('step.enter', { effort_id, native_id }))).toMatchObject({
        code: 'conflict',
        field: 'effort_id',
      })
      await it.fire('SessionEnd', { reason: 'other' })
      const third = clientIn(world(), it.project)
      await third.start()
      expect((await it.step({ native_id: third.session })).begun).toBe(true)
    })

    test('whose client has no hooks is known by its id from then on', async () => {
      const it = await atWork()
      const native_id = world().name('unhooked')
      const { effort_id } = await it.step({ native_id, client: 'claude-code' })
      expect(await it.step({ native_id })).toEqual({ effort_id, begun: false })
      expect((await it.step({ native_id: undefined, effort_id })).begun).toBe(false)
    })
  })

  describe('a workflow whose first step must come first', () => {
    const first = async (level: 'enforce' | 'observe' = 'enforce') => {
      const it = await atWork()
      await world().call('db.project.setLevel', { path: it.project, level })
      const plan = { ...PLAN, activate: 'first' as const }
      const skill = await putWorkflow(world(), plan, { project: it.project })
      await it.prompt(`/${skill}`)
      const effort_id = (await it.efforts()).at(-1)?.id
      return { ...it, skill, effort_id, ls: (more: object = {}) => it.use('Bash', { command: 'ls' }, more) }
    }

    test('holds back other tools until it was printed, and sub-agents never', async () => {
      const it = await first()
      const refused = await it.ls()
      expect(refused.decision).toBe('block')
      expect(reasonOf(refused)).toContain(`Next: run holdfast step --effort ${it.effort_id}`)
      expect((await it.ls({ agent_id: 'sub', agent_type: 'x' })).decision).toBe('allow')
      const ours = { command: `holdfast step --effort ${it.effort_id}` }
      expect((await it.use('Bash', ours)).decision).toBe('allow')
      await world().call('step.enter', { effort_id: it.effort_id, native_id: it.session })
      expect((await it.ls()).decision).toBe('allow')
      // The answer comes from memory again.
      const asked = world().watch.asked.length
      await it.ls()
      const isEmbedded = world().opened.database.kind === 'sqlite'
      expect(world().watch.asked.length - asked).toBeLessThanOrEqual(isEmbedded ? 0 : 2)
    })

    test('is only recorded at level observe', async () => {
      const it = await first('observe')
      const seq = await world().lastSeq()
      expect((await it.ls()).decision).toBe('allow')
      expect(await world().since(seq)).toMatchObject([
        { payload: { rule: 'first-step-gate', observed: true } },
      ])
    })

    test('is not escaped by the call of another skill, which leaves the session where it is', async () => {
      const it = await first()
      expect((await it.use('Skill', { skill: 'flow' })).decision).toBe('block')
      expect((await it.ls()).decision).toBe('block')
      expect((await it.use('Skill', { skill: it.skill })).decision).toBe('allow')
    })

    test('holds back nothing in a session that serves other work', async () => {
      const it = await first()
      await it.prompt('/flow')
      expect((await it.ls()).decision).toBe('allow')
    })
  })

  describe('an agent with a name', () => {
    test('owns the effort that it begins, and goes on with it in any shell', async () => {
      const it = await atWork()
      const agent_id = await world().agent()
      const start = () => it.step({ native_id: undefined, agent_id })
      const { effort_id, begun } = await start()
      expect(begun).toBe(true)
      expect((await world().call('db.effort.get', { effort_id })).agent_id).toBe(agent_id)
      expect(await start()).toEqual({ effort_id, begun: false })
      expect(await failure(it.step({ native_id: undefined, agent_id: 'nobody' }))).toMatchObject({
        code: 'not-found',
        field: 'agent_id',
      })
    })
  })
}
