import { describe, expect, test } from 'vitest'
import { failure, type World } from '../world.contract.ts'
import { chainsIn } from './chain.contract.ts'
import { skillOf } from './client.contract.ts'

/** What an agent and its sub-agents can do to a chain that the user asked for. */
export function chainAgentsContract(world: () => World): void {
  const { chainedAt, chains, frames } = chainsIn(world)

  describe('a chain of the user', () => {
    test('calls a skill in the mode that the user gave it, whatever the agent says', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc y, /orchestrate - z and /fix #qlight it')
      for (const [skill, args] of [
        ['plan-adhoc', '- y'],
        ['orchestrate', 'z'],
        ['fix', 'it'],
      ] as const) {
        const [{ skill: last = '' } = {}] = (await it.efforts()).slice(-1)
        await it.read(`${it.project}/.claude/skills/${last}/steps/do.md`)
        await it.use('Skill', { skill, args })
      }
      expect((await it.efforts()).map(({ skill, mode }) => `${skill} ${mode}`)).toEqual([
        'design full',
        'plan-adhoc full',
        'orchestrate quick',
        'fix quick',
      ])
    })

    test('takes what a skill pushes before the rest', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc')
      await world().call('continuation.push', { calls: ['/fix it'], native_id: it.session, cwd: it.project })
      await it.use('Skill', { skill: 'fix', args: 'it' })
      await it.read(`${it.project}/.claude/skills/fix/steps/do.md`)
      await it.read(`${it.project}/.claude/skills/design/steps/do.md`)
      await it.use('Skill', { skill: 'plan-adhoc' })
      expect(await frames(it)).toEqual([
        'design x completed effort',
        'fix it completed nested effort',
        'plan-adhoc running tail effort',
      ])
    })

    test('takes nothing from a sub-agent, whose shell has the same session', async () => {
      const it = await chainedAt()
      await it.prompt('/design x, /plan-adhoc')
      const before = await frames(it)
      const own = { native_id: it.session, cwd: it.project }
      const running = { tool_name: 'Bash', tool_use_id: 'shell', agent_id: 'sub', agent_type: 'Explore' }
      for (const command of ['holdfast chain push /fix', './hidden.sh']) {
        await it.fire('PreToolUse', { ...running, tool_input: { command } })
        for (const work of [
          () => world().call('continuation.push', { ...own, calls: ['/fix'] }),
          () => world().call('continuation.resume', own),
        ])
          expect(await failure(work())).toMatchObject({ code: 'refused', field: 'native_id' })
        await it.fire('PostToolUse', { ...running, tool_input: { command }, tool_response: {} })
      }
      expect(await frames(it)).toEqual(before)
      await world().call('continuation.push', { ...own, calls: ['/fix'] })
      expect(await frames(it)).toHaveLength(3)
    })

    test('stays with the main thread while a sub-agent does the work of its frame', async () => {
      const it = await chainedAt()
      const forks = skillOf('forked', { do: 'consumes: [user-request]' })
      const text = forks['SKILL.md']?.replace('description:', 'context: fork\ndescription:') ?? ''
      await it.add('forked', { ...forks, 'SKILL.md': text })
      await it.prompt('/design x, /forked y and /fix')
      await it.read(`${it.project}/.claude/skills/design/steps/do.md`)
      await it.use('Skill', { skill: 'forked', args: 'y' })
      await it.fire('SubagentStart', { agent_id: 'sub', agent_type: 'general-purpose' })
      expect((await it.efforts()).map(({ skill }) => skill)).toEqual(['design', 'forked'])
      expect(await chains(it)).toMatchObject([{ state: 'running', session_id: it.session }])
    })

    test('is a part of no mention, and of no call by a skill', async () => {
      const it = await chainedAt()
      await it.prompt('/design as in `/plan-adhoc`, see docs/a.md')
      await it.use('Skill', { skill: 'fix', args: 'x, /plan-adhoc and /orchestrate' })
      expect(await chains(it)).toEqual([])
    })
  })
}
