import { expect, test, vi } from 'vitest'
import { DatabaseSync } from 'node:sqlite'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { PruneResult } from '../../src/engine/call/context.ts'
import { User } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'

vi.setConfig({ testTimeout: 300_000 })

/** A user whose only session has made tool calls and ended so many days ago; its daemon is stopped. */
async function ended(user: User, daysAgo: number): Promise<void> {
  await user.wire()
  const client = new HookedClient(user, 'one', { patient: true })
  await client.fire('SessionStart', { source: 'startup' })
  await client.fire('UserPromptSubmit', { prompt: 'Look around' })
  for (let call = 0; call < 5; call++) await client.use('Bash', { command: `ls ${call}` })
  await client.fire('SessionEnd', { reason: 'other' })
  expect(await user.json(['prune', '--dry-run'])).toMatchObject({ messages: 0, days: 30, pruned: false })
  await stopDaemon(findHome(user.env))
  using db = new DatabaseSync(findHome(user.env).database)
  const at = new Date(Date.now() - daysAgo * 24 * 3600 * 1000).toISOString()
  db.prepare(`update sessions set ended_at = ? where native_id = 'one'`).run(at)
  // Together more than a megabyte.
  db.exec(`update messages set content = hex(zeroblob(200000)) where role = 'tool'`)
}

/** The number of tool messages. */
const toolMessages = async (user: User) =>
  (await user.json<{ n: number }[]>(['query', `select count(*) as n from messages where role = 'tool'`]))[0]
    ?.n

test('prune tells what would go, deletes it only with a yes, and keeps the words of people', async () => {
  await using user = new User()
  await ended(user, 400)
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

test('a session that ended less than a month ago is pruned only if the database is too large', async () => {
  await using user = new User()
  await ended(user, 10)
  const before = await toolMessages(user)
  expect(before).toBeGreaterThan(0)
  const prunable = async (megabytes: number) => {
    await stopDaemon(findHome(user.env))
    const env = { HOLDFAST_KEEP_MEGABYTES: String(megabytes) }
    const { stdout } = await user.run(['--json', 'prune', '--dry-run'], { env })
    return JSON.parse(stdout) as PruneResult
  }
  expect(await prunable(1000)).toMatchObject({ messages: 0, days: 30 })
  expect(await prunable(1)).toMatchObject({ messages: before, days: 7 })
  expect(await user.json(['prune', '--yes'])).toMatchObject({ messages: before, days: 7 })
  expect(await toolMessages(user)).toBe(0)
})

test('a session that ended less than a week ago is never pruned', async () => {
  await using user = new User({ HOLDFAST_KEEP_MEGABYTES: '1' })
  await ended(user, 6)
  expect(await user.json(['prune', '--dry-run'])).toMatchObject({ messages: 0, days: 7 })
})
