import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { connectTo } from '../../cli/daemon/connect.ts'
import { findHome, preparePrivateFolders } from '../home.ts'
import { startDaemon } from '../main.ts'
import { jobs } from './index.ts'
import type { Job } from './job.ts'
import { startJobs } from './start-jobs.ts'

/** Runs jobs that need no daemon, and collects their log entries. */
function starting(...list: readonly Job<unknown>[]) {
  const told: (readonly [event: string, job: unknown, message: unknown])[] = []
  const log = {
    write: (_: string, event: string, details: Readonly<Record<string, unknown>> = {}) =>
      void told.push([event, details['job'], details['message']]),
    close: () => undefined,
  }
  const started = startJobs(list, undefined, log)
  onTestFinished(() => started.stop(0))
  return { told, ...started }
}

const job = (run: () => Promise<void> | void, every: number | undefined = 2): Job<unknown> => ({
  name: 'toy',
  summary: '',
  every: () => every,
  begin: () => run,
})

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(2)
}

test('every job of the list has a unique name and a summary', () => {
  expect(new Set(jobs.map(({ name }) => name)).size).toBe(jobs.length)
  for (const { summary } of jobs) expect(summary).toMatch(/^[A-Z].*\.$/)
})

describe('a job', () => {
  test('runs again and again until it is stopped', async () => {
    let runs = 0
    const { stop } = starting(job(() => void runs++))
    await until(() => runs >= 3)
    await stop(60_000)
    const last = runs
    await sleep(20)
    expect(runs).toBe(last)
  })

  test('that this daemon does not need never starts', async () => {
    const begun: string[] = []
    const needed = (name: string, every: number | undefined) => ({
      ...job(() => undefined, every),
      begin: () => {
        begun.push(name)
        return () => undefined
      },
    })
    starting({ ...needed('no', 1), every: () => undefined }, needed('yes', 1))
    expect(begun).toEqual(['yes'])
  })

  test('that takes longer than its interval does not run twice at once', async () => {
    let [underWay, most, runs] = [0, 0, 0]
    const { stop } = starting(
      job(async () => {
        most = Math.max(most, ++underWay)
        await sleep(15)
        underWay--
        runs++
      }, 1),
    )
    await until(() => runs >= 3)
    await stop(60_000)
    expect([most, underWay]).toEqual([1, 0])
  })

  test('that is running delays the stop, but not forever', async () => {
    const work = Promise.withResolvers<void>()
    let [hasBegun, hasStopped] = [false, false]
    const run = () => {
      hasBegun = true
      return work.promise
    }
    const slow = starting(job(run))
    await until(() => hasBegun)
    const stopped = slow.stop(600_000).then(() => void (hasStopped = true))
    await sleep(20)
    expect(hasStopped).toBe(false)
    work.resolve()
    await stopped

    hasBegun = false
    const stuck = starting(
      job(() => {
        hasBegun = true
        return new Promise(() => undefined)
      }),
    )
    await until(() => hasBegun)
    await stuck.stop(10)
  })

  test.each<[string, (message: string) => Promise<void>]>([
    [
      'throws',
      (message) => {
        throw new Error(message)
      },
    ],
    ['rejects', (message) => Promise.reject(new Error(message))],
  ])('that %s is logged once for each kind of failure, and runs again', async (_, fail) => {
    const messages = ['full', 'full', 'locked', 'full', 'locked']
    let runs = 0
    const { told } = starting(job(() => fail(messages[runs++ % messages.length] ?? '')))
    await until(() => runs >= 12)
    expect(told).toEqual([
      ['job failed', 'toy', 'full'],
      ['job failed', 'toy', 'locked'],
    ])
  })

  test('that succeeded in between is logged again', async () => {
    let runs = 0
    const { told } = starting(job(() => (++runs % 3 === 0 ? undefined : Promise.reject(new Error('full')))))
    await until(() => runs >= 8)
    expect(told.length).toBeGreaterThanOrEqual(2)
  })

  test('that fails does not prevent the others from running', async () => {
    let runs = 0
    const { told } = starting(
      job(() => Promise.reject(new Error('no'))),
      job(() => void runs++),
    )
    await until(() => runs >= 3 && told.length > 0)
    expect(told).toEqual([['job failed', 'toy', 'no']])
  })
})

test('a daemon with failing jobs keeps running, logs each failure once, and stops normally', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-jobs-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const home = findHome({ HOME: folder, HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_HTTP: 'off' })
  preparePrivateFolders(home)
  let runs = 0
  const throwing = {
    ...job(() => undefined),
    begin: () => () => {
      runs++
      throw new Error('made to fail')
    },
  }
  const daemon = await startDaemon({ home, jobs: [throwing, ...jobs] })
  const connection = await connectTo(home)
  await until(() => runs >= 10)
  expect(await connection?.call('daemon.ping')).toMatchObject({ pid: process.pid })
  connection?.close()
  daemon?.stop()
  await daemon?.stopped
  const lines = readFileSync(home.log, 'utf8').split('\n')
  expect(lines.filter((line) => line.includes('made to fail'))).toHaveLength(1)
  expect(lines.at(-2)).toContain('"stopped"')
})
