import { describe, expect, test } from 'vitest'
import { clientAt, contextOf, reasonOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'
import { withSubagent } from '../../rules/told/words.ts'

/** A client at work on a skill, with calls of the tool that starts sub-agents. */
export async function delegating(world: World) {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow')
  const visited = async () =>
    Object.keys(
      JSON.parse(
        (await it.rows(`select value from plan_state where effort_id = ${(await it.efforts())[0]?.id}`))[0]
          ?.value ?? '{"progress":{"visits":{}}}',
      ).progress.visits,
    )
  const told = async () =>
    (
      await it.rows(
        `select event_type, phase, payload from life_event where effort_id = '${(await it.efforts())[0]?.id}' and (event_type like '%delegat%' or event_type = 'step.visited') order by seq`,
      )
    ).map(({ event_type: kind, phase, payload }) =>
      kind === 'delegation.ended' ? `${kind} ${JSON.parse(payload).outcome}` : `${kind} ${phase}`,
    )
  const callOf = (id: string, prompt: string) => ({
    tool_name: 'Agent',
    tool_input: { description: 'Do it', prompt, subagent_type: 'reviewer' },
    tool_use_id: id,
  })
  const dispatch = (id: string, prompt: string) => it.fire('PreToolUse', callOf(id, prompt))
  const answer = (id: string, tool_response: object) =>
    it.fire('PostToolUse', { ...callOf(id, 'x.md'), tool_response })
  const inAgent = (agent: string) => ({ agent_id: agent, agent_type: 'reviewer' })
  const stop = (agent: string) =>
    it.fire('SubagentStop', { ...inAgent(agent), stop_hook_active: false, background_tasks: [] })
  return { ...it, visited, told, callOf, dispatch, answer, inAgent, stop }
}

/** Steps delegated to sub-agents, with captured events of the client. */
export function delegationContract(world: () => World): void {
  const begun = () => delegating(world())

  describe('steps that are delegated to a sub-agent', () => {
    test('in the foreground count when it returns, and not before', async () => {
      const it = await begun()
      expect((await it.dispatch('c1', `Read ${it.flow('steps/look.md')} and do it.`)).decision).toBe('allow')
      await it.dispatch('c1', `Read ${it.flow('steps/look.md')} and do it.`)
      const early = await it.read(it.flow('steps/think.md'))
      expect(early.decision).toBe('block')
      expect(reasonOf(early)).toContain(withSubagent(['look']))
      await it.fire('SubagentStart', it.inAgent('a1'))
      // The gate does not apply to the reads of a sub-agent.
      const inside = await it.read(it.flow('steps/do.md'), it.inAgent('a1'))
      expect([inside.decision, inside.reply]).toEqual(['allow', undefined])
      const stopped = await it.stop('a1')
      expect([stopped.decision, stopped.reply]).toEqual(['allow', undefined])
      expect(await it.visited()).toEqual([])
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      expect(await it.visited()).toEqual(['look'])
      expect(await it.told()).toEqual(['step.delegated look', 'step.visited look', 'delegation.ended ok'])
      expect((await it.read(it.flow('steps/think.md'))).decision).toBe('allow')
    })

    test('in the background count when that sub-agent stops, even before its call returns', async () => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.answer('c1', { isAsync: true, status: 'async_launched', agentId: 'a1' })
      await it.stop('other')
      expect(await it.visited()).toEqual([])
      await it.stop('a1')
      expect(await it.visited()).toEqual(['look'])
      await it.dispatch('c2', 'Do flow/steps/think.md, then flow/steps/do.md.')
      await it.stop('a2')
      expect(await it.visited()).toEqual(['look'])
      await it.answer('c2', { isAsync: true, status: 'async_launched', agentId: 'a2' })
      expect((await it.visited()).toSorted()).toEqual(['do', 'look', 'think'])
      await it.stop('a1')
      expect((await it.told()).filter((line) => line.startsWith('delegation'))).toEqual([
        'delegation.ended ok',
        'delegation.ended ok',
      ])
    })

    test('never count if it failed, was killed or never ended', async () => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.fire('PostToolUseFailure', { ...it.callOf('c1', 'x.md'), error: 'It broke.' })
      await it.stop('a1')
      await it.dispatch('c2', 'Do steps/look.md.')
      await it.answer('c2', { status: 'async_launched', agentId: 'a2' })
      await it.fire('StopFailure', { ...it.inAgent('a2'), error: 'rate_limit' })
      await it.stop('a2')
      await it.dispatch('c3', 'Do steps/look.md.')
      await it.answer('c3', { status: 'async_launched', agentId: 'a3' })
      await it.fire('SessionEnd', { reason: 'other' })
      await it.start('resume')
      expect(await it.visited()).toEqual([])
      expect((await it.told()).filter((line) => line.startsWith('delegation'))).toEqual([
        'delegation.ended failed',
        'delegation.ended failed',
        'delegation.ended failed',
      ])
    })

    test.each([
      [
        'ends',
        async (it: Awaited<ReturnType<typeof begun>>) =>
          void (await it.fire('SessionEnd', { reason: 'other' })),
      ],
      ['crashes', async () => undefined],
    ])('are for the main thread again when the client %s and resumes', async (_, end) => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.start('compact')
      expect(reasonOf(await it.read(it.flow('steps/think.md')))).toContain(withSubagent(['look']))
      await end(it)
      await it.start('resume')
      expect(await it.told()).toEqual(['step.delegated look', 'delegation.ended failed'])
      const refused = reasonOf(await it.read(it.flow('steps/think.md')))
      expect(refused).not.toContain(withSubagent(['look']))
      expect(refused).toContain('Next: do step "look"')
      // The sub-agent is gone, so its late end counts for nothing.
      await it.stop('a1')
      await it.answer('c1', { status: 'completed', agentId: 'a1' })
      expect(await it.visited()).toEqual([])
    })

    test('end if the client does not allow the call', async () => {
      const it = await begun()
      await it.dispatch('c1', 'Do steps/look.md.')
      await it.fire('PermissionDenied', { ...it.callOf('c1', 'Do steps/look.md.'), reason: 'Not allowed' })
      await it.stop('a1')
      expect(await it.visited()).toEqual([])
      expect(await it.told()).toEqual(['step.delegated look', 'delegation.ended failed'])
    })

    test('are refused like reads if their inputs are missing', async () => {
      const it = await begun()
      const refused = await it.dispatch('c1', `Follow ${it.flow('steps/do.md')}.`)
      expect([refused.decision, reasonOf(refused)]).toEqual([
        'block',
        expect.stringMatching(/needs "idea", which step "think" produces\. Next: do step "look" \(read/),
      ])
      expect(await it.told()).toEqual([])
      const free = await it.dispatch('c2', 'Review notes.md')
      expect([free.decision, contextOf(free)]).toEqual(['allow', ''])
    })
  })
}
