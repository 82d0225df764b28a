import { form, SEED } from './form.ts'
import { vitest } from './vitest.ts'

export const obedient = form({
  name: 'obedient',
  summary: 'random plans of every notation; the normal tests play a few of each',
  options: { plans: 100, seed: SEED },
  run: ({ plans, seed }) =>
    vitest('test/obedient', { HOLDFAST_RUNS: String(plans), HOLDFAST_SEED: String(seed) }, '--testTimeout=0'),
})
