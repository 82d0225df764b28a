import { join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { findHome } from '../../src/daemon/home.ts'
import { logOf } from '../child-daemon.ts'
import { ENTRY, testDaemon, User } from '../holdfast.ts'
import { type Fault, faultRun } from '../torture/iofaults.ts'
import { ended, failing, whyNoStrace } from '../torture/strace.ts'

const log = () => undefined
const missing = whyNoStrace()

const FILE: Fault = { call: 'fsync', error: 'EIO', when: 1, forever: true, onFile: true }

const FAULTS: readonly Fault[] = [
  { call: 'fsync', error: 'EIO', when: 20, forever: false },
  { call: 'fsync', error: 'EIO', when: 20, forever: true },
  { call: 'pwrite64', error: 'ENOSPC', when: 40, forever: false },
  { call: 'pwrite64', error: 'EROFS', when: 40, forever: true },
  { call: 'openat', error: 'EIO', when: 60, forever: true },
  FILE,
  { ...FILE, error: 'EDQUOT' },
]

describe('I/O faults', { timeout: 600_000 }, () => {
  test('are reported, lose nothing that was acknowledged, and end', async ({ skip }) => {
    skip(missing !== undefined, missing)
    const report = await faultRun({ faults: FAULTS, daemon: ENTRY, log })
    expect(report.violations).toEqual([])
    expect(report.injected).toBeGreaterThanOrEqual(FAULTS.length - 1)
    expect(Object.keys(report.errors).toSorted()).toEqual(['storage-full', 'unavailable'])
  })

  // After a failed sync the kernel may drop what it did not write, and report success the next time.
  test('of one sync of the database let nothing be acknowledged until another daemon has checked it', async ({
    skip,
  }) => {
    skip(missing !== undefined, missing)
    await using user = new User()
    await user.json(['project', 'upsert', '.'])
    await user.run(['daemon', 'stop'])
    const home = findHome(user.env)
    const started = {
      words: [process.execPath, ENTRY, 'daemon', 'run'],
      env: user.env,
      trace: join(user.folder, 'trace'),
    }
    const child = failing(started, 'fsync:error=EIO:when=10', `${home.database}-wal`)
    const connection = await vi.waitFor(
      async () => (await connectTo(home)) ?? Promise.reject(new Error('No daemon yet.')),
      { timeout: 60_000 },
    )
    const made: boolean[] = []
    const isMade = (id: number) =>
      connection.call('db.agents.register', { id: `agent-${id}` }).then(
        () => true,
        () => false,
      )
    // Two share one COMMIT if they arrive together: its failure must not become another try for each.
    while (made.length < 40) made.push(...(await Promise.all([isMade(made.length), isMade(made.length + 1)])))
    connection.close()
    const failedAt = made.indexOf(false)
    expect(failedAt).toBeGreaterThan(0)
    expect(made.slice(failedAt)).not.toContain(true)
    expect(await ended(child)).toBe(69)
    const kept = (await user.json<readonly { id: string }[]>(['agent', 'list'])).map(({ id }) => id)
    const acknowledged = Array.from({ length: failedAt }, (_, id) => `agent-${id}`)
    expect(kept).toEqual(expect.arrayContaining(acknowledged))
    expect(logOf(user)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          event: 'files in doubt',
          message: expect.stringContaining('The disk failed'),
        }),
        expect.objectContaining({ event: 'files checked' }),
      ]),
    )
  })

  test('the test detects a daemon that takes a failed sync for done', async ({ skip }) => {
    skip(missing !== undefined, missing)
    const env = { HOLDFAST_PLANTED: 'failed-sync' }
    const daemon = testDaemon('test/torture/careless-daemon.ts')
    const { violations } = await faultRun({ faults: [FILE], daemon, env, log })
    expect(violations.map(({ kind }) => kind)).toContain('lost')
  })
})
