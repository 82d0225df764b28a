import { expect, test } from 'vitest'
import { ENTRY, testDaemon } from '../holdfast.ts'
import { crashRun } from '../torture/crash.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
const log = () => undefined

/** `npm run torture -- crash` kills two thousand. */
const KILLS = 6

// INV_ACK_IS_DURABLE
test(
  `${KILLS} kills under 16 clients lose nothing that was acknowledged (seed ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const many = { clients: 16, hookClients: 4 }
    const report = await crashRun({ kills: KILLS, ...many, seed: SEED, daemon: ENTRY, log })
    expect(report.violations).toEqual([])
    expect(report.kills).toBeGreaterThanOrEqual(KILLS)
    expect(report.checks).toBeGreaterThan(KILLS)
    expect(report.acknowledged).toBeGreaterThan(7 * KILLS)
    expect(report.acknowledgedHooks).toBeGreaterThan(KILLS)
    // Every kill has interrupted a call.
    expect(report.lost).toBeGreaterThanOrEqual(KILLS)
  },
)

test.each([
  ['calls', { clients: 16, hookClients: 0 }],
  ['hooks', { clients: 0, hookClients: 16 }],
])(
  'the test detects by %s alone that a daemon answers before it commits',
  { timeout: 600_000 },
  async (_, by) => {
    const daemon = testDaemon('test/torture/faulty-daemon.ts')
    // The first loss ends it, which can take long on a busy machine.
    const report = await crashRun({ kills: 200, ...by, seed: SEED, daemon, log })
    expect(report.violations.map(({ kind }) => kind)).toContain('lost')
  },
)
