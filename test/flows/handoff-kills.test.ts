import { expect, test } from 'vitest'
import { testDaemon } from '../holdfast.ts'
import { handoffKills } from '../torture/handoff-kills.ts'

const daemon = testDaemon('test/torture/file-dying-daemon.ts')
const log = () => undefined

test(
  'a handoff or a new task that is killed with its daemon leaves whole files, and is completed when it is repeated',
  { timeout: 600_000 },
  async () => {
    const commands = ['handoff write', 'todo add'] as const
    // Before, within and after the write of each file; `npm run torture -- handoff` takes every step, and `todo done` and `learn`.
    const report = await handoffKills({ daemon, stride: 4, commands, log })
    expect(report.violations).toEqual([])
    expect(report.kills).toBeGreaterThan(7)
    expect(report.leftovers).toBeGreaterThan(0)
  },
)

test('the test detects a daemon that writes in place', { timeout: 600_000 }, async () => {
  const env = { HOLDFAST_PLANTED: 'in-place' }
  const report = await handoffKills({ daemon, env, stride: 1, commands: ['todo add'], log })
  expect(report.violations[0]).toContain('session.md is neither old nor new')
})
