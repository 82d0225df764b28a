import { expect, test } from 'vitest'
import type { Definition } from './definition.ts'
import { inPlugin } from './in-plugin.ts'
import type { Plan, Step } from './plan.ts'

const PARTS = { name: 'kit', skills: new Set(['explore']), agents: new Set(['vet']) }

/** The plan of a skill with these steps, once the skill is read in a plugin. */
function read(...steps: readonly Partial<Step>[]): Plan | undefined {
  const plan = { steps, workflows: { below: { steps } } } as unknown as Plan
  const parsed = { definition: { plan } as Definition, diagnostics: [] }
  return inPlugin(parsed, PARTS).definition.plan
}

const dispatch = (agent?: string) => ({
  dispatch: { count: 1, join: 1, ...(agent !== undefined && { agent }) },
})
const call = (name: string) => ({ runs: { kind: 'skill', name, args: '' } }) as const

test('a skill of a plugin means the agents and skills beside it, in the workflows of sub-agents too', () => {
  const [own, foreign] = [
    [dispatch('vet'), call('explore')],
    [dispatch('Explore'), dispatch(), call('elsewhere')],
  ]
  const wanted = [dispatch('kit:vet'), call('kit:explore'), ...foreign]
  expect(read(...own, ...foreign)).toEqual({ steps: wanted, workflows: { below: { steps: wanted } } })
})

test('a skill without a plan stays as it is', () => {
  const parsed = { definition: { name: 'x' } as Definition, diagnostics: [] }
  expect(inPlugin(parsed, PARTS)).toBe(parsed)
})
