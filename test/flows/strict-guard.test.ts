import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { SESSION, windowAt } from '../agent-window.ts'
import { HookedClient } from '../hooked-client.ts'

vi.setConfig({ testTimeout: 300_000 })

test('at strict, every tool is gated with the current token', async () => {
  const { user } = await windowAt('strict')
  await user.wire(['--strict'])
  const client = new HookedClient(user, SESSION, { limit: 60_000 })
  const bash = async (command: string) =>
    await client.fire('PreToolUse', {
      tool_name: 'Bash',
      tool_input: { command },
      tool_use_id: crypto.randomUUID(),
    })
  const early = `cat ${join(user.project, '.claude/skills/deploy/steps/ship.md')}`
  expect((await bash(early)).refusals.join()).toContain('step "build"')
  expect(await bash('ls')).toMatchObject({ refusals: [], failures: [] })
  await user.json(['daemon', 'rotate-token'])
  expect((await bash(early)).refusals.join()).toContain('step "build"')
  expect((await bash('holdfast pause 5m')).refusals.join().toLowerCase()).toContain('only the user')
  expect(await bash('ls')).toMatchObject({ refusals: [], failures: [] })
  const read = { tool_name: 'Read', tool_input: { file_path: '/etc/hosts' }, tool_use_id: 'r1' }
  expect(await client.fire('PreToolUse', read)).toMatchObject({ refusals: [], failures: [] })
  await user.json(['daemon', 'stop'])
  expect((await bash('ls')).refusals.join()).toContain('the daemon does not answer')
  expect((await client.fire('PreToolUse', read)).refusals.join()).toContain('the daemon does not answer')
  expect(await bash('holdfast daemon start')).toMatchObject({ refusals: [] })
})
