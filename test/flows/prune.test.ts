import { expect, test, vi } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { PruneResult } from '../../src/engine/call/context.ts'
import { User } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'

vi.setConfig({ testTimeout: 300_000 })

/** The number of tool messages. */
const toolMessages = async (user: User) =>
  (await user.json<{ n: number }[]>(['query', `select count(*) as n from messages where role = 'tool'`]))[0]
    ?.n

test('prune tells what would go, deletes it only with a yes, and keeps the words of people', async () => {
  await using user = new User()
  await user.wire()
  const client = new HookedClient(user, 'one', { patient: true })
  await client.fire('SessionStart', { source: 'startup' })
  await client.fire('UserPromptSubmit', { prompt: 'Look around' })
  for (let call = 0; call < 5; call++) await client.use('Bash', { command: `ls ${call}` })
  await client.fire('SessionEnd', { reason: 'other' })
  expect(await user.json(['prune', '--dry-run'])).toMatchObject({ messages: 0, days: 30, pruned: false })
  await stopDaemon(findHome(user.env))
  // As if it had ended long ago.
  new DatabaseSync(findHome(user.env).database).exec(
    `update sessions set ended_at = '2020-01-01T00:00:00.000Z' where native_id = 'one'`,
  )
  const before = await toolMessages(user)
  const { code, stdout } = await user.run(['--json', 'prune'])
  expect({ code, told: JSON.parse(stdout) as unknown }).toEqual({
    code: 1,
    told: expect.objectContaining({
      messages: before,
      sessions: 1,
      pruned: false,
      next: 'holdfast prune --yes',
    }),
  })
  expect(await user.json<PruneResult>(['prune', '--dry-run'])).toMatchObject({ messages: before })
  expect(await toolMessages(user)).toBe(before)
  const pruned = await user.json<PruneResult>(['prune', '--yes'])
  expect(pruned).toMatchObject({ messages: before, sessions: 1, pruned: true })
  expect(pruned.bytes).toBeGreaterThan(0)
  expect(await toolMessages(user)).toBe(0)
  expect(await user.json(['query', `select role from messages`])).not.toEqual([])
  expect(await user.run(['prune', '--yes'])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Nothing/),
  })
})
