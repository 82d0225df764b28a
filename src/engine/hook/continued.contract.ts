import { describe, expect, test } from 'vitest'
import { STARTED } from '../../rules/told/words.ts'
import type { World } from '../world.contract.ts'
import { clientIn, contextOf, silence } from './client.contract.ts'
import { clientAtLogin, requests } from './request.contract.ts'

/** How a call takes up older work, which its session has heard of. */
export function continuedContract(world: () => World): void {
  describe('--continue after the name of a skill', () => {
    test.each(['', ' EFFORT'])(
      'after a bare call that nothing followed resumes the older effort%s, and leaves no other',
      async (named) => {
        const it = await clientAtLogin(world())
        const [first] = await it.efforts()
        await it.fire('SessionEnd', { reason: 'other' })
        const next = clientIn(world(), it.project)
        await next.start()
        expect(contextOf(await next.prompt('/flow'))).toContain(`holdfast session continue ${first.id}`)
        const text = `/flow --continue${named.replace('EFFORT', String(first.id))}`
        expect(contextOf(await next.prompt(text))).toContain(`${STARTED}: look`)
        expect((await next.windows()).at(-1)?.effort_id).toBe(first.id)
        expect(await requests(it)).toEqual(['a login page active', 'finished'])
      },
    )

    test.each([
      ['at work', 'runs'],
      ['set aside', 'runs'],
      ['at work', 'is unknown'],
      ['set aside', 'is unknown'],
    ])(
      'takes an effort %s from a silent session whose client %s, which learns of it once',
      async (state, process) => {
        const it = await clientAtLogin(world())
        const [first] = await it.efforts()
        const clients = process === 'runs' ? ['4711:1'] : []
        const environment = { salt: 's', path: '/bin', home: '/home', variables: {}, clients }
        const at = { session_id: it.session, cwd: it.project }
        for (const event of [
          { hook_event_name: 'SessionStart', source: 'startup' },
          { hook_event_name: 'UserPromptSubmit', prompt: 'in blue' },
        ])
          await world().call('hooks.handle', {
            client: 'claude-code',
            payload: { ...at, ...event },
            environment,
          })
        if (state === 'set aside') await it.prompt('/flow a logout button')
        silence(world())
        const next = clientIn(world(), it.project)
        await next.start()
        await next.prompt(`/flow --continue ${first.id}`)
        const told = await it.prompt('go on')
        const lost = `this session no longer has effort ${first.id} of flow`
        expect(contextOf(told)).toContain(`${lost}: session `)
        expect(contextOf(told)).toContain(next.session)
        expect(told.reply.systemMessage).toContain(lost)
        // Its context is whole.
        expect(contextOf(told)).not.toContain('The user asked')
        expect(contextOf(await it.prompt('and now'))).toBe('')
        await it.read(it.flow('steps/think.md'))
        expect((await next.read(it.flow('steps/do.md'))).decision).toBe('block')
        const own = (await it.windows()).at(-1)?.effort_id
        expect(own === first.id).toBe(false)
      },
    )

    test('tells what the user said for this effort, not for the others of a session', async () => {
      const it = await clientAtLogin(world())
      const [first] = await it.efforts()
      const later = async (text: string) => {
        world().advance(1000)
        await it.prompt(text)
      }
      await later('in blue')
      await later('/flow a logout button')
      await later('in red')
      await it.use('Bash', { command: 'make red' })
      await later(`/flow --continue ${first.id}`)
      await it.use('Bash', { command: 'make border' })
      await later('with a border')
      await it.fire('SessionEnd', { reason: 'other' })
      const [, second] = await it.efforts()
      const told = async ({ id }: { readonly id: number }) => {
        const next = clientIn(world(), it.project)
        await next.start()
        return contextOf(await next.prompt(`/flow --continue ${id}`))
      }
      const words = `/flow a login page\n  in blue\n  /flow --continue ${first.id}\n  with a border\n`
      const text = await told(first)
      expect(text).toContain(`What the user said:\n  ${words}`)
      expect(text).toContain('make border')
      expect(text).not.toContain('make red')
      const other = await world().call('db.effort.recap', { effort_id: second.id })
      expect(other.text).not.toContain('in blue')
    })

    test('names a command that takes the effort of an agent over', async () => {
      const it = await clientAtLogin(world())
      const [first] = await it.efforts()
      const agent_id = await world().agent()
      await world().call('db.agents.claim', { agent_id, effort_id: first.id })
      const next = clientIn(world(), it.project)
      await next.start()
      const told = contextOf(await next.prompt(`/flow --continue ${first.id}`))
      expect(told).toContain(
        `To take it over, if the user asks: holdfast agent release ${agent_id} --take && holdfast session continue ${first.id} --take`,
      )
      const native_id = next.session
      await world().call('db.agents.release', { agent_id, take: true, native_id })
      const taken = { effort_id: first.id, take: true, native_id }
      expect(await world().call('commands.session.continue', taken)).toMatchObject({ state: 'continued' })
    })
  })
}
