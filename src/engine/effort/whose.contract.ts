import { mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startCommand } from '../../model/task.ts'
import { clientAt, clientIn, contextOf, repository, silence } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** Whose work a caller means, and which work an agent gets. */
export function whoseContract(world: () => World): void {
  const go = (params: object): Promise<Answer> => world().call('commands.session.continue', params)
  const start = (params: object): Promise<Answer> => world().call('commands.effort.start', params)
  const as =
    (agent: string, it: { readonly project: string; readonly session: string }) =>
    (event: string, more: object = {}): Promise<Answer> =>
      world().call('hooks.handle', {
        agent_id: agent,
        payload: { session_id: it.session, cwd: it.project, hook_event_name: event, ...more },
      })

  describe('the log', () => {
    test('of the caller wins over the log of the root task', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      const [root] = await it.efforts()
      const other = clientIn(world(), it.project)
      await other.start()
      const log = (more: object) =>
        world().call('commands.log.append', { text: 'x', cwd: it.project, ...more })
      // A session without an effort writes into no log of another session.
      const refused = await failure(log({ native_id: other.session }))
      expect(refused).toMatchObject({
        code: 'conflict',
        field: 'effort_id',
        message: expect.stringMatching(
          `^You have no effort here. Others have: ${root.id} .* by session \\d+[.]`,
        ),
        hint: startCommand('SKILL', it.project),
      })
      const mine = await start({ dir: join(it.project, 'mine'), skill: 'flow', native_id: other.session })
      expect((await log({ native_id: other.session })).effort_id).toBe(mine.id)
      expect((await log({ native_id: it.session })).effort_id).toBe(root.id)
      // A terminal in the root of the project is not nearer to the root task than to the others.
      const which = await failure(log({}))
      expect(which).toMatchObject({ code: 'conflict', field: 'effort_id' })
      expect(which.message).toContain(`${mine.id} (flow`)
      expect((await log({ effort_id: mine.id })).effort_id).toBe(mine.id)
    })

    test('of a silent session stays its own, however long it thinks', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow')
      const [effort] = await it.efforts()
      silence(world())
      const other = clientIn(world(), it.project)
      await other.start()
      expect(await it.windows()).toMatchObject([{ ended_reason: 'orphaned' }])
      const log = (more: object) =>
        world().call('commands.log.append', { text: 'x', cwd: it.project, ...more })
      expect(await failure(log({ native_id: other.session }))).toMatchObject({ code: 'conflict' })
      expect((await log({ native_id: it.session })).effort_id).toBe(effort.id)
      // Nobody is another session at a terminal.
      expect((await log({})).effort_id).toBe(effort.id)
    })

    test('of a run is the log of its own run, and a terminal must say which', async () => {
      const it = await clientAt(world())
      const skill = '---\nname: dig\ndescription: Digs.\nuses_skill_run: true\n---\n'
      await it.add('dig', { 'SKILL.md': skill, 'steps/a.md': '---\nproduces: [x]\n---\n' })
      const other = clientIn(world(), it.project)
      const log = (more: object = {}) => world().call('run.log', { text: 'x', path: it.project, ...more })
      await it.start()
      const told = contextOf(await it.prompt('/dig here'))
      const [mine] = await world().call('run.list', { path: it.project })
      expect(told).toContain(`holdfast run log TEXT --run ${mine.name}`)
      expect((await log()).run).toBe(mine.name)
      await other.start()
      await other.prompt('/dig there')
      const [theirs] = await world().call('run.list', { path: it.project })
      expect(theirs.name).not.toBe(mine.name)
      expect((await log({ native_id: it.session })).run).toBe(mine.name)
      expect((await log({ native_id: other.session })).run).toBe(theirs.name)
      expect((await log({ effort_id: mine.effort_id })).run).toBe(mine.name)
      const which = await failure(log())
      expect(which).toMatchObject({
        code: 'conflict',
        field: 'run',
        hint: `holdfast run log x --run ${theirs.name}`,
      })
      const third = clientIn(world(), it.project)
      await third.start()
      expect(await failure(log({ native_id: third.session }))).toMatchObject({
        code: 'conflict',
        field: 'run',
      })
    })
  })

  describe('the folder of tasks', () => {
    test('may be a link: a task has one name, and no two tasks share a folder', async () => {
      const it = await clientAt(world())
      const shared = join(it.project, 'work')
      await mkdir(join(it.project, '.holdfast'), { recursive: true })
      await mkdir(shared)
      await symlink(shared, join(it.project, '.holdfast/tasks'))
      await it.start()
      await it.prompt('/flow the door')
      const first = (await it.efforts()).at(-1)
      expect(first.task_id.startsWith(`${shared}/`)).toBe(true)
      const byHand = join(it.project, '.holdfast/tasks', first.task_id.slice(shared.length + 1))
      expect(await start({ dir: byHand, skill: 'flow', native_id: it.session })).toMatchObject({
        id: first.id,
      })
      // A folder that the store does not know is taken as well.
      const { task_id } = first
      await mkdir(task_id.replace('the-door', 'the-window'))
      await it.prompt('/flow the window')
      const second = (await it.efforts()).at(-1)
      expect(second.task_id).toBe(`${task_id.replace('the-door', 'the-window')}-02`)
    })
  })

  describe('the handover note', () => {
    test('of a session without a skill stays its own', async () => {
      const it = await clientAt(world())
      const other = clientIn(world(), it.project)
      for (const one of [it, other]) {
        await one.start()
        const { effort_id } = (await one.windows()).at(-1)
        const payload = { summary: `Said by ${one.session}.` }
        await world().call('db.effort.dehydrate', { effort_id, native_id: one.session, payload })
      }
      for (const one of [it, other])
        expect(contextOf(await one.start('compact'))).toContain(`Said by ${one.session}.`)
    })
  })

  describe('a recap', () => {
    test('offers no effort that the caller is then refused', async () => {
      const { project, native, start: begin, hook } = await repository(world())
      const agent_id = await world().agent()
      const picky = (await world().call('db.agents.register', { id: world().name('agent'), claims: 'test' }))
        .id
      const owned = await begin({ agent_id })
      const busy = await begin({ native_id: native, client: 'claude-code' })
      const free = await begin({ skill: 'brainstorm' })
      const caller = world().name('native')
      const recap = async (more: object) =>
        (await world().call('db.effort.recap', { path: project, native_id: caller, ...more })).text as string
      const offered = (text: string) =>
        [...text.matchAll(/session continue (\d+)/g)].map(([, id]) => Number(id))
      await hook('SessionStart', { session_id: caller, source: 'startup' })
      const told = contextOf(
        await hook('SessionStart', { session_id: world().name('native'), source: 'startup' }),
      )
      for (const text of [await recap({}), told]) expect(offered(text)).toEqual([free.id])
      for (const text of [await recap({ agent_id: picky })]) expect(offered(text)).toEqual([])
      expect(await failure(go({ effort_id: free.id, agent_id: picky }))).toMatchObject({ code: 'conflict' })
      expect(await failure(go({ effort_id: owned.id, native_id: caller }))).toMatchObject({
        code: 'conflict',
      })
      expect(await failure(go({ effort_id: busy.id, native_id: caller }))).toMatchObject({ code: 'conflict' })
      silence(world())
      const later = offered(await recap({}))
      expect(new Set(later)).toEqual(new Set([busy.id, free.id]))
      for (const effort_id of later)
        expect(await go({ effort_id, native_id: world().name('native') })).toMatchObject({
          state: 'continued',
        })
    })
  })

  describe('an agent', () => {
    test('gets no work of others, and is told when its own is finished', async () => {
      const { project, dir, native, start: begin } = await repository(world())
      const agent_id = await world().agent()
      const own = await begin({ agent_id })
      expect(own.session).toMatchObject({ agent_id, effort_id: own.id })
      const theirs = await begin({ native_id: native, skill: 'brainstorm' })
      await world().call('db.session.finish', { session_id: theirs.session.id })
      await world().call('db.effort.finish', { effort_id: own.id, abandon: 'no longer needed' })
      for (const place of [{}, { cwd: project }, { dir }]) {
        const told = await go({ agent_id, ...place })
        expect(told).toMatchObject({ state: 'finished', id: own.id })
        expect(told.markdown).toContain('is finished')
      }
      const idle = await world().agent()
      expect(await failure(go({ agent_id: idle, cwd: project }))).toMatchObject({
        code: 'not-found',
        field: 'agent_id',
      })
      expect(await go({ agent_id: idle, effort_id: theirs.id })).toMatchObject({ state: 'continued' })
    })

    test('is handed free work of a skill that it claims, and of no other', async () => {
      const { project, native, start: begin } = await repository(world())
      const { id: agent_id } = await world().call('db.agents.register', {
        id: world().name('agent'),
        claims: ['brainstorm'],
      })
      const other = await begin()
      expect(await failure(go({ agent_id, cwd: project }))).toMatchObject({ code: 'not-found' })
      for (const hand of [
        () => go({ agent_id, effort_id: other.id }),
        () => world().call('db.agents.claim', { agent_id, effort_id: other.id }),
      ])
        expect(await failure(hand())).toMatchObject({
          code: 'conflict',
          message: `Agent ${agent_id} claims brainstorm, not implement.`,
        })
      const held = await begin({ skill: 'brainstorm', native_id: native, client: 'claude-code' })
      silence(world())
      expect(await failure(go({ agent_id, cwd: project }))).toMatchObject({ code: 'conflict' })
      await world().call('db.session.finish', { session_id: held.session.id })
      expect(await go({ agent_id, cwd: project })).toMatchObject({
        state: 'continued',
        id: held.id,
        session: { agent_id },
      })
    })

    test('that only the environment knows is registered when its client starts', async () => {
      const it = await clientAt(world())
      const agent = world().name('agent')
      const fire = as(agent, it)
      await fire('SessionStart', { source: 'startup' })
      expect(await world().call('db.agents.get', { id: agent })).toMatchObject({ claims: [], effort: null })
      expect((await it.windows())[0]).toMatchObject({ agent_id: agent })
      await fire('UserPromptSubmit', { prompt: '/flow' })
      const [effort] = await it.efforts()
      expect(effort).toMatchObject({ agent_id: agent })
      // A prompt that opens the window names the agent too.
      const late = clientIn(world(), it.project)
      const name = world().name('agent')
      await as(name, late)('UserPromptSubmit', { prompt: 'Hello' })
      expect((await late.windows())[0]).toMatchObject({ agent_id: name })
    })

    test('continues its own effort in its next session, also after a crash', async () => {
      const it = await clientAt(world())
      const agent = world().name('agent')
      await as(agent, it)('SessionStart', { source: 'startup' })
      await as(agent, it)('UserPromptSubmit', { prompt: '/flow' })
      await it.read(it.flow('steps/look.md'))
      silence(world())
      const next = clientIn(world(), it.project)
      const told = contextOf(await as(agent, next)('SessionStart', { source: 'startup' }))
      expect(told).toContain('Started: look')
      expect(await next.spans()).toEqual(['flow active'])
      const [last, now] = [(await it.windows()).at(-1), (await next.windows()).at(-1)]
      expect(now).toMatchObject({ agent_id: agent, effort_id: last.effort_id, prev_session_id: last.id })
      expect((await next.read(it.flow('steps/do.md'))).decision).toBe('block')
      // The former client, if it still runs, learns who has the effort, and does not take it back.
      const shell = { tool_name: 'Bash', tool_input: { command: 'ls' } }
      expect(contextOf(await as(agent, it)('PreToolUse', shell))).toContain('no longer has effort')
      expect((await next.windows()).at(-1)).toMatchObject({ ended_at: null, effort_id: last.effort_id })
      expect((await it.windows()).at(-1)).toMatchObject({ agent_id: null })
      // Another project is not its place of work.
      const elsewhere = await clientAt(world())
      await as(agent, elsewhere)('SessionStart', { source: 'startup' })
      expect(await elsewhere.spans()).toEqual([])
    })
  })
}
