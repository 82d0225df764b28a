import { raceRun } from '../race.ts'
import { form } from './form.ts'

export const race = form({
  name: 'race',
  summary: 'many commands at once that each would start the daemon',
  options: { rounds: 100, callers: 20 },
  async run(given) {
    const { violations, ...counts } = await raceRun(given)
    return { violations, counts }
  },
})
