import { expect, test } from 'vitest'
import { ENTRY, testDaemon } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { sharedPostgres } from '../shared.ts'
import { appendsRun } from '../torture/appends.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)

const run = async (daemon: string) =>
  await appendsRun({
    appends: 160,
    callers: 16,
    seed: SEED,
    daemon,
    url: await createDatabase(await sharedPostgres()),
    log: () => undefined,
  })

// INV_ONE_EFFECT
test(
  `two daemons with one disk write each text once, whole and where they say, through kills and pauses (seed ${SEED})`,
  { timeout: 600_000 },
  async () => {
    const report = await run(ENTRY)
    expect(report.violations).toEqual([])
    expect(report.acknowledged).toBe(160)
    expect(report.kills + report.pauses + report.cuts).toBeGreaterThan(0)
  },
)

test('the test detects daemons that write without a lease', { timeout: 600_000 }, async () => {
  const report = await run(testDaemon('test/torture/naive-daemon.ts'))
  const kinds = report.violations.map(({ kind }) => kind)
  expect(kinds.filter((kind) => kind === 'duplicate' || kind === 'changed')).not.toEqual([])
})
