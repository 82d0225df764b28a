import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clientAt, clientIn, contextOf, repository, silence } from '../hook/client.contract.ts'
import { surveyAt } from '../hook/survey.contract.ts'
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

  describe('moving an effort', () => {
    const PHASES = {
      'SKILL.md': '---\nname: two\ndescription: Two.\n---\n',
      'holdfast.yaml': 'phases:\n  - {label: "1", name: One}\n  - {label: "2", name: Two}\n',
    }
    const begun = async (call = '/two', plan = PHASES['holdfast.yaml']) => {
      const it = await clientAt(world())
      await it.add('two', { ...PHASES, 'holdfast.yaml': plan })
      await it.start()
      await it.prompt(call)
      const { id } = (await it.efforts()).at(-1)
      const other = clientIn(world(), it.project)
      await other.start()
      return { it, other, effort_id: Number(id) }
    }
    const MOVES = [
      ['step.enter', { step: '1' }],
      ['step.leave', { step: '1' }],
      ['db.effort.phase', { label: '2' }],
      ['db.effort.finish', { abandon: 'no longer needed' }],
    ] as const
    /** Everything that changes an effort by its number. */
    const CHANGES = [
      ...MOVES,
      ['artifact.put', { name: 'x' }],
      ['evidence.begin', { name: 'x' }],
      ['db.effort.tick', { item: 'x' }],
      ['db.effort.dehydrate', { payload: { summary: 'x' } }],
      ['commands.log.append', { text: 'x' }],
      ['run.log', { text: 'x' }],
    ] as const
    const REPORTS = [
      ['pipeline.next', {}],
      ['pipeline.done', { step: 'a' }],
      ['pipeline.fail', { step: 'a', reason: 'no' }],
    ] as const
    const PROVED =
      'phases:\n  - {label: "1", name: One}\n  - {label: "2", name: Two, proof: {x: {command: "true"}}}\n'
    const PIPELINE = 'pipeline:\n  - {id: a, command: "true"}\n  - {id: b, command: "true"}\n'

    test('that another session has open is refused, with the command that takes it over', async () => {
      const { it, other, effort_id } = await begun()
      const { native_id } = { native_id: other.session }
      for (const [method, more] of MOVES) {
        const refused = await failure(world().call(method, { effort_id, native_id, ...more }))
        expect(refused).toMatchObject({
          code: 'conflict',
          field: 'effort_id',
          hint: `holdfast session continue ${effort_id} --take`,
        })
        expect(refused.message).toContain(it.session)
      }
      expect(await world().call('step.show', { effort_id })).toMatchObject({ current: [] })
      const seq = await world().lastSeq()
      await go({ effort_id, native_id, take: true })
      await world().call('step.enter', { effort_id, native_id, step: '1' })
      expect((await world().since(seq)).at(-1)).toMatchObject({
        event_type: 'phase.entered',
        session_id: other.session,
      })
      expect(await failure(world().call('step.enter', { effort_id, native_id: it.session }))).toMatchObject({
        code: 'conflict',
      })
    })

    describe('that a live session began earlier', () => {
      const earlier = async (plan = PROVED) => {
        const { it, other, effort_id } = await begun('/two one thing', plan)
        await it.prompt('/two something else')
        expect((await it.windows()).at(-1).effort_id).not.toBe(effort_id)
        return { it, other, effort_id }
      }

      test.each([
        ['changed', PROVED, CHANGES],
        ['reported', PIPELINE, REPORTS],
      ] as const)('stays its own, however it is %s', async (_, plan, changes) => {
        const { it, other, effort_id } = await earlier(plan)
        const native_id = other.session
        const seq = await world().lastSeq()
        for (const [method, more] of changes) {
          const refused = await failure(world().call(method, { effort_id, native_id, ...more }))
          expect({ method, ...refused }).toMatchObject({
            method,
            code: 'conflict',
            field: 'effort_id',
            hint: `holdfast session continue ${effort_id} --take`,
          })
          expect(refused.message).toContain(it.session)
          expect(refused.message).toContain('only if the user asks')
        }
        const told = (await world().since(seq)).map(({ event_type }: Answer) => event_type)
        expect(new Set(told)).toEqual(new Set(['effort.refused']))
        expect(told).toHaveLength(changes.length)
        expect(await failure(go({ effort_id, native_id }))).toMatchObject({
          code: 'conflict',
          hint: `holdfast session continue ${effort_id} --take`,
        })
        const own = { effort_id, native_id: it.session }
        expect(await world().call('step.enter', own)).toMatchObject({ entered: true })
      })

      test('is free for the user at a terminal', async () => {
        const { effort_id } = await earlier()
        await world().call('commands.log.append', { effort_id, text: 'x' })
        expect(await world().call('step.enter', { effort_id, step: '1' })).toMatchObject({ entered: true })
      })

      test('is free once that session has ended, and after an explicit continue if it was only silent', async () => {
        const { it, other, effort_id } = await earlier()
        const theirs = { effort_id, native_id: other.session }
        silence(world())
        await other.start('clear')
        expect((await it.windows()).at(-1)).toMatchObject({ ended_reason: 'orphaned' })
        const hint = `holdfast session continue ${effort_id}`
        expect(await failure(world().call('step.enter', theirs))).toMatchObject({ code: 'conflict', hint })
        await it.start('resume')
        await it.fire('SessionEnd', { reason: 'exit' })
        expect(await world().call('step.enter', theirs)).toMatchObject({ entered: true })
      })

      test('belongs to the session that took it, and its first one keeps its own work', async () => {
        const { it, other, effort_id } = await earlier()
        const before = (await it.windows()).at(-1)
        await go({ effort_id, native_id: other.session, take: true })
        expect((await it.windows()).at(-1)).toMatchObject({ id: before.id, ended_at: null })
        expect(await failure(world().call('step.enter', { effort_id, native_id: it.session }))).toMatchObject(
          {
            code: 'conflict',
          },
        )
        // The new holder may turn to other work as well.
        await other.prompt('/two a third thing')
        expect(await failure(world().call('step.enter', { effort_id, native_id: it.session }))).toMatchObject(
          {
            code: 'conflict',
          },
        )
      })

      test('is not offered to others as free', async () => {
        const { it, other, effort_id } = await earlier()
        const third = clientIn(world(), it.project)
        expect(contextOf(await third.start())).not.toContain(`session continue ${effort_id}`)
        const told = contextOf(await other.prompt(`/two --continue ${effort_id}`))
        expect(told).toContain('not resumed')
        expect(told).toContain(it.session)
        expect((await other.windows()).at(-1).effort_id).not.toBe(effort_id)
      })
    })

    test('is free for its own session, and for the user at a terminal', async () => {
      const { it, effort_id } = await begun()
      const own = { effort_id, native_id: it.session }
      await world().call('step.enter', { ...own, step: '1' })
      await world().call('step.leave', { effort_id, step: '1' })
      expect(await world().call('db.effort.finish', own)).toMatchObject({ lifecycle: 'finished' })
    })

    test('that nobody has open is free, unless its client was only silent', async () => {
      const { it, other, effort_id } = await begun()
      const theirs = { effort_id, native_id: other.session }
      silence(world())
      await other.start('clear')
      expect(await it.windows()).toMatchObject([{ ended_reason: 'orphaned' }])
      expect(await failure(world().call('step.enter', theirs))).toMatchObject({
        code: 'conflict',
        hint: `holdfast session continue ${effort_id}`,
      })
      await it.start('resume')
      await it.fire('SessionEnd', { reason: 'exit' })
      expect(await world().call('step.enter', theirs)).toMatchObject({ entered: true })
    })

    test('of an agent is refused to others, not to a session that serves it', async () => {
      const { it, other } = await begun()
      const agent_id = await world().agent()
      const dir = join(it.project, 'owned')
      const { id: effort_id } = await start({ dir, skill: 'two', native_id: it.session, agent_id })
      const go1 = (more: object) => world().call('step.enter', { effort_id, step: '1', ...more })
      const stranger = await world().agent()
      for (const who of [{ native_id: other.session }, { agent_id: stranger }]) {
        const refused = await failure(go1(who))
        expect(refused).toMatchObject({ code: 'conflict', hint: 'holdfast effort find-active' })
        expect(refused.message).toContain(`agent ${agent_id}`)
      }
      expect(await go1({ native_id: it.session })).toMatchObject({ entered: true })
      expect(await go1({ agent_id })).toMatchObject({ entered: false })
    })

    test('of a sub-agent is free for the session of its client, whose shell it shares', async () => {
      const it = await surveyAt(world())
      await it.prompt('/flow the house')
      await it.callIn('a1', 'flow', 'the shed')
      const { id: effort_id } = (await it.efforts()).at(-1)
      const enter = (native_id: string) => world().call('step.enter', { effort_id, step: 'look', native_id })
      const other = clientIn(world(), it.project)
      await other.start()
      expect(await failure(enter(other.session))).toMatchObject({ code: 'conflict' })
      expect(await enter(it.session)).toMatchObject({ entered: true })
    })
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
        hint: `holdfast log TEXT --effort ${root.id}`,
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
        hint: `holdfast run log TEXT --run ${theirs.name}`,
      })
      const third = clientIn(world(), it.project)
      await third.start()
      expect(await failure(log({ native_id: third.session }))).toMatchObject({
        code: 'conflict',
        field: 'run',
      })
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
