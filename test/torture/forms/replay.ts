import { replayedShort } from '../../replay/replay.ts'
import { form, SEED } from './form.ts'
import { vitest } from './vitest.ts'

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
    // On PostgreSQL an event takes ten times as long.
    return await vitest('test/replay/replay-postgres', { HOLDFAST_EVENTS: String(Math.ceil(events / 10)) })
  },
})
