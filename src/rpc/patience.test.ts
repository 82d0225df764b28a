import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Patience } from './patience.ts'

test('what lasts too long is told so once, in order, and what ended in time is not', async () => {
  const patience = new Patience(20)
  const late: string[] = []
  const { promise: told, resolve } = Promise.withResolvers<void>()
  const ended = () => void late.push('ended')
  patience.begin(() => void late.push('first'))
  patience.begin(ended)
  await sleep(5)
  patience.begin(() => {
    late.push('second')
    resolve()
  })
  patience.end(ended)
  // The timer of patience keeps no process alive.
  const alive = setInterval(() => undefined, 1000)
  await told
  clearInterval(alive)
  expect(late).toEqual(['first', 'second'])
})

test('nothing is late before its time, although an earlier one was', async () => {
  const patience = new Patience(30)
  const { promise: told, resolve } = Promise.withResolvers<void>()
  const alive = setInterval(() => undefined, 1000)
  patience.begin(() => undefined)
  await sleep(15)
  const begun = performance.now()
  patience.begin(resolve)
  await told
  clearInterval(alive)
  expect(performance.now() - begun).toBeGreaterThanOrEqual(30)
})

test('a second wait begins after the first one has ended', async () => {
  const patience = new Patience(10)
  const alive = setInterval(() => undefined, 1000)
  let late = 0
  for (let count = 0; count < 2; count++)
    await new Promise<void>((resolve) => {
      patience.begin(() => {
        late++
        resolve()
      })
    })
  clearInterval(alive)
  expect(late).toBe(2)
})
