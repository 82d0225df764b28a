import type { Clock } from './clock.ts'

/** Makes ids that sort by creation: milliseconds, a counter and a random part. */
export function idMaker(clock: Clock, random: () => number = Math.random): () => string {
  let last = 0
  let count = 0
  return () => {
    const now = Math.max(clock.now(), last)
    count = now === last ? count + 1 : 0
    last = now
    const time = now.toString(36).padStart(9, '0')
    const chance = Math.floor(random() * 36 ** 8).toString(36)
    return `${time}${count.toString(36).padStart(4, '0')}${chance.padStart(8, '0')}`
  }
}
