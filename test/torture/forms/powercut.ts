import { ENTRY } from '../../holdfast.ts'
import { powercutRun } from '../powercut.ts'
import { whyNoStrace } from '../strace.ts'
import { form, SEED } from './form.ts'

const CALLS = 150

export const powercut = form({
  name: 'powercut',
  summary: 'what power cuts would leave of the files of a recorded daemon',
  options: { states: 5000, seed: SEED, daemon: ENTRY },
  async run(given) {
    const missing = whyNoStrace()
    if (missing !== undefined) return { violations: [`Not run: ${missing}.`] }
    const { violations, ...counts } = await powercutRun({ ...given, calls: CALLS })
    return {
      violations: violations.map(({ kind, detail, state }) => `${kind} (${state}): ${detail}`),
      counts,
    }
  },
})
