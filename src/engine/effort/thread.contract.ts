import { describe, expect, test } from 'vitest'
import { inSubagent } from '../../rules/told/words.ts'
import { clientAt, clientIn, contextOf } from '../hook/client.contract.ts'
import { surveyAt } from '../hook/survey.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** A main thread with an effort, its sub-agent with another, and the commands that they run. */
async function threadsAt(world: World) {
  const it = await surveyAt(world)
  await it.prompt('/flow the house')
  const told = contextOf(await it.callIn('a1', 'flow', 'the shed'))
  const [house, shed] = await it.efforts()
  const command = { tool_name: 'Bash', tool_input: { command: 'holdfast step' } }
  const run = async (id: string, of: object) => {
    const call = { ...command, tool_use_id: id, ...of }
    await it.fire('PreToolUse', call)
    return () => it.fire('PostToolUse', { ...call, tool_response: {} })
  }
  const own = { native_id: it.session, cwd: it.project }
  const { native_id } = own
  return {
    ...it,
    house: house.id as number,
    shed: shed.id as number,
    told,
    run,
    native_id,
    meant: async () => (await world.call('commands.effort.meant', own)).id,
    log: async (more: object = {}) =>
      (await world.call('commands.log.append', { text: 'x', ...own, ...more })).effort_id,
    fail: (effort_id: number) =>
      world.call('step.leave', { effort_id, native_id, outcome: 'fail', reason: 'no' }),
  }
}

/** The thread of a client that runs a command: its main thread or a sub-agent. */
export function threadContract(world: () => World): void {
  describe('a command in the tool call of a sub-agent', () => {
    test('means the effort of the sub-agent, and later the one of the main thread', async () => {
      const it = await threadsAt(world())
      expect(it.told).toContain(inSubagent(it.shed))
      expect(await it.meant()).toBe(it.house)
      const end = await it.run('b1', it.inAgent('a1'))
      expect([await it.meant(), await it.log()]).toEqual([it.shed, it.shed])
      const recap = await world().call('db.effort.recap', { native_id: it.native_id, path: it.project })
      expect(recap.effort_id).toBe(it.shed)
      await end()
      const endMain = await it.run('b2', {})
      expect([await it.meant(), await it.log()]).toEqual([it.house, it.house])
      await endMain()
      await it.stop('a1')
      expect(await it.meant()).toBe(it.house)
    })

    test('is refused if it names the effort of the main thread, and hears its own', async () => {
      const it = await threadsAt(world())
      await it.read(it.flow('steps/look.md'))
      const end = await it.run('b1', it.inAgent('a1'))
      const refused = {
        code: 'conflict',
        field: 'effort_id',
        message: `Effort ${it.house} belongs to another thread of this session. The effort of this sub-agent is ${it.shed}.`,
        hint: `holdfast step --effort ${it.shed}`,
      }
      expect(await failure(it.fail(it.house))).toMatchObject(refused)
      expect(await failure(it.log({ effort_id: it.house }))).toMatchObject(refused)
      await end()
      await it.run('b2', {})
      expect(await it.log({ effort_id: it.shed })).toBe(it.shed)
      expect(await it.fail(it.house)).toMatchObject({ effort_id: it.house })
    })

    test('must name its effort while several threads run commands', async () => {
      const it = await threadsAt(world())
      await it.run('b1', it.inAgent('a1'))
      const end = await it.run('b2', {})
      const several = {
        code: 'conflict',
        field: 'effort_id',
        message: `Several threads of this session run commands now, so name your effort: ${it.house} (flow) of the main thread; ${it.shed} (flow) of a sub-agent.`,
      }
      expect(await failure(it.meant())).toMatchObject(several)
      expect(await failure(it.log())).toMatchObject(several)
      expect(await it.log({ effort_id: it.shed })).toBe(it.shed)
      await end()
      expect(await it.meant()).toBe(it.shed)
    })
  })
  describe('a command of a sub-agent without a scope', () => {
    test('means the effort of the main thread, and never that of another sub-agent', async () => {
      const it = await threadsAt(world())
      await it.startAgent('a2')
      const end = await it.run('b2', it.inAgent('a2'))
      expect(await it.meant()).toBe(it.house)
      await it.run('b1', it.inAgent('a1'))
      const several = { code: 'conflict', message: expect.stringContaining('Several threads') }
      expect(await failure(it.meant())).toMatchObject(several)
      expect(await failure(it.log())).toMatchObject(several)
      expect(await it.log({ effort_id: it.house })).toBe(it.house)
      await end()
      expect(await it.meant()).toBe(it.shed)
    })

    test('no longer runs once its sub-agent has stopped', async () => {
      const it = await threadsAt(world())
      await it.startAgent('a2')
      await it.run('b2', it.inAgent('a2'))
      await it.run('b1', it.inAgent('a1'))
      await it.stop('a2')
      expect(await it.meant()).toBe(it.shed)
    })
  })

  describe('a session beside another one of its agent', () => {
    async function besideAt() {
      const it = await clientAt(world())
      const beside = clientIn(world(), it.project)
      const agent_id = world().name('agent')
      const fire = (session_id: string, hook_event_name: string, more: object): Promise<Answer> =>
        world().call('hooks.handle', {
          client: 'claude-code',
          agent_id,
          payload: { session_id, cwd: it.project, hook_event_name, ...more },
        })
      for (const [session, words] of [
        [it.session, 'first'],
        [beside.session, 'second'],
      ] as const) {
        await fire(session, 'SessionStart', { source: 'startup' })
        await fire(session, 'UserPromptSubmit', { prompt: `/flow ${words}` })
      }
      const [first, second] = await it.efforts()
      const who = { native_id: beside.session, agent_id }
      return { it, who, first: first.id as number, second: second.id as number, agent_id }
    }

    test('means its own effort, which is not told as the work of another agent', async () => {
      const { it, who, first, second, agent_id } = await besideAt()
      const at = { ...who, cwd: it.project }
      expect(
        await it.rows(`select agent_id from efforts where id in (${first}, ${second}) order by id`),
      ).toEqual([{ agent_id }, { agent_id: null }])
      expect((await world().call('commands.effort.meant', at)).id).toBe(second)
      expect((await world().call('commands.log.append', { text: 'x', ...at })).effort_id).toBe(second)
      const recap = await world().call('db.effort.recap', { ...who, path: it.project })
      expect(recap.effort_id).toBe(second)
      expect(recap.text).not.toContain(`effort ${second} [`)
      await it.read(it.flow('steps/look.md'))
      const { next } = await world().call('db.project.status', { ...who, path: it.project })
      expect(next).toContain('look.md')
    })

    test('continues its own effort, and that of its agent only by its number', async () => {
      const { it, who, first, second } = await besideAt()
      const go = (more: object = {}) =>
        world().call('commands.session.continue', { ...who, cwd: it.project, ...more })
      expect(await go()).toMatchObject({ state: 'continued', id: second })
      expect(await failure(go({ effort_id: first }))).toMatchObject({ code: 'conflict' })
      expect(await go({ effort_id: first, take: true })).toMatchObject({ id: first })
    })
  })
}
