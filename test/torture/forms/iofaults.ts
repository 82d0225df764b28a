import { ENTRY } from '../../holdfast.ts'
import { faultRun, randomFaults } from '../iofaults.ts'
import { Random } from '../random.ts'
import { whyNoStrace } from '../strace.ts'
import { form, linesOf, SEED } from './form.ts'

export const iofaults = form({
  name: 'iofaults',
  summary: 'system calls of daemons fail, each in its own daemon',
  options: { faults: 200, seed: SEED, daemon: ENTRY },
  async run({ faults, seed, daemon, log }) {
    const missing = whyNoStrace()
    if (missing !== undefined) return { violations: [`Not run: ${missing}.`] }
    const wanted = randomFaults(faults, new Random(seed))
    const { violations, ...counts } = await faultRun({ faults: wanted, daemon, log })
    return { violations: linesOf(violations), counts }
  },
})
