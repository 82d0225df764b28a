import { describe, expect, test } from 'vitest'
import { begunAt, clientIn, contextOf, repository, silence } from '../hook/client.contract.ts'
import { type Answer, expectUnchanged, failure, type World } from '../world.contract.ts'

const LOST = 'session no longer has effort'

/** Who has an effort: it changes hands only for a caller that says so, and the former session learns of it. */
export function takenOverContract(world: () => World): void {
  const begun = async () => {
    const it = await begunAt(world())
    const [effort] = await it.efforts()
    return { ...it, effort: effort.id as number }
  }
  const go = (params: object): Promise<Answer> => world().call('commands.session.continue', params)
  const shell = (it: { fire: (event: string, more: object) => Promise<Answer> }) =>
    it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } })

  describe('an effort at work', () => {
    test('is only shown to a terminal, with the command of the client first', async () => {
      const it = await begun()
      for (const wait of [() => undefined, () => silence(world())]) {
        wait()
        const before = await world().everything()
        for (const wish of [{ cwd: it.project }, { effort_id: it.effort }]) {
          const shown = await go(wish)
          expect(shown).toMatchObject({
            state: 'shown',
            id: it.effort,
            resume: `claude --resume ${it.session}`,
          })
          expect(shown.session).toBeUndefined()
          expect(shown.held_by).toContain(it.session)
          const [line] = shown.markdown.match(/^Holdfast: shown only, nothing changed.*$/m)
          const commands = [`claude --resume ${it.session}`, `holdfast session continue ${it.effort} --take`]
          const places = commands.map((command) => line.indexOf(command))
          expect(places[0]).toBeGreaterThan(0)
          expect(places[1]).toBeGreaterThan(places[0] ?? 0)
        }
        await expectUnchanged(world(), before)
      }
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
    })

    test('is taken over with take, and the former session learns of it once, with the way back', async () => {
      const it = await begun()
      const taken = await go({ effort_id: it.effort, take: true })
      expect(taken).toMatchObject({ state: 'continued', session: { native_id: null, effort_id: it.effort } })
      const told = await shell(it)
      expect(contextOf(told)).toContain(
        `${LOST} ${it.effort} of flow: session ${taken.session.id} (a terminal`,
      )
      expect(told.reply.systemMessage).toContain(LOST)
      // No sentence follows the command on its line.
      expect(told.reply.systemMessage).toMatch(/session continue \d+ --take$/m)
      const [, back = ''] = /To get it back.*: holdfast (.*)$/m.exec(contextOf(told)) ?? []
      expect(back).toBe(`session continue ${it.effort} --take`)
      expect(contextOf(await shell(it))).toBe('')
      expect(await it.spans()).toEqual(['flow completed look'])
      expect(await it.efforts()).toHaveLength(1)
      await go({ effort_id: it.effort, take: true, native_id: it.session, client: 'claude-code' })
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
    })

    test.each([
      ['prompt', 'work'],
      ['prompt', 'other work'],
      ['tool call', 'work'],
      ['compaction', 'work'],
    ])('that the user gives to a session is told at its next %s, once, after %s', async (at, had) => {
      const it = await begun()
      if (had === 'other work') await it.prompt('/flow something else')
      await go({ effort_id: it.effort, take: true })
      await it.prompt('go on')
      const client = { native_id: it.session, client: 'claude-code' }
      await go({ effort_id: it.effort, take: true, ...client, unheard: true })
      world().advance(3000)
      const next = { prompt: () => it.prompt('and now'), compaction: () => it.start('compact') }[at]
      const told = await (next?.() ?? shell(it))
      expect(contextOf(told)).toMatch(new RegExp(`effort ${it.effort} of flow`, 'u'))
      expect(contextOf(told)).toContain('steps/think.md')
      expect(told.reply.systemMessage).toContain(`effort ${it.effort} of flow`)
      const again = await it.prompt('go on')
      expect([contextOf(again), again.reply?.systemMessage]).toEqual(['', undefined])
      // An agent that asked for it has read the answer.
      await go({ effort_id: it.effort, take: true })
      await it.prompt('go on')
      await go({ effort_id: it.effort, take: true, ...client })
      expect(contextOf(await it.prompt('go on'))).toBe('')
    })

    test('that is abandoned elsewhere is told to its session once, at its next event', async () => {
      const it = await begun()
      await world().call('db.effort.finish', { effort_id: it.effort, abandon: 'not needed', native_id: null })
      const told = await it.prompt('go on')
      expect(contextOf(told)).toContain(`${LOST} ${it.effort} of flow: it was ended elsewhere`)
      expect(told.reply.systemMessage).toContain(LOST)
      const [, again = ''] = /To begin it again.*: holdfast (.*)$/m.exec(contextOf(told)) ?? []
      expect(again).toMatch(/^effort start \S+ flow$/)
      expect(contextOf(await it.prompt('go on'))).toBe('')
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('allow')
    })

    test('that its own session abandons is no news to it', async () => {
      const it = await begun()
      const own = { effort_id: it.effort, abandon: 'not needed', native_id: it.session }
      await world().call('db.effort.finish', own)
      expect(contextOf(await it.prompt('go on'))).not.toContain(LOST)
      expect(await it.windows()).toHaveLength(1)
    })

    test('is taken over by another client after silence, if that client asks for it', async () => {
      const it = await begun()
      const other = clientIn(world(), it.project)
      await other.start()
      const refused = await failure(go({ effort_id: it.effort, native_id: other.session }))
      expect(refused).toMatchObject({
        code: 'conflict',
        hint: `holdfast session continue ${it.effort} --take`,
      })
      silence(world())
      await go({ effort_id: it.effort, native_id: other.session, client: 'claude-code' })
      expect(contextOf(await it.prompt('go on'))).toContain(`${LOST} ${it.effort} of flow`)
      expect((await other.read(it.flow('steps/do.md'))).decision).toBe('block')
      // However silent the other one is then, it keeps what it asked for.
      silence(world())
      expect(contextOf(await it.prompt('and now'))).not.toContain('Started: look')
      await it.fire('SessionEnd', { reason: 'other' })
      await it.start('resume')
      expect(await it.spans()).toEqual(['flow completed look'])
    })

    test('is taken over while it waits for a called skill, and its session learns that too', async () => {
      const it = await begun()
      await it.add('other', {
        'SKILL.md': '---\nname: other\ndescription: x\n---\n',
        'steps/a.md': '---\nproduces: [x]\n---\n',
      })
      await it.prompt('/other')
      const native_id = world().name('native')
      expect(await failure(go({ effort_id: it.effort, native_id }))).toMatchObject({ code: 'conflict' })
      await go({ effort_id: it.effort, native_id, take: true })
      const told = contextOf(await shell(it))
      expect(told).toContain(`${LOST} ${it.effort} of flow`)
      expect(await it.spans()).toEqual(['flow completed look', 'other active'])
    })

    test('that an agent owns is not taken, and its session does not become another one of that agent', async () => {
      const it = await begun()
      const agent_id = await world().agent()
      await it.fire('SessionEnd', { reason: 'other' })
      const owned = await go({ effort_id: it.effort, agent_id })
      const refused = await failure(go({ effort_id: it.effort, take: true }))
      expect(refused).toMatchObject({ code: 'conflict', hint: 'holdfast fleet' })
      expect(contextOf(await it.start('resume'))).toContain(
        `${LOST} ${it.effort} of flow: agent ${agent_id} has it. To get it back, if the user asks: holdfast agent release ${agent_id} --take && holdfast session continue ${it.effort} --take`,
      )
      expect(await world().session(owned.session.id)).toMatchObject({ ended_at: null, agent_id })
      expect((await it.windows()).at(-1)).toMatchObject({ agent_id: null })
    })
  })

  describe('silence', () => {
    test('frees no effort for a call that names its skill, and the call says how to resume it', async () => {
      const { native, start, hook } = await repository(world())
      const first = await start({ native_id: native, client: 'claude-code' })
      silence(world())
      const isOpen = `Open: effort ${first.id} of implement, not started; session ${first.session.id}`
      for (const caller of [{ native_id: world().name('native') }, {}]) {
        const beside = await start(caller)
        expect(beside).toMatchObject({
          resumed: false,
          held: [{ effort_id: first.id, command: `holdfast session continue ${first.id}` }],
        })
        expect(beside.markdown).toContain(isOpen)
        await world().call('db.effort.finish', { effort_id: beside.id, abandon: 'no longer needed' })
      }
      // A new session ends the silent one, and its effort still waits for it.
      await hook('SessionStart', { session_id: world().name('native'), source: 'startup' })
      expect(await world().session(first.session.id)).toMatchObject({ ended_reason: 'orphaned' })
      expect(await start({ native_id: world().name('native') })).toMatchObject({ resumed: false })
      expect(await start({ native_id: native })).toMatchObject({ id: first.id, resumed: true })
    })

    test('leaves a session its own effort when it comes back', async () => {
      const it = await begun()
      silence(world())
      await clientIn(world(), it.project).start()
      expect((await it.read(it.flow('steps/do.md'))).decision).toBe('block')
      expect(await it.efforts()).toHaveLength(1)
    })
  })
}
