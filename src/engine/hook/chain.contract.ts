import { describe, expect, test } from 'vitest'
import type { Answer, World } from '../world.contract.ts'
import { type ClientAt, clientAt, contextOf, skillOf } from './client.contract.ts'

/** What chains promise in a session. */
export function chainContract(world: () => World): void {
  /** Skills of one step each, and one without a plan. */
  async function chainedAt(): Promise<ClientAt> {
    const it = await clientAt(world())
    for (const name of ['design', 'plan-adhoc', 'orchestrate', 'fix'])
      await it.add(name, skillOf(name, { do: 'consumes: [user-request]\nproduces: [out]' }))
    await it.start()
    return it
  }
  const chains = (it: ClientAt, more: object = {}): Promise<Answer> =>
    world().call('continuation.list', { cwd: it.project, ended: true, ...more })
  const frames = async (it: ClientAt) =>
    (await chains(it))[0]?.frames.map(({ skill, args, status, call, effort_id }: Answer) =>
      [skill, args, status, call, effort_id === null ? '' : 'effort']
        .filter((part) => part !== '' && part !== null)
        .join(' '),
    )
  const stop = (it: ClientAt, again = false) =>
    it.fire('Stop', { stop_hook_active: again, background_tasks: [] })

  describe('a chain in a session', () => {
    test('gives the first skill its own part, and hands over with a tail call', async () => {
      const it = await chainedAt()
      const told = await it.prompt('/design x, /plan-adhoc and /orchestrate y')
      expect(contextOf(told)).toContain(
        'When /design is done, call the Skill tool with skill "plan-adhoc" and args "".',
      )
      expect(told.reply.systemMessage).toContain('/design → /plan-adhoc → /orchestrate.')
      await it.fire('UserPromptExpansion', {
        command_name: 'design',
        command_args: 'x, /plan-adhoc and /orchestrate y',
        prompt: '/design x, /plan-adhoc and /orchestrate y',
      })
      expect((await it.efforts()).map(({ skill, request }) => [skill, request])).toEqual([['design', 'x']])
      expect(await frames(it)).toEqual([
        'design x running effort',
        'plan-adhoc waiting',
        'orchestrate y waiting',
      ])
      await it.read(it.project + '/.claude/skills/design/steps/do.md')
      const held = await stop(it)
      expect(held.reply).toMatchObject({ decision: 'block' })
      expect(held.reply.reason).toContain('call the Skill tool with skill "plan-adhoc" and args ""')
      expect((await stop(it, true)).reply ?? {}).not.toMatchObject({ decision: 'block' })
      await it.use('Skill', { skill: 'plan-adhoc' })
      expect(await frames(it)).toEqual([
        'design x completed effort',
        'plan-adhoc running tail effort',
        'orchestrate y waiting',
      ])
      expect(await it.spans()).toEqual(['design completed do', 'plan-adhoc active'])
    })
  })
}
