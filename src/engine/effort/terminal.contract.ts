import { describe, expect, test } from 'vitest'
import { begunAt, type ClientAt, clientAt, clientIn, contextOf, silence } from '../hook/client.contract.ts'
import { type Answer, failure, type World } from '../world.contract.ts'

const SHELL = { tool_name: 'Bash', tool_input: { command: 'ls' } }

/** What the user took in a terminal stays the user's. */
export function terminalContract(world: () => World): void {
  const go = (params: object): Promise<Answer> => world().call('commands.session.continue', params)
  const taken = async () => {
    const it = await begunAt(world())
    const [{ id }] = await it.efforts()
    const other = clientIn(world(), it.project)
    await other.start()
    const { session } = await go({ effort_id: id, take: true })
    return { it, other, effort_id: Number(id), terminal: Number(session.id) }
  }
  const CHANGES = [
    ['step.enter', { step: 'think' }],
    ['step.leave', { step: 'look' }],
    ['db.effort.finish', {}],
    ['artifact.put', { name: 'x' }],
    ['commands.log.append', { text: 'x' }],
    ['db.effort.dehydrate', { payload: { summary: 'x' } }],
  ] as const

  describe('an effort that the user took in a terminal', () => {
    test('is refused to every client, also to the one that had it, however long the terminal is quiet', async () => {
      const { it, other, effort_id, terminal } = await taken()
      await it.prompt('go on')
      const agent_id = await world().agent()
      for (const wait of [() => undefined, () => silence(world())]) {
        wait()
        for (const who of [{ native_id: it.session }, { native_id: other.session }, { agent_id }])
          for (const [method, more] of CHANGES) {
            const refused = await failure(world().call(method, { effort_id, ...who, ...more }))
            expect(refused).toMatchObject({
              code: 'conflict',
              hint: `holdfast session continue ${effort_id} --take`,
            })
            expect(refused.message).toContain(
              `Effort ${effort_id} belongs to session ${terminal} (a terminal`,
            )
            expect(refused.message).not.toContain('free in')
          }
        expect(await failure(go({ effort_id, native_id: other.session }))).toMatchObject({
          code: 'conflict',
          hint: `holdfast session continue ${effort_id} --take`,
        })
      }
      expect(await world().call('step.show', { effort_id })).toMatchObject({ current: ['look'] })
    })

    test('is not what a bare command of the loser means, nor work that others hear of as free', async () => {
      const { it, other, effort_id } = await taken()
      await it.prompt('go on')
      silence(world())
      for (const { session: native_id } of [it, other])
        expect(
          await failure(world().call('commands.effort.meant', { native_id, cwd: it.project })),
        ).toMatchObject({ code: 'conflict', message: expect.stringContaining('Others have') })
      const third = clientIn(world(), it.project)
      expect(contextOf(await third.start())).not.toContain(`session continue ${effort_id}`)
      expect(await failure(go({ cwd: it.project, native_id: third.session }))).toMatchObject({
        code: 'conflict',
      })
    })

    test('is free for the user, and for clients once the terminal ends it or gives it away', async () => {
      const { it, other, effort_id, terminal } = await taken()
      expect(await world().call('step.enter', { effort_id, step: 'look' })).toMatchObject({ entered: false })
      await go({ effort_id, take: true, native_id: other.session, client: 'claude-code' })
      await world().call('commands.log.append', { effort_id, text: 'x', native_id: other.session })
      expect(await world().session(terminal)).toMatchObject({ ended_reason: 'continued' })
      const again = await go({ effort_id, take: true })
      await world().call('db.session.finish', { session_id: again.session.id })
      await world().call('commands.log.append', { effort_id, text: 'x', native_id: it.session })
    })

    test.each([
      ['prompt', (it: ClientAt) => it.prompt('go on')],
      ['tool call', (it: ClientAt) => it.fire('PreToolUse', SHELL)],
      ['compaction', (it: ClientAt) => it.start('compact')],
    ] as const)('while it was set aside is told to its session at its next %s, once', async (_, next) => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('/flow one thing')
      await it.prompt('/flow something else')
      const [aside, now] = await it.efforts()
      const { session } = await go({ effort_id: aside.id, take: true })
      const told = contextOf(await next(it))
      expect(told).toContain(
        `session no longer has effort ${aside.id} of flow: session ${session.id} (a terminal`,
      )
      expect((await it.windows()).at(-1)).toMatchObject({
        effort_id: now.id,
        ended_at: null,
        lost_efforts: null,
      })
      expect(contextOf(await it.prompt('and now'))).not.toContain('no longer has')
      // A start right after another one counts as the same.
      world().advance(3000)
      expect(contextOf(await it.start('compact'))).not.toContain('no longer has')
      const [, back = ''] = /To get it back.*: holdfast session continue (.*)$/m.exec(told) ?? []
      expect(back).toBe(`${aside.id} --take`)
      const returned = await go({
        effort_id: aside.id,
        take: true,
        native_id: it.session,
        client: 'claude-code',
      })
      expect(returned).toMatchObject({ state: 'continued', id: aside.id })
    })
  })
}
