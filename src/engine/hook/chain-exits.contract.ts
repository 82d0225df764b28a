import { describe, expect, test } from 'vitest'
import type { Answer, World } from '../world.contract.ts'
import { type ClientAt, clientAt, skillOf } from './client.contract.ts'

/** What the default exits of a skill promise that runs in no chain. */
export function chainExitsContract(world: () => World): void {
  const step = skillOf('kind', { do: 'consumes: [user-request]\nproduces: [out]' })
  const chains = (it: ClientAt): Promise<Answer> =>
    world().call('continuation.list', { cwd: it.project, ended: true })

  /** A cooperative skill of one step, with exits of which one is not installed, and what may call it. */
  async function kindAt(): Promise<ClientAt> {
    const it = await clientAt(world())
    const exits = 'continuation: {cooperative: true, default-exit: ["/fix all", "/gone"]}\n'
    await it.add('kind', { ...step, 'holdfast.yaml': exits })
    for (const name of ['design', 'fix'])
      await it.add(name, skillOf(name, { do: 'consumes: [user-request]\nproduces: [out]' }))
    await it.start()
    return it
  }
  const readStep = (it: ClientAt) => it.read(`${it.project}/.claude/skills/kind/steps/do.md`)

  describe('a default exit', () => {
    test('begins a chain behind a skill that was called alone', async () => {
      const it = await kindAt()
      await it.prompt('/kind y')
      const [{ id }] = await it.efforts()
      await readStep(it)
      const ended = await world().call('db.effort.finish', { effort_id: id })
      expect(ended.next).toEqual(['call the Skill tool with skill "fix" and args "all"'])
      const [{ frames }] = await chains(it)
      expect(frames.map(({ skill, args, status }: Answer) => [skill, args, status])).toEqual([
        ['kind', 'y', 'completed'],
        ['fix', 'all', 'waiting'],
      ])
      const { reply } = await it.fire('Stop', { stop_hook_active: false, background_tasks: [] })
      expect(reply.reason).toContain('skill "fix" and args "all"')
    })

    test('follows the last skill of a chain that ends with its turn, in the same turn', async () => {
      const it = await kindAt()
      const exits = 'continuation: {cooperative: true, default-exit: ["/gone", "/fix all"]}\n'
      await it.add('hand', { ...skillOf('hand'), 'holdfast.yaml': exits })
      await it.prompt('/design x and /hand')
      await it.read(`${it.project}/.claude/skills/design/steps/do.md`)
      await it.use('Skill', { skill: 'hand' })
      const stop = () => it.fire('Stop', { stop_hook_active: true, background_tasks: [] })
      const { reply } = await stop()
      expect(reply).toMatchObject({
        decision: 'block',
        reason: expect.stringMatching(
          /\/hand is done\. Chain \d+ goes on: call the Skill tool with skill "fix" and args "all"/,
        ),
      })
      // An agent that asks the user something may wait for the answer.
      expect((await stop()).reply ?? {}).not.toMatchObject({ decision: 'block' })
      await it.use('Skill', { skill: 'fix', args: 'all' })
      const [{ frames }] = await chains(it)
      expect(frames.map(({ skill, status }: Answer) => [skill, status])).toEqual([
        ['design', 'completed'],
        ['hand', 'completed'],
        ['fix', 'running'],
      ])
    })

    test('does not follow a skill that was given up, or that another skill called', async () => {
      const it = await kindAt()
      await it.prompt('/kind y')
      const [{ id }] = await it.efforts()
      await world().call('db.effort.finish', { effort_id: id, abandon: 'no' })
      await it.prompt('/design x')
      await it.use('Skill', { skill: 'kind', args: 'z' })
      const called = (await it.efforts()).at(-1)
      expect(called.skill).toBe('kind')
      await readStep(it)
      await world().call('db.effort.finish', { effort_id: called.id })
      expect(await chains(it)).toEqual([])
    })
  })
}
