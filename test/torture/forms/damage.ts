import { damageRun } from '../damage.ts'
import { form, SEED } from './form.ts'

export const damage = form({
  name: 'damage',
  summary: 'damages files of running and stopped daemons; every loss must be told',
  options: { files: 1000, seed: SEED },
  async run(given) {
    const { violations, ...counts } = await damageRun(given)
    return { violations, counts }
  },
})
