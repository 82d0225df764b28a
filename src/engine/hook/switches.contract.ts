import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../model/config.ts'
import { call } from '../call/call.ts'
import { type ClientAt, clientAt, contextOf } from './client.contract.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

/** Everything that is said without being asked can be switched off. */
export function switchesContract(world: () => World): void {
  /** The same client, with settings in the config file of its project. */
  const firing = ({ session, project }: ClientAt, config: Config) => {
    const context = { ...world().context, config: () => config }
    const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
    return async (event: string, more: object = {}): Promise<Answer> => {
      const payload = { session_id: session, cwd: project, hook_event_name: event, ...more }
      return (await call(context, 'hooks.handle', { client: 'claude-code', payload }, caller)) as Answer
    }
  }

  const scene = async () => {
    const it = await clientAt(world())
    await writeFiles(
      { 'src/ARCHITECTURE.md': '# How it is built\n', 'INVARIANTS.md': '# Rules\n' },
      it.project,
    )
    await it.start()
    await it.prompt('Fix it')
    await world().call('queue.add', { path: it.project, content: 'The port is fixed' })
    return it
  }
  type Fire = ReturnType<typeof firing>
  const read = (fire: Fire, it: ClientAt) =>
    fire('PreToolUse', {
      tool_name: 'Read',
      tool_input: { file_path: join(it.project, 'src/a.ts') },
      tool_use_id: 'r',
    })

  const WAYS: Readonly<Record<string, (fire: Fire, it: ClientAt) => Promise<Answer>>> = {
    recap: (fire) => fire('SessionStart', { source: 'resume' }),
    directives: read,
    modes: (fire) => fire('UserPromptSubmit', { prompt: 'Check it #ver' }),
    async shortcuts(fire, it) {
      await writeFiles({ 'session.md': '# Session\n' }, it.project)
      return await fire('UserPromptSubmit', { prompt: 's' })
    },
    async memory(fire, it) {
      const doc = { source_type: 'doc', source_path: 'login.md', chunk_text: 'The login page.' }
      await world().call('search.upsert', { ...doc, path: it.project })
      const input = { skill: 'plain', args: 'the login page' }
      return await fire('PreToolUse', { tool_name: 'Skill', tool_input: input, tool_use_id: 's' })
    },
    queue_reminder: (fire) => fire('UserPromptSubmit', { prompt: '/plain' }),
    async context_warnings(fire, it) {
      const [window] = await it.windows()
      await world().call('db.session.updateContextUsage', { session_id: window.id, usage: 0.9 })
      return await fire('UserPromptSubmit', { prompt: 'go on' })
    },
  }

  describe('what is put into a prompt', () => {
    test.each(Object.entries(WAYS))('can be switched off: %s', async (setting, say) => {
      const [on, off] = [await scene(), await scene()]
      expect(contextOf(await say(firing(on, {}), on))).toMatch(/^Holdfast: |^Directive for /)
      expect(await say(firing(off, { [setting]: 'off' }), off)).toMatchObject({ decision: 'allow' })
      expect(contextOf(await say(firing(off, { [setting]: 'off' }), off))).toBe('')
    })

    test('is nothing at the level observe', async () => {
      for (const say of Object.values(WAYS)) {
        const it = await scene()
        await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
        const answer = await say(firing(it, {}), it)
        expect([contextOf(answer), answer.reply?.systemMessage]).toEqual(['', undefined])
      }
    })

    test('comes again after the level observe, because it was not said', async () => {
      const it = await scene()
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      expect(contextOf(await read(firing(it, {}), it))).toBe('')
      await world().call('db.project.setLevel', { path: it.project, level: 'enforce' })
      expect(contextOf(await read(firing(it, {}), it))).toContain('How it is built')
    })

    test('leaves out the standards of the project where directives are off', async () => {
      const it = await scene()
      const start = (config: Config) => firing(it, config)('SessionStart', { source: 'compact' })
      expect(contextOf(await start({ directives: 'off' }))).not.toContain('# Rules')
      expect(contextOf(await start({}))).toContain('# Rules')
    })

    test('keeps TODO notes out of the queue where they are not captured', async () => {
      const it = await scene()
      const kept = async (config: Config) => {
        await it.fire('Stop', { last_assistant_message: `TODO: mend ${world().name('it')}` })
        await firing(it, config)('PreCompact', { trigger: 'auto' })
        const items: readonly Answer[] = await world().call('queue.list', { path: it.project })
        return items.length
      }
      const before = await kept({ todo_capture: 'off' })
      expect(await kept({})).toBeGreaterThan(before)
    })
  })
}
