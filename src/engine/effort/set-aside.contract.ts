import { describe, expect, test } from 'vitest'
import { clientAt, clientIn, skillOf } from '../hook/client.contract.ts'
import { failure, type World } from '../world.contract.ts'

/** A session that turned from one effort to another, and finished that. */
async function asideAt(world: World) {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow the door')
  await it.prompt('/flow the window')
  const [door, window] = await it.efforts()
  const own = { native_id: it.session, cwd: it.project }
  await world.call('db.effort.finish', {
    effort_id: window.id,
    abandon: 'no longer needed',
    native_id: it.session,
  })
  await it.fire('PreCompact', { trigger: 'auto' })
  await it.start('compact')
  return {
    ...it,
    door: door.id as number,
    own,
    meant: async (more: object = {}) =>
      (await world.call('commands.effort.meant', { ...own, finished: true, ...more })).id,
    log: async (more: object = {}) =>
      (await world.call('commands.log.append', { text: 'x', ...own, ...more })).effort_id,
    status: (native_id?: string) =>
      world.call('db.project.status', { path: it.project, ...(native_id !== undefined && { native_id }) }),
  }
}

/** Efforts that a session began and left for others. */
export function setAsideContract(world: () => World): void {
  describe('an effort that a session set aside', () => {
    test('is meant by no bare command, until the session continues it', async () => {
      const it = await asideAt(world())
      const refused = {
        code: 'conflict',
        field: 'effort_id',
        message: `You work on no effort now. Effort ${it.door} (flow) is set aside in this session; continue only if the user asks for it.`,
        hint: `holdfast session continue ${it.door}`,
      }
      expect(await failure(it.meant())).toMatchObject(refused)
      expect(await failure(it.log())).toMatchObject(refused)
      const recap = await world().call('db.effort.recap', { native_id: it.session, path: it.project })
      expect(recap.text).toContain('Resume only if the user asks')
      expect((await it.status(it.session)).next).toBe(`holdfast session continue ${it.door}`)
      expect(await it.log({ effort_id: it.door })).toBe(it.door)
      await world().call('commands.session.continue', { ...it.own, effort_id: it.door })
      expect([await it.meant(), await it.log()]).toEqual([it.door, it.door])
    })

    test('is not reopened by a session that had it before', async () => {
      const agent_id = await world().agent()
      const first = await clientAt(world())
      await first.start()
      await first.prompt('/flow the door')
      const [door] = await first.efforts()
      await first.fire('SessionEnd', { reason: 'other' })
      const next = clientIn(world(), first.project)
      await next.start()
      const shown = () => world().call('commands.session.continue', { effort_id: door.id })
      expect((await shown()).resume).toBe(`claude --resume ${first.session}`)
      const own = { native_id: next.session, client: 'claude-code', agent_id }
      await world().call('commands.session.continue', { ...own, effort_id: door.id })
      expect((await shown()).resume).toBe(`claude --resume ${next.session}`)
      await next.prompt('/flow the window')
      expect((await shown()).resume).toBeNull()
    })

    test('is shown with the session that has it', async () => {
      const it = await asideAt(world())
      const [window] = (await it.windows()).slice(-1)
      const [shown] = (await it.status()).efforts
      expect(shown).toMatchObject({ id: it.door, session: { id: window.id }, is_set_aside: true })
      expect(await world().call('db.effort.get', { effort_id: it.door })).toMatchObject({
        set_aside_by: { id: window.id },
      })
    })
  })

  test('an effort that called another skill is shown with the session that returns to it', async () => {
    const it = await clientAt(world())
    await it.add('other', skillOf('other', { one: 'produces: [a]' }))
    await it.start()
    await it.prompt('/flow the door')
    await it.use('Skill', { skill: 'other' })
    const { efforts } = await world().call('db.project.status', { path: it.project })
    const [window] = await it.windows()
    expect(efforts).toMatchObject([
      { skill: 'other', session: { id: window.id }, is_set_aside: false },
      { skill: 'flow', session: { id: window.id }, is_set_aside: false },
    ])
  })

  test('work of another session is shown with who has it, and to a terminal without', async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('/flow the door')
    const [door] = await it.efforts()
    const other = clientIn(world(), it.project)
    await other.start()
    const show = async (native_id?: string) =>
      (
        await world().call('step.show', {
          effort_id: door.id,
          ...(native_id !== undefined && { native_id }),
        })
      ).held
    expect(await show(other.session)).toContain(`Effort ${door.id} belongs to session`)
    expect([await show(it.session), await show()]).toEqual([null, null])
  })

  test('work that a session continues is called by no skill that it did before', async () => {
    const it = await clientAt(world())
    await it.add('bake', skillOf('bake', { mix: 'consumes: [user-request]\nproduces: [dough]' }))
    await it.start()
    await it.prompt('/flow the door')
    await it.fire('SessionEnd', { reason: 'other' })
    const [door] = await it.efforts()
    const other = clientIn(world(), it.project)
    await other.start()
    await other.prompt('/bake a cake')
    const own = { native_id: other.session, cwd: it.project }
    const { markdown } = await world().call('commands.session.continue', { ...own, effort_id: door.id })
    expect(markdown).toContain(`effort ${door.id} of flow`)
    expect(markdown).not.toContain('Called by skill')
  })

  describe('the next action of a project', () => {
    test('is that of the caller, and never the step of another session', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow the door')
      const other = clientIn(world(), it.project)
      await other.start()
      const next = async (native_id: string) =>
        (await world().call('db.project.status', { path: it.project, native_id })).next as string
      expect(await next(it.session)).toContain('steps/look.md')
      expect(await next(other.session)).toMatch(/^holdfast effort start /)
      await other.prompt('/flow the window')
      await other.read(it.flow('steps/look.md'))
      expect(await next(it.session)).toContain('steps/look.md')
      expect(await next(other.session)).toContain('steps/think.md')
    })
  })
}
