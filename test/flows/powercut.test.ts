import { describe, expect, test } from 'vitest'
import { ENTRY, testDaemon } from '../holdfast.ts'
import { powercutRun } from '../torture/powercut.ts'
import { whyNoStrace } from '../torture/strace.ts'

const SEED = Number(process.env['HOLDFAST_SEED'] ?? Date.now() % 1_000_000)
const log = () => undefined
const missing = whyNoStrace()

describe('power cut', { timeout: 600_000 }, () => {
  // INV_ACK_IS_DURABLE
  test(`at any moment loses nothing that was acknowledged (seed ${SEED})`, async ({ skip }) => {
    skip(missing !== undefined, missing)
    const report = await powercutRun({ states: 120, calls: 60, seed: SEED, daemon: ENTRY, log })
    expect(report.violations).toEqual([])
    expect(report.acknowledged).toBeGreaterThan(120)
  })

  test.for([
    ['syncs no file', 'careless-daemon', 'no-sync'],
    ['syncs no folder', 'careless-daemon', 'no-folder-sync'],
    ['syncs the database only at checkpoints', 'careless-daemon', 'sqlite-normal'],
    ['answers before it commits', 'faulty-daemon', ''],
  ] as const)('the test detects a daemon that %s', async ([, name, planted], { skip }) => {
    skip(missing !== undefined, missing)
    const daemon = testDaemon(`test/torture/${name}.ts`)
    const env = { HOLDFAST_PLANTED: planted }
    const report = await powercutRun({ states: 400, calls: 20, seed: SEED, daemon, env, log })
    expect(report.violations.map(({ kind }) => kind)).toContain('lost')
  })
})
