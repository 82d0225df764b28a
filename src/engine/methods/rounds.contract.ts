import { describe, expect, test } from 'vitest'
import type { World } from '../world.contract.ts'
import { effortToProve } from './evidence.contract.ts'

const LOOP = `phases:
  - {label: "1", name: Build, limit: 3, proof: {tests: {command: npm test, covers: [src/**]}}}
  - {label: "2", name: Check, next: {ok: end, again: "1"}}
`

/** What another round of a step promises: nothing of the round before counts. */
export function roundsContract(world: () => World): void {
  describe('another round of a phase', () => {
    const looped = async () => {
      const it = await effortToProve(world(), LOOP)
      const move = (name: string, given: object) => world().call(name, { effort_id: it.id, ...given })
      await move('step.enter', { step: '1' })
      await it.prove()
      await move('step.leave', { step: '1' })
      return { ...it, move }
    }
    const again = (id: number) =>
      `holdfast prove tests --effort ${id} && holdfast step go '2: Check' --effort ${id}`

    test('is told with its proof, by whichever move it begins', async () => {
      const left = await looped()
      expect(await left.move('step.leave', { step: '2', outcome: 'again' })).toMatchObject({
        current: ['1'],
        next: [again(left.id)],
      })
      const entered = await looped()
      expect((await entered.move('step.enter', { step: '1' })).next).toEqual([again(entered.id)])
    })
  })
}
