import { describe, expect, test } from 'vitest'
import { begunAt, clientAt, clientIn, reasonOf, skillOf } from './client.contract.ts'
import type { Answer, World } from '../world.contract.ts'

/** The line that the client shows to the user. */
const shown = ({ reply }: Answer): string | undefined => reply?.systemMessage

/** What a person sees of our answers, with the events of a client. */
export function seenContract(world: () => World): void {
  describe('a person sees', () => {
    test('one line for a refused step, with the skill and the reason, as often as it is refused', async () => {
      const it = await begunAt(world())
      const line = 'Holdfast: refused Read for flow: Step "do" needs "idea", which step "think" produces.'
      for (let n = 0; n < 2; n++) {
        const answer = await it.read(it.flow('steps/do.md'))
        expect(shown(answer)).toBe(line)
        expect(reasonOf(answer)).toMatch(/^Holdfast: step "do" needs /)
      }
      expect(shown(await it.read(it.flow('steps/think.md')))).toBeUndefined()
    })

    test('one line for a refused edit, todo list and command', async () => {
      const it = await clientAt(world())
      await it.add('listed', {
        ...skillOf('listed', { one: 'produces: [a]' }),
        'SKILL.md': '---\nname: listed\ndescription: Lists.\nrequired_todos: [Look]\nheartbeat: 2\n---\n',
      })
      await it.start()
      await world().call('db.project.setSessionGate', { path: it.project, on: true })
      const edit = await it.use('Write', { file_path: `${it.project}/a.txt`, content: 'x' })
      expect(shown(edit)).toMatch(/^Holdfast: refused Write: This project requires an effort .* none\.$/)
      await it.prompt('/listed')
      const todos = await it.use('TodoWrite', { todos: [{ content: 'Other', status: 'pending' }] })
      expect(shown(todos)).toBe(
        'Holdfast: refused TodoWrite for listed: The todo list lacks items that skill "listed" requires: Look.',
      )
      for (let n = 0; n < 2; n++) await it.use('Bash', { command: 'ls' })
      expect(shown(await it.use('Bash', { command: 'ls' }))).toMatch(
        /^Holdfast: refused Bash for listed: \d tool calls with no log entry; .* every 2 calls\.$/,
      )
    })

    test.each(['resume', 'compact', 'clear'])('what a recap gave back after %s', async (source) => {
      const it = await begunAt(world())
      if (source !== 'compact') await it.fire('SessionEnd', { reason: 'other' })
      const next = source === 'clear' ? clientIn(world(), it.project) : it
      const [effort] = await it.efforts()
      expect(shown(await next.start(source))).toBe(
        source === 'clear'
          ? `Holdfast: told the agent about what was asked and done before, unfinished efforts. To resume: /flow --continue ${effort?.id} (effort ${effort?.id} of flow).`
          : `Holdfast: gave the agent back effort ${effort?.id} of flow: 0 of 3 steps done, started: look, next: think.`,
      )
    })

    test('one line if a client returns with a call that is refused', async () => {
      const it = await begunAt(world())
      await it.fire('SessionEnd', { reason: 'other' })
      const line = shown(await it.read(it.flow('steps/do.md')))
      expect(line).toMatch(/^Holdfast: gave the agent back effort \d+ of flow: .* Refused Read for flow: /)
      expect(line).not.toContain('\n')
    })

    test('which effort --continue goes on with, once for each prompt', async () => {
      const it = await begunAt(world())
      await it.fire('SessionEnd', { reason: 'other' })
      const next = clientIn(world(), it.project)
      await next.start()
      const [effort] = await it.efforts()
      const line = `Holdfast: goes on with effort ${effort?.id} of flow, 0 of 3 steps done, started: look`
      const expansion = { expansion_type: 'slash_command', command_name: 'flow', command_args: '--continue' }
      for (let times = 0; times < 2; times++) {
        const prompt = '/flow --continue'
        expect(shown(await next.prompt(prompt))).toContain(line)
        expect(shown(await next.fire('UserPromptExpansion', { ...expansion, prompt }))).toBeUndefined()
      }
    })

    test('nothing of a start with nothing to tell, of an allowed call, or of a skill call', async () => {
      const it = await clientAt(world())
      expect(shown(await it.start())).toBeUndefined()
      expect(shown(await it.prompt('/flow'))).toBeUndefined()
      expect(shown(await it.read(it.flow('steps/look.md')))).toBeUndefined()
    })

    test('nothing in a project that only observes', async () => {
      const it = await begunAt(world())
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      expect(shown(await it.read(it.flow('steps/do.md')))).toBeUndefined()
      expect(shown(await it.start('compact'))).toBeUndefined()
    })
  })
}
