import { describe, expect, test } from 'vitest'
import { faultsOf } from '../../../test/answer-faults.ts'
import type { World } from '../world.contract.ts'
import { CHANGES, READS } from './call-samples.contract.ts'

/** What programs read must have our names and real types, whatever method it comes from. */
export function typedAnswersContract(world: () => World): void {
  describe('the answer of every method', () => {
    test('has snake_case names and typed values', async () => {
      const faults: string[] = []
      for (const [name, sample] of Object.entries({ ...READS, ...CHANGES })) {
        const gone = new AbortController()
        const answer = await world().call(name, await sample(world()), { gone: gone.signal })
        gone.abort()
        // A hook answer uses the names of its client.
        if (!name.startsWith('hooks.'))
          faults.push(...faultsOf(JSON.parse(JSON.stringify(answer ?? null)), name))
      }
      expect(faults).toEqual([])
    })
  })
}
