import { describe, expect, test } from 'vitest'
import { begunAt, clientIn, contextOf, silence } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

/** An agent gets and loses work of live sessions only by the user. */
export function agentTakingContract(world: () => World): void {
  const claim = (params: object): Promise<Answer> => world().call('db.agents.claim', params)
  const release = (params: object): Promise<Answer> => world().call('db.agents.release', params)
  const begun = async () => {
    const it = await begunAt(world())
    const [{ id }] = await it.efforts()
    const other = clientIn(world(), it.project)
    await other.start()
    return { it, other, effort_id: Number(id), agent_id: await world().agent() }
  }
  const as =
    (agent: string, it: { readonly project: string; readonly session: string }) =>
    (event: string, more: object = {}): Promise<Answer> =>
      world().call('hooks.handle', {
        client: 'claude-code',
        agent_id: agent,
        payload: { session_id: it.session, cwd: it.project, hook_event_name: event, ...more },
      })
  /** Runs told commands as their reader does. */
  const run = async (line: string, who: object) => {
    for (const command of line.split(' && ')) {
      const [, noun, verb, id, ...flags] = command.split(' ')
      const take = flags.includes('--take')
      if (noun === 'agent' && verb === 'release') await release({ agent_id: id, take, ...who })
      else if (noun === 'session' && verb === 'continue')
        await world().call('commands.session.continue', { effort_id: Number(id), take, ...who })
      else throw new Error(`Not a command to get work back: ${command}`)
    }
  }
  const backIn = (told: string): string => /To get it back.*: (holdfast .*)$/m.exec(told)?.[1] ?? ''

  describe('an effort that a live session has', () => {
    test('is not claimed by another session, and the refusal names the door for the user', async () => {
      const { it, other, effort_id, agent_id } = await begun()
      const seq = await world().lastSeq()
      const wish = { agent_id, effort_id, native_id: other.session }
      const refused = await failure(claim(wish))
      expect(refused).toMatchObject({
        code: 'conflict',
        hint: `holdfast agent claim ${agent_id} ${effort_id} --take`,
      })
      expect(refused.message).toContain(it.session)
      expect((await world().since(seq)).map(({ event_type }: Answer) => event_type)).toEqual([
        'agent.refused',
      ])
      expect(await claim({ ...wish, native_id: it.session })).toMatchObject({ effort_id })
    })

    test('is not claimed for others while the user has it in a terminal, or while it is set aside', async () => {
      const { it, other, effort_id, agent_id } = await begun()
      await it.prompt('/plain something else')
      const wish = { agent_id, effort_id, native_id: other.session }
      expect(await failure(claim(wish))).toMatchObject({ code: 'conflict' })
      await world().call('commands.session.continue', { effort_id, take: true })
      expect(await failure(claim(wish))).toMatchObject({
        message: expect.stringContaining('(a terminal'),
      })
    })

    test('is left by the agent of that session for an effort that it continues', async () => {
      const { it, effort_id, agent_id } = await begun()
      await it.fire('SessionEnd', { reason: 'other' })
      const named = clientIn(world(), it.project)
      const fire = as(agent_id, named)
      await fire('SessionStart', { source: 'startup' })
      await fire('UserPromptSubmit', { prompt: '/flow another thing' })
      const own = { agent_id, native_id: named.session, cwd: it.project }
      const { markdown } = await world().call('commands.session.continue', { ...own, effort_id })
      expect(markdown).toContain(`effort ${effort_id} of flow`)
      const agents: readonly Answer[] = await world().call('db.agents.list')
      expect(agents.find(({ id }) => id === agent_id)).toMatchObject({ effort_id })
    })

    test('is claimed freely once nobody is at it', async () => {
      const { it, other, effort_id, agent_id } = await begun()
      await it.fire('SessionEnd', { reason: 'other' })
      expect(await claim({ agent_id, effort_id, native_id: other.session })).toMatchObject({ effort_id })
    })

    test('goes to the agent if the user says so; its session learns of it, and the told command works', async () => {
      const { it, other, effort_id, agent_id } = await begun()
      await claim({ agent_id, effort_id, native_id: other.session, take: true })
      const told = contextOf(await it.prompt('go on'))
      expect(told).toContain(`no longer has effort ${effort_id} of flow: agent ${agent_id} has it`)
      expect(backIn(told)).toBe(
        `holdfast agent release ${agent_id} && holdfast session continue ${effort_id}`,
      )
      await run(backIn(told), { native_id: it.session })
      expect((await it.windows()).at(-1)).toMatchObject({ effort_id })
    })

    test('is told with a command that works too if the agent is at it', async () => {
      const { it, effort_id, agent_id } = await begun()
      await claim({ agent_id, effort_id })
      const eve = clientIn(world(), it.project)
      await as(agent_id, eve)('SessionStart', { source: 'startup' })
      expect((await eve.windows()).at(-1)).toMatchObject({ effort_id, agent_id })
      const told = contextOf(await it.prompt('go on'))
      const back = `holdfast agent release ${agent_id} --take && holdfast session continue ${effort_id} --take`
      expect(backIn(told)).toBe(back)
      await run(back, { native_id: it.session })
      expect((await it.windows()).at(-1)).toMatchObject({ effort_id, agent_id: null })
      const lost = contextOf(await as(agent_id, eve)('UserPromptSubmit', { prompt: 'go on' }))
      await run(backIn(lost), { native_id: eve.session, agent_id })
      expect((await eve.windows()).at(-1)).toMatchObject({ effort_id })
    })
  })

  describe('a live agent', () => {
    const live = async () => {
      const { it, other, agent_id } = await begun()
      const alice = clientIn(world(), it.project)
      await as(agent_id, alice)('SessionStart', { source: 'startup' })
      await as(agent_id, alice)('UserPromptSubmit', { prompt: '/flow another thing' })
      const { effort_id } = await world().call('db.agents.get', { id: agent_id })
      expect(effort_id).toBe((await alice.windows()).at(-1).effort_id)
      return { alice, other, agent_id, effort_id: Number(effort_id) }
    }

    test('is released by no other session, and by the user or itself', async () => {
      const { alice, other, agent_id, effort_id } = await live()
      const refused = await failure(release({ agent_id, native_id: other.session }))
      expect(refused).toMatchObject({ code: 'conflict', hint: `holdfast agent release ${agent_id} --take` })
      expect(refused.message).toContain(`Effort ${effort_id} belongs to session`)
      expect(refused.message).toContain(alice.session)
      for (const who of [{ native_id: alice.session }, {}, { native_id: other.session, take: true }]) {
        expect(await release({ agent_id, ...who })).toMatchObject({ effort: null })
        await claim({ agent_id, effort_id })
        expect((await alice.windows()).at(-1)).toMatchObject({ effort_id, ended_at: null })
      }
    })

    test('keeps its effort when a second session starts in its name, which learns who has it and how to take it', async () => {
      const { alice, agent_id, effort_id } = await live()
      const before = (await alice.windows()).at(-1)
      const second = clientIn(world(), alice.project)
      const told = await as(agent_id, second)('SessionStart', { source: 'startup' })
      expect((await alice.windows()).at(-1)).toMatchObject({ id: before.id, effort_id, ended_at: null })
      expect((await second.windows()).at(-1)).toMatchObject({ agent_id: null })
      expect(await second.spans()).toEqual([])
      const line = `Agent ${agent_id} works on effort ${effort_id} of flow in session ${before.id} (claude-code ${alice.session}`
      expect(contextOf(told).toLowerCase()).toContain(line.toLowerCase())
      expect(told.reply.systemMessage).toContain(`holdfast session continue ${effort_id} --take`)
      expect(contextOf(told)).not.toContain('when the last session ended')
      const [, take = ''] = /To take it over.*: (holdfast .*)$/m.exec(contextOf(told)) ?? []
      expect(take).toBe(`holdfast session continue ${effort_id} --take --agent ${agent_id}`)
      // The shell of the second session is refused as any other.
      const lent = { native_id: second.session, agent_id }
      expect(await failure(world().call('step.enter', { effort_id, step: 'look', ...lent }))).toMatchObject({
        code: 'conflict',
      })
      // Its user may say the same words in a terminal.
      await run(take, lent)
      expect((await second.windows()).at(-1)).toMatchObject({ effort_id, agent_id })
      const lost = contextOf(await as(agent_id, alice)('UserPromptSubmit', { prompt: 'go on' }))
      expect(lost).toContain(`no longer has effort ${effort_id}`)
      await run(backIn(lost), { native_id: alice.session, agent_id })
      expect((await alice.windows()).at(-1)).toMatchObject({ effort_id })
    })

    test('keeps its session when it is named in another project, and its own session may start anew', async () => {
      const { alice, agent_id, effort_id } = await live()
      const elsewhere = await begunAt(world())
      const far = clientIn(world(), elsewhere.project)
      const told = contextOf(await as(agent_id, far)('SessionStart', { source: 'startup' }))
      expect(told.toLowerCase()).toContain(`agent ${agent_id} works on effort ${effort_id} of flow`)
      expect(told).not.toContain('session continue')
      expect((await alice.windows()).at(-1)).toMatchObject({ effort_id, agent_id, ended_at: null })
      for (const source of ['compact', 'resume']) {
        await as(agent_id, alice)('SessionStart', { source })
        expect((await alice.windows()).at(-1)).toMatchObject({ effort_id, agent_id, ended_at: null })
      }
      await as(agent_id, alice)('SessionEnd', { reason: 'other' })
      const next = clientIn(world(), alice.project)
      await as(agent_id, next)('SessionStart', { source: 'startup' })
      expect((await next.windows()).at(-1)).toMatchObject({ effort_id, agent_id })
    })

    test('that is silent is released by anybody', async () => {
      const { other, agent_id } = await live()
      silence(world())
      expect(await release({ agent_id, native_id: other.session })).toMatchObject({ effort: null })
    })
  })
}
