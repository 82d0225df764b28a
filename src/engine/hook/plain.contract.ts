import { describe, expect, test } from 'vitest'
import { EXAMPLES } from './plain-event.ts'
import { clientAt, type ClientAt } from './client.contract.ts'
import { methods } from '../methods/index.ts'
import type { Answer, World } from '../world.contract.ts'

/** Events that a caller tells by plain fields, without a payload. */
export function plainContract(world: () => World): void {
  const teller = (it: ClientAt) => {
    const session_id = world().name('plain')
    const tell = (method: string, more: object = {}): Promise<Answer> =>
      world().call(`hooks.${method}`, { session_id, ...more })
    const read = (path: string) => ({ tool: 'Read', args: { file_path: it.flow(path) } })
    return { session_id, tell, read, start: () => tell('sessionStart', { cwd: it.project }) }
  }

  describe('an event told by plain fields', () => {
    test('goes through the same rules, and returns decision, injections, session and effort', async () => {
      const it = await clientAt(world())
      const { session_id, tell, read, start } = teller(it)
      expect(await start()).toMatchObject({
        allow: true,
        injections: [],
        session: { native_id: session_id, client: 'claude-code' },
        effort: null,
      })
      const called = await tell('userPrompt', { prompt: '/flow it' })
      expect(called).toMatchObject({ allow: true, effort: { skill: 'flow', lifecycle: 'active' } })
      expect(called.injections).toEqual([expect.stringMatching(/^Holdfast: tracking effort /)])
      const early = await tell('preToolUse', read('steps/do.md'))
      expect(early).toMatchObject({
        block: true,
        reason: expect.stringMatching(/^Holdfast: step "do" needs "idea"/),
        notice: expect.stringMatching(/^Holdfast: refused Read for flow: /),
        injections: [],
        effort: { id: called.effort.id, next: [`read ${it.flow('steps/look.md')}`] },
      })
      expect(early).not.toHaveProperty('allow')
      const seq = await world().lastSeq()
      expect(await tell('preToolUse', read('steps/look.md'))).toMatchObject({ allow: true })
      const done = await tell('postToolUse', { ...read('steps/look.md'), result: { content: 'x' } })
      expect(done).toMatchObject({
        allow: true,
        session: { heartbeat_counter: 2, loaded_files: [it.flow('steps/look.md')] },
      })
      expect(done.effort.next).toEqual([`read ${it.flow('steps/think.md')}`])
      expect(await world().since(seq)).toMatchObject([{ event_type: 'step.visited', phase: 'look' }])
    })

    test('stores the agent and the process of a new session', async () => {
      const it = await clientAt(world())
      const agent_id = await world().agent()
      const { tell } = teller(it)
      expect(await tell('sessionStart', { cwd: it.project, agent_id, pid: 4242 })).toMatchObject({
        session: { agent_id, pid: 4242 },
      })
    })

    test('needs its fields, and the folder of a new session', async () => {
      const it = await clientAt(world())
      const { tell } = teller(it)
      const wrong = (method: string, params: object) => world().call(`hooks.${method}`, params)
      await expect(wrong('preToolUse', {})).rejects.toMatchObject({ code: 'invalid', field: 'session_id' })
      await expect(wrong('preToolUse', { session_id: 's' })).rejects.toMatchObject({ field: 'tool' })
      await expect(wrong('postToolUse', { session_id: 's' })).rejects.toMatchObject({ field: 'tool' })
      await expect(wrong('userPrompt', { session_id: 's' })).rejects.toMatchObject({ field: 'prompt' })
      await expect(wrong('stop', { session_id: 's' })).rejects.toMatchObject({ code: 'invalid' })
      await expect(wrong('userPrompt', { session_id: 's', payload: {} })).rejects.toMatchObject({
        message: 'Pass either payload or session_id, not both.',
      })
      await expect(tell('userPrompt', { prompt: 'hello' })).rejects.toMatchObject({ field: 'cwd' })
    })

    test('looks as the reference shows it', async () => {
      const it = await clientAt(world())
      const shown = methods.flatMap(({ name, examples = [] }) =>
        examples.map((params) => ({ name, params: params as Record<string, unknown> })),
      )
      expect(shown).toHaveLength(Object.keys(EXAMPLES).length)
      const session_id = world().name('shown')
      for (const { name, params } of shown.toSorted(
        (a, b) => Number('cwd' in b.params) - Number('cwd' in a.params),
      ))
        expect(
          await world().call(name, { ...params, session_id, ...('cwd' in params && { cwd: it.project }) }),
        ).toMatchObject({ allow: true, session: { native_id: session_id } })
    })
  })

  test('a method refuses the payload of another event, and names the right method', async () => {
    const it = await clientAt(world())
    const payload = (name: string) => ({ session_id: it.session, cwd: it.project, hook_event_name: name })
    const message = (method: string, name: string) =>
      world()
        .call(`hooks.${method}`, { payload: payload(name) })
        .then(
          () => 'accepted',
          (error: Error) => error.message,
        )
    expect(await message('preToolUse', 'PostToolUse')).toBe(
      'This is a payload of PostToolUse. Call hooks.postToolUse instead.',
    )
    expect(await message('stop', 'SessionStart')).toContain('Call hooks.sessionStart instead.')
    expect(await message('stop', 'CwdChanged')).toContain('Call hooks.handle instead.')
    expect(await message('stop', 'Unheard')).toContain('Call hooks.handle instead.')
    expect(await it.windows()).toEqual([])
    expect(await message('sessionStart', 'SessionStart')).toBe('accepted')
    const summary = { ...payload('SubagentStop'), agent_id: 'a1', agent_type: '' }
    expect(await world().call('hooks.subagentStop', { payload: summary })).toEqual({ decision: 'allow' })
  })
}
