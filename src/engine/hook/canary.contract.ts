import { describe, expect, test } from 'vitest'
import { clients } from '../../clients/index.ts'
import { CANARY_FILES, CANARY_PROJECT, CANARY_SESSION, CANARY_SKILL } from '../../model/canary.ts'
import type { Answer, World } from '../world.contract.ts'

let count = 0

/** What doctor relies on, on any database. */
export function canaryContract(world: () => World): void {
  const fire = async (more: object): Promise<Answer> => {
    const session_id = `${CANARY_SESSION}${count++}`
    const payload = { session_id, cwd: CANARY_PROJECT, ...more }
    return { session_id, ...(await world().call('hooks.handle', { payload })) }
  }

  describe('a canary session', () => {
    test.each([
      ['Read', { file_path: CANARY_FILES.second }],
      ['Bash', { command: `cat ${CANARY_FILES.second}` }],
    ])(
      'cannot read the second step by %s, like any session, and can read the first',
      async (tool_name, tool_input) => {
        const early = await fire({ hook_event_name: 'PreToolUse', tool_name, tool_input })
        expect(early).toMatchObject({
          decision: 'block',
          reply: { hookSpecificOutput: { permissionDecision: 'deny' } },
        })
        const first = await fire({
          hook_event_name: 'PreToolUse',
          tool_name: 'Read',
          tool_input: { file_path: CANARY_FILES.first },
        })
        expect(first.decision).toBe('allow')
      },
    )

    test.each([
      { hook_event_name: 'SessionStart', source: 'compact' },
      { hook_event_name: 'UserPromptSubmit', prompt: `/${CANARY_SKILL}` },
      { hook_event_name: 'UserPromptExpansion', command_name: CANARY_SKILL, command_args: '' },
    ])('gets the position of its work: $hook_event_name', async (event) => {
      const { reply } = await fire(event)
      expect(reply.hookSpecificOutput.additionalContext).toContain(CANARY_FILES.first)
    })

    test('is refused even at level observe', async () => {
      await world().call('db.project.setLevel', { level: 'observe' })
      const { decision } = await fire({
        hook_event_name: 'PreToolUse',
        tool_name: 'Read',
        tool_input: { file_path: CANARY_FILES.second },
      })
      await world().call('db.project.setLevel', { level: 'enforce' })
      expect(decision).toBe('block')
    })

    test('leaves nothing on disk or in memory, whatever it reports', async () => {
      const { everything, context } = world()
      const before = await everything()
      const events = [...clients.values()].flatMap((client) => [...client.events.keys()])
      for (const hook_event_name of events)
        await fire({
          hook_event_name,
          tool_name: 'Read',
          tool_use_id: 'one',
          tool_input: { file_path: CANARY_FILES.first },
          tool_response: {},
          prompt: `/${CANARY_SKILL}`,
          source: 'compact',
        })
      expect(context.store.volatile.isEmpty()).toBe(true)
      expect(await everything()).toEqual(before)
    })

    test('lists its received events by its id', async () => {
      const { session_id: session } = await fire({ hook_event_name: 'Stop' })
      expect(await world().call('daemon.canary', { session })).toEqual({ events: ['Stop'] })
      expect(await world().call('daemon.canary', { session: `${session}x` })).toEqual({ events: [] })
    })
  })
}
