import { describe, expect, test } from 'vitest'
import type { Answer, World } from '../world.contract.ts'
import { clientAt, skillOf } from './client.contract.ts'

const ROUNDS = 25

/** What a hook and a command that move one effort at the same moment promise each other. */
export function stepRaceContract(world: () => World): void {
  describe('a step that a command enters while a hook hears of another one', () => {
    const PARALLEL = skillOf('par', {
      a: 'consumes: [user-request]\nproduces: [xa]',
      b: 'consumes: [user-request]\nproduces: [xb]',
      c: 'consumes: [user-request]\nproduces: [xc]',
    })

    test(`is kept, as the other one is, in ${ROUNDS} rounds`, async () => {
      const it = await clientAt(world())
      const path = await it.add('par', PARALLEL)
      await it.start()
      const lost: string[] = []
      for (let round = 0; round < ROUNDS; round++) {
        await it.prompt(`/par job ${round}`)
        await it.read(path('steps/a.md'))
        const { id: effort_id } = (await it.efforts()).at(-1)
        const read = {
          tool_name: 'Read',
          tool_input: { file_path: path('steps/b.md') },
          tool_use_id: `round-${round}`,
        }
        expect((await it.fire('PreToolUse', read)).decision).toBe('allow')
        const [, entered] = await Promise.all([
          it.fire('PostToolUse', { ...read, tool_response: {} }),
          world().call('step.enter', { effort_id, step: 'c' }),
        ])
        expect(entered.entered).toBe(true)
        const { steps } = await world().call('step.show', { effort_id })
        const never = steps.filter((step: Answer) => step.attempts === 0)
        lost.push(...never.map(({ step }: Answer) => `${step} in round ${round}`))
      }
      expect(lost).toEqual([])
    })
  })
}
