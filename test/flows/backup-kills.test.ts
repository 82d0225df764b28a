import { expect, test } from 'vitest'
import { backupsRun } from '../torture/backups.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
/** `npm run torture -- backups` kills hundreds. */
const KILLS = 6

const log = () => undefined

test.each(['backup', 'restore'] as const)(
  `${KILLS} kills in the middle of a %s leave whole databases, and nothing is lost (seed ${SEED})`,
  { timeout: 600_000 },
  async (work) => {
    const report = await backupsRun({ kills: KILLS, seed: SEED, work, log })
    expect(report.violations).toEqual([])
    expect(report.kills).toBe(KILLS)
    expect(report.checked).toBeGreaterThanOrEqual(2 * KILLS)
  },
)

test.each([
  ['a backup that is written under its final name', 'naive-backup'],
  ['a restore that leaves the log of the old database', 'naive-restore'],
] as const)('the test detects %s', { timeout: 600_000 }, async (_, work) => {
  // The first fault ends it, which can take long on a busy machine.
  const report = await backupsRun({ kills: 300, seed: SEED, work, log })
  expect(report.violations).not.toEqual([])
})
