import { describe, expect, test } from 'vitest'
import { clientAt, skillOf } from './client.contract.ts'
import type { World } from '../world.contract.ts'

/** The stages that planning goes through, as its skills are called. */
export function stageContract(world: () => World): void {
  describe('a planning skill that is called', () => {
    const begun = async () => {
      const it = await clientAt(world())
      for (const name of ['plan', 'critique'])
        await it.add(name, skillOf(name, { one: 'consumes: [user-request]' }))
      await it.add('ponder', {
        ...skillOf('ponder', { one: 'consumes: [user-request]' }),
        'SKILL.md': '---\nname: ponder\ndescription: Ponders.\nstage: pondering\n---\n\nDo it.\n',
      })
      await it.start()
      const stages = async () =>
        (
          await it.rows(
            `select skill, payload from life_event where event_type = 'stage.entered' and window_id = ${(await it.windows())[0]?.id} order by seq`,
          )
        ).map(({ skill, payload }) => [skill, JSON.parse(payload).stage, JSON.parse(payload).about])
      const call = (skill: string, args = '') => it.use('Skill', { skill, args })
      return { ...it, stages, call }
    }

    test('enters its stage each time it becomes active, and the ledger and the status show it', async () => {
      const it = await begun()
      await it.call('plan', 'login quickly')
      await it.call('plan', 'login quickly')
      await it.call('flow')
      await it.call('ponder')
      await it.call('plan', 'login')
      expect(await it.stages()).toEqual([
        ['plan', 'plan', 'login'],
        ['ponder', 'pondering', undefined],
        ['plan', 'plan', 'login'],
      ])
      const { efforts } = await world().call('db.project.status', { path: it.project })
      expect(
        efforts.map(({ skill, stage }: Record<string, string | null>) => `${skill}: ${stage}`).toSorted(),
      ).toEqual(['flow: null', 'plan: plan', 'ponder: pondering'])
      expect(JSON.parse((await it.efforts()).find(({ skill }) => skill === 'plan')?.metadata)).toMatchObject({
        stage: 'plan',
      })
    })

    test('by a prompt enters its stage too, and by a sub-agent does not', async () => {
      const it = await begun()
      await it.use('Skill', { skill: 'plan' }, { agent_id: 'sub', agent_type: 'helper' })
      await it.prompt('/critique login')
      await it.fire('UserPromptExpansion', { command_name: 'critique', command_args: 'login', prompt: 'x' })
      expect(await it.stages()).toEqual([['critique', 'critique', 'login']])
    })

    test('by an expanded prompt enters its stage even if the prompt itself was not reported', async () => {
      const it = await begun()
      await it.fire('UserPromptExpansion', { command_name: 'critique', command_args: 'login', prompt: 'x' })
      expect(await it.stages()).toEqual([['critique', 'critique', 'login']])
    })
  })
}
