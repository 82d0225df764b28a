import { describe, expect, test } from 'vitest'
import { clientAt, type ClientAt, clientIn, contextOf, silence } from '../hook/client.contract.ts'
import { call } from '../call/call.ts'
import type { Answer, World } from '../world.contract.ts'

/** What a session without any skill hears of its past. */
export function pastContract(world: () => World): void {
  /** A session that has asked, changed, run and failed. */
  const plain = async () => {
    const it = await clientAt(world())
    await it.start()
    await it.prompt('Fix the login page')
    await it.use('Write', { file_path: `${it.project}/src/login.ts`, content: 'x' })
    await it.use('Bash', { command: 'npm test' })
    const lint = { tool_name: 'Bash', tool_input: { command: 'npm run lint' }, tool_use_id: 'failing' }
    await it.fire('PreToolUse', lint)
    await it.fire('PostToolUseFailure', { ...lint, error: 'Exit code 2' })
    await it.use('TodoWrite', {
      todos: [
        { content: 'Write the form', status: 'completed' },
        { content: 'Test the form', status: 'in_progress' },
      ],
    })
    await it.fire('Stop', { last_assistant_message: 'The form works, the lint does not.' })
    await it.prompt('Mend the lint too')
    await it.prompt('/holdfast-status')
    return it
  }
  const FIELDS = {
    asked: ['- Fix the login page', '- Mend the lint too'],
    said: ['- The form works, the lint does not.'],
    run: ['Bash {"command":"npm test"}'],
    failed: ['Bash {"command":"npm run lint"} → failed: Exit code 2'],
    changed: ['- src/login.ts'],
    todos: ['- Test the form (in_progress)', '- Write the form (completed)'],
  }
  const lacking = (text: string) =>
    Object.entries(FIELDS).filter(([, parts]) => parts.some((part) => !text.includes(part)))
  const noticeOf = (answer: Answer): string => answer.reply?.systemMessage ?? ''

  describe('a session without a skill', () => {
    const ROUTES: Readonly<Record<string, (it: ClientAt) => Promise<Answer>>> = {
      async compact(it) {
        await it.fire('PreCompact', { trigger: 'auto' })
        return await it.start('compact')
      },
      async resume(it) {
        await it.fire('SessionEnd', { reason: 'other' })
        return await it.start('resume')
      },
      crash: async (it) => await it.start('resume'),
      async clear(it) {
        await it.fire('SessionEnd', { reason: 'clear' })
        return await clientIn(world(), it.project).start('clear')
      },
    }

    test.each(Object.entries(ROUTES))('gets back what was asked and done, by %s', async (_, route) => {
      const answer = await route(await plain())
      expect(lacking(contextOf(answer))).toEqual([])
      expect(contextOf(answer)).not.toContain('/holdfast-status')
      expect(noticeOf(answer)).toMatch(
        /^Holdfast: told the agent about what was asked and done before, the todo list/,
      )
    })

    test('hears first of calls whose outcome is unknown', async () => {
      const it = await plain()
      const publish = { tool_name: 'Bash', tool_input: { command: 'npm publish' }, tool_use_id: 'lost' }
      await it.fire('PreToolUse', publish)
      const text = contextOf(await it.start('resume'))
      expect(text.indexOf('npm publish')).toBeGreaterThan(0)
      expect(text.indexOf('npm publish')).toBeLessThan(text.indexOf('Fix the login page'))
    })

    test('keeps its todo list by id, as the client changes it', async () => {
      const it = await clientAt(world())
      await it.start()
      await it.prompt('Do it')
      await it.fire('TaskCreated', { task_id: '1', task_subject: 'Draw it' })
      await it.fire('TaskCreated', { task_id: '2', task_subject: 'Paint it' })
      await it.use('TaskUpdate', { taskId: '2', status: 'in_progress' })
      await it.fire('TaskCompleted', { task_id: '1', task_subject: 'Draw it' })
      const text = contextOf(await it.start('resume'))
      expect(text).toContain('- Draw it (completed)\n- Paint it (in_progress)')
    })

    test('hears nothing in its first window, nor of sessions that ended well', async () => {
      const it = await plain()
      await it.fire('SessionEnd', { reason: 'other' })
      expect(contextOf(await clientIn(world(), it.project).start())).toBe('')
    })

    /** A session whose client's process is known, and another start after it, with or without that process. */
    const known = async (client = '4711:1') => {
      const it = await clientAt(world())
      const environment = { salt: 's', path: '/bin', home: '/home', variables: {}, clients: ['4711:1'] }
      const fired = (session_id: string, hook_event_name: string, more: object) => ({
        client: 'claude-code',
        payload: { session_id, cwd: it.project, hook_event_name, ...more },
      })
      const started = (session_id: string) => fired(session_id, 'SessionStart', { source: 'startup' })
      await world().call('hooks.handle', { ...started(it.session), environment })
      const asked = fired(it.session, 'UserPromptSubmit', { prompt: 'Fix the login page' })
      await world().call('hooks.handle', { ...asked, environment: { ...environment, clients: [client] } })
      const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
      const another = async (isRunning: boolean): Promise<Answer> => {
        const machine = { ...world().context.machine, isRunning: () => isRunning }
        const params = started(world().name('native'))
        return (await call({ ...world().context, machine }, 'hooks.handle', params, caller)) as Answer
      }
      return { ...it, another }
    }

    test('hears of one whose client was killed, with the command that resumes it', async () => {
      const it = await known()
      world().advance(60_000)
      const answer = await it.another(false)
      expect(contextOf(answer)).toBe(
        `Holdfast: the last session here stopped without an end (1 min ago):\nThe user asked:\n- Fix the login page\nTo resume it: claude --resume ${it.session}`,
      )
      expect(noticeOf(answer)).toContain(`To resume it: claude --resume ${it.session}.`)
      expect((await it.windows())[0]).toMatchObject({ ended_reason: 'orphaned' })
    })

    test('does not take a process that lasts for one event for the client', async () => {
      const it = await known('4712:1')
      expect(contextOf(await it.another(false))).toBe('')
      expect((await it.windows())[0]).toMatchObject({ ended_at: null })
    })

    test('leaves one alone whose client runs, however long it is silent', async () => {
      const it = await known()
      silence(world())
      expect(contextOf(await it.another(true))).toBe('')
      expect((await it.windows())[0]).toMatchObject({ ended_at: null })
    })
  })
}
