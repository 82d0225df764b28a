import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Deadlines } from './deadlines.ts'

test('what lasts too long is told so once, in order, and what ended in time is not', async () => {
  const deadlines = new Deadlines(20)
  const late: string[] = []
  const { promise: told, resolve } = Promise.withResolvers<void>()
  const ended = () => void late.push('ended')
  deadlines.begin(() => void late.push('first'))
  deadlines.begin(ended)
  await sleep(5)
  deadlines.begin(() => {
    late.push('second')
    resolve()
  })
  deadlines.end(ended)
  // The timer of deadlines keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  await told
  clearInterval(alive)
  expect(late).toEqual(['first', 'second'])
})

test('nothing is late before its time, although an earlier one was', async () => {
  const deadlines = new Deadlines(30)
  const { promise: told, resolve } = Promise.withResolvers<void>()
  const alive = setInterval(() => undefined, 1000)
  deadlines.begin(() => undefined)
  await sleep(15)
  const begun = performance.now()
  deadlines.begin(resolve)
  await told
  clearInterval(alive)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(30)
})

test('a second wait begins after the first one has ended', async () => {
  const deadlines = new Deadlines(10)
  const alive = setInterval(() => undefined, 1000)
  let late = 0
  for (let count = 0; count < 2; count++)
    await new Promise<void>((resolve) => {
      deadlines.begin(() => {
        late++
        resolve()
      })
    })
  clearInterval(alive)
  expect(late).toBe(2)
})
