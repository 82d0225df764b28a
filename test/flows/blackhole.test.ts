import { expect, test } from 'vitest'
import { ENTRY, testDaemon } from '../holdfast.ts'
import { sharedPostgres } from '../shared.ts'
import { blackholeRun } from '../torture/blackhole.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
const log = () => undefined

// INV_ACK_IS_DURABLE
test(
  `a network that swallows, resets and delays loses no change, and no hook waits for it (seed ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const report = await blackholeRun({
      url: await sharedPostgres(),
      daemon: ENTRY,
      clients: 12,
      seed: SEED,
      isOver: (failures) => failures === 4,
      patienceMilliseconds: 120_000,
      longestMilliseconds: 1500,
      calm: 10,
      log,
    })
    expect(report.violations).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(50)
    expect(report.hooksWhileOpen).toBeGreaterThan(0)
    // The usual hook, because a busy machine delays some.
    expect(report.medianHookWhileOpen).toBeLessThan(300)
  },
)

test('the test detects a daemon that waits without a limit', { timeout: 600_000 }, async () => {
  const report = await blackholeRun({
    url: await sharedPostgres(),
    daemon: testDaemon('test/torture/limitless-daemon.ts'),
    clients: 12,
    seed: SEED,
    isOver: (failures) => failures === 4,
    patienceMilliseconds: 5000,
    longestMilliseconds: 0,
    calm: 10,
    log,
  })
  expect(report.violations).toEqual([expect.stringMatching(/^away: /)])
})
