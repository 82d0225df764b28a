import { describe, expect, test } from 'vitest'
import { clientAt, clientIn, silence } from '../hook/client.contract.ts'
import type { Answer, Params, World } from '../world.contract.ts'

/** The list of sessions, as people think of them. */
export function sessionListContract(world: () => World): void {
  const listed = (path: string, more: object = {}) => world().call('db.session.list', { path, ...more })

  describe('a session that is shown', () => {
    const show = (session: string, more: object = {}) => world().call('db.session.show', { session, ...more })

    test('has what was said in all of its windows, oldest first, and no tool call', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('Fix the login page')
      await it.use('Bash', { command: 'ls' })
      await it.fire('Stop', { last_assistant_message: 'Fixed.' })
      await it.start('compact')
      await it.prompt('and the logout')
      const { messages, ...about } = await show(it.session)
      expect(messages.map(({ role, content }: Answer) => `${role}: ${content}`)).toEqual([
        'user: Fix the login page',
        'assistant: Fixed.',
        'user: and the logout',
      ])
      expect(about).toMatchObject({ workplace: it.project, resume: `claude --resume ${it.session}` })
      expect((await show(it.session, { limit: 1 })).messages).toMatchObject([{ content: 'and the logout' }])
    })

    test('must exist, and is no sub-agent', async () => {
      await expect(show('nobody')).rejects.toMatchObject({ code: 'not-found', field: 'session' })
    })
  })

  describe('the list of sessions', () => {
    test('says what each was about, where it stands and how to resume it, newest first', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('Fix the login page')
      await it.use('Write', { file_path: `${it.project}/a.ts`, content: 'x' })
      await it.prompt('and the logout')
      // Our own commands are not what it was about.
      await it.prompt('/holdfast-status')
      await it.start('compact')
      await it.fire('SessionEnd', { reason: 'other' })
      const other = clientIn(world(), it.project)
      await other.start()
      await other.prompt('/flow a page')
      const [effort] = await it.efforts()
      expect(await listed(it.project)).toMatchObject([
        {
          native_id: other.session,
          about: '/flow a page',
          last: null,
          state: 'open',
          effort_id: effort.id,
          skill: 'flow',
        },
        {
          native_id: it.session,
          about: 'Fix the login page',
          last: 'and the logout',
          prompts: 2,
          state: 'ended',
          effort_id: null,
          changed_files: 1,
          workplace: it.project,
          resume: `claude --resume ${it.session}`,
        },
      ])
      expect(await listed(it.project, { limit: 1 })).toHaveLength(1)
    })

    test('is of one project, and knows a silent session', async () => {
      const [it, other] = [await clientAt(world()), await clientAt(world())]
      await it.start()
      await other.start()
      silence(world())
      expect(await listed(it.project)).toMatchObject([
        { native_id: it.session, about: null, state: 'silent' },
      ])
      const all: readonly { native_id: string }[] = await world().call('db.session.list', { limit: 1000 })
      expect(all.map(({ native_id }) => native_id)).toEqual(
        expect.arrayContaining([it.session, other.session]),
      )
    })

    test('leaves out terminals and sub-agents', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.fire('SubagentStart', { agent_id: 'a1', agent_type: 'Explore' })
      await world().call('commands.effort.start', { dir: `${it.project}/tasks/x`, skill: 'flow' })
      expect(await listed(it.project)).toHaveLength(1)
    })
  })
}

/** Calls that read sessions. */
export const SESSION_READS: Readonly<Record<string, (world: World) => Params | Promise<Params>>> = {
  'db.session.show': async (world) => ({ session: await said(world), limit: 1 }),
  'db.session.list': ({ project }) => ({ path: project, limit: 1 }),
  'db.session.find': () => ({ open: true, silent_for_seconds: 5, native_id: 'n', limit: 1 }),
}

/** The client's id of a session in which somebody spoke. */
async function said(world: World): Promise<string> {
  const native_id = world.name('native')
  const { id } = await world.call('db.session.start', { task_id: await world.task(), native_id })
  await world.call('db.messages.append', { session_id: id, role: 'user', content: 'Hello' })
  return native_id
}
