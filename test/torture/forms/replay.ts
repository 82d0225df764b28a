import { replayedShort } from '../../replay/replay.ts'
import { form, SEED } from './form.ts'

export const replay = form({
  name: 'replay',
  summary: 'mixed sessions through the real engine, compared with a simple fold over the same events',
  options: { events: 10_000, seeds: 3, seed: SEED },
  async run({ events, seeds, seed, log }) {
    for (let one = seed; one < seed + seeds; one++) {
      const difference = await replayedShort({ seed: one, events })
      if (difference !== undefined) return { violations: [difference] }
      log(`seed ${one}: ${events} events, no difference`)
    }
    return { violations: [] }
  },
})
