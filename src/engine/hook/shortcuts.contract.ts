import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../model/config.ts'
import { call as callMethod } from '../call/call.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'
import { clientAt, contextOf, skillOf } from './client.contract.ts'

/** Short prompts are off until a project has a session file, or the config says so. */
export function shortcutsContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    await it.start()
    const say = async (prompt: string, config: Config = {}) => {
      const context = { ...world().context, config: () => config }
      const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
      const payload = { session_id: it.session, cwd: it.project, hook_event_name: 'UserPromptSubmit', prompt }
      return (await callMethod(context, 'hooks.handle', { client: 'claude-code', payload }, caller)) as Answer
    }
    const put = (path: string) => writeFiles({ [path]: '# Session\n' }, it.project)
    return { ...it, say, put }
  }

  describe('a shortcut', () => {
    test('is off in a project without a session file', async () => {
      const it = await begun()
      for (const prompt of ['s', 'x', 'xc', 'r', 'h', 'hc', 'ci', '?', 'd: it', 'p: it']) {
        const answer = await it.say(prompt)
        expect([prompt, contextOf(answer), answer.reply?.systemMessage]).toEqual([prompt, '', undefined])
      }
    })

    test.each(['session.md', 'agents/session.md'])('is on in a project with %s', async (path) => {
      const it = await begun()
      await it.put(path)
      const answer = await it.say('x')
      expect(contextOf(answer)).toContain(`the task that ${path} lists as in progress`)
      expect(answer.reply?.systemMessage).toContain(`the task that ${path} lists as in progress`)
    })

    test('follows the config: on, off, another session file, and shortcuts of the user', async () => {
      const it = await begun()
      expect(contextOf(await it.say('s', { shortcuts: 'on' }))).toContain('holdfast status')
      const wip = { word: 'wip', form: 'alone', name: 'your own', asks: 'Commit it.' } as const
      expect(contextOf(await it.say('wip', { own: { shortcuts: { wip } } }))).toBe(
        'Holdfast: shortcut wip (your own): Commit it.',
      )
      await it.put('notes/now.md')
      expect(contextOf(await it.say('r', { session_file: 'notes/now.md' }))).toContain('notes/now.md')
      await it.put('session.md')
      expect(contextOf(await it.say('s', { session_file: 'none.md' }))).toBe('')
      expect(contextOf(await it.say('s', { shortcuts: 'off' }))).toBe('')
    })

    test('names the work of the session, the queue, and the skills that are there', async () => {
      const it = await begun()
      const on = { shortcuts: 'on' }
      await world().call('queue.add', { path: it.project, content: 'Mend the port' })
      expect(contextOf(await it.say('x', on))).toContain('"Mend the port"')
      await it.add('commit', skillOf('commit'))
      await it.prompt('/flow a page')
      const [effort] = await it.efforts()
      const said = contextOf(await it.say('xc', on))
      expect(said).toContain(`holdfast step --effort ${effort.id}`)
      expect(said).toContain('Call the Skill tool with skill "commit".')
      expect(said).toContain(`holdfast session dehydrate ${effort.id}`)
    })

    test('says nothing at the level observe', async () => {
      const it = await begun()
      await it.put('session.md')
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      const answer = await it.say('s')
      expect([contextOf(answer), answer.reply?.systemMessage]).toEqual(['', undefined])
    })

    test('is read from the workplace, also by the first event of a session', async () => {
      const it = await clientAt(world())
      await writeFiles({ 'session.md': '# Session\n' }, it.project)
      expect(contextOf(await it.fire('UserPromptSubmit', { prompt: 's', cwd: join(it.project) }))).toContain(
        'holdfast handoff',
      )
    })
  })

  describe('the session file', () => {
    const line = 'tasks for this project are in agents/session.md. To see the next one: holdfast handoff'
    const startOf = async (level?: string) => {
      const it = await clientAt(world())
      if (level !== undefined) {
        await world().call('db.project.upsert', { path: it.project })
        await world().call('db.project.setLevel', { path: it.project, level })
      }
      await writeFiles({ 'agents/session.md': '# Session\n' }, it.project)
      return contextOf(await it.fire('SessionStart', { source: 'startup' }))
    }

    test('is told to a new session, and not at the level observe', async () => {
      expect(await startOf()).toContain(line)
      expect(await startOf('observe')).toBe('')
    })
  })
}
