import { expect, test } from 'vitest'
import { ENTRY, testDaemon } from '../holdfast.ts'
import { crashRun } from '../torture/crash.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
const log = () => undefined

// INV_ACK_IS_DURABLE
test(
  `30 kills under 16 clients lose nothing that was acknowledged (seed ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const report = await crashRun({ kills: 30, clients: 16, hookClients: 4, seed: SEED, daemon: ENTRY, log })
    expect(report.violations).toEqual([])
    expect(report.kills).toBeGreaterThanOrEqual(30)
    expect(report.checks).toBeGreaterThan(30)
    expect(report.acknowledged).toBeGreaterThan(200)
    expect(report.acknowledgedHooks).toBeGreaterThan(50)
    // Every kill has interrupted a call.
    expect(report.lost).toBeGreaterThanOrEqual(30)
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
    const report = await crashRun({ kills: 30, ...by, seed: SEED, daemon, log })
    expect(report.violations.map(({ kind }) => kind)).toContain('lost')
  },
)
