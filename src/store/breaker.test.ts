import { expect, onTestFinished, test, vi } from 'vitest'
import { Breaker } from './breaker.ts'

/** A breaker of a server that tests make work or fail. */
function around(state = { isThere: true }) {
  const probe = vi.fn<() => Promise<void>>(async () => {
    if (!state.isThere) throw new Error('away')
  })
  const onOpen = vi.fn<() => void>()
  const breaker = new Breaker({ probe, every: 1, now: () => 0, onOpen })
  onTestFinished(() => breaker.stop())
  return { breaker, probe, onOpen, state }
}

const isOpen = ({ openSince }: Breaker) => openSince !== undefined

test('a failed call alone does not open it', async () => {
  const { breaker, probe, onOpen } = around()
  breaker.suspect()
  await vi.waitFor(() => expect(probe).toHaveBeenCalledTimes(1))
  expect(() => breaker.check()).not.toThrow()
  expect(onOpen).not.toHaveBeenCalled()
})

test('a failed probe opens it once, and the first that succeeds closes it', async () => {
  const { breaker, probe, onOpen, state } = around({ isThere: false })
  breaker.suspect()
  await vi.waitFor(() => expect(probe.mock.calls.length).toBeGreaterThan(3))
  expect(() => breaker.check()).toThrow('PostgreSQL has not answered since 1970-01-01T00:00:00.000Z')
  expect(onOpen).toHaveBeenCalledTimes(1)
  state.isThere = true
  await vi.waitFor(() => expect(isOpen(breaker)).toBe(false))
  const { length } = probe.mock.calls
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(probe).toHaveBeenCalledTimes(length)
})

test('many failed calls share one probe', async () => {
  const { breaker, probe } = around()
  for (let times = 0; times < 100; times++) breaker.suspect()
  await vi.waitFor(() => expect(probe).toHaveBeenCalledTimes(1))
})

test('work that must come first is tried until it succeeds, and only then are calls let through', async () => {
  const { breaker, probe } = around()
  let tries = 0
  breaker.openUntil(async () => {
    if (++tries < 3) throw new Error('not yet')
  })
  expect(() => breaker.check()).toThrow('has not answered')
  await vi.waitFor(() => expect(isOpen(breaker)).toBe(false))
  expect([tries, probe.mock.calls.length]).toEqual([3, 0])
})

test('a stopped one probes no more', async () => {
  const { breaker, probe } = around({ isThere: false })
  breaker.suspect()
  await vi.waitFor(() => expect(isOpen(breaker)).toBe(true))
  breaker.stop()
  const { length } = probe.mock.calls
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(probe.mock.calls.length).toBeLessThanOrEqual(length + 1)
})
