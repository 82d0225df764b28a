import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import { reach } from '../../src/cli/daemon/reach.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { ConnectionLost, type RpcConnection } from '../../src/rpc/connect.ts'
import { ENTRY, User } from '../holdfast.ts'
import { untilFree } from '../torture/free.ts'

vi.setConfig({ testTimeout: 300_000 })

const IDLE = { HOLDFAST_IDLE_SECONDS: '1' }

/** Several times the idle limit of a daemon. */
const LONG_ENOUGH = 2500

async function withSession(user: User) {
  await user.json(['project', 'upsert', '.'])
  await user.json(['task', 'upsert', user.project])
  return await user.json<{ id: number }>(['session', 'start', user.project])
}

test('a daemon without calls stops, and the next call starts another', async () => {
  await using user = new User(IDLE)
  const { pid } = await user.json<DaemonStatus>(['daemon', 'start'])
  await untilFree(findHome(user.env))
  expect(readFileSync(findHome(user.env).log, 'utf8')).toMatch(/"idle".*\n.*"stopping".*\n.*"stopped"/)
  expect((await user.json<DaemonStatus>(['daemon', 'start'])).pid).not.toBe(pid)
})

test('a daemon with an open session stays, and stops after the session has ended', async () => {
  await using user = new User(IDLE)
  const session = await withSession(user)
  const { pid } = await user.json<DaemonStatus>(['rpc', 'daemon.status'])
  await sleep(LONG_ENOUGH)
  expect(await user.json(['rpc', 'daemon.ping'])).toMatchObject({ pid })
  await user.json(['session', 'finish', String(session.id)])
  await untilFree(findHome(user.env))
})

/** A connection that was accepted; one that came too late for an idle daemon sees its end. */
async function listenTo(user: User): Promise<{ listener: RpcConnection; pid: number }> {
  const listener = await reach({ home: findHome(user.env), entry: ENTRY, env: user.env })
  try {
    const { pid } = (await listener.call('daemon.ping')) as { pid: number }
    return { listener, pid }
  } catch (error) {
    if (error instanceof ConnectionLost) return await listenTo(user)
    throw error
  }
}

test('a daemon with a listener stays', async () => {
  await using user = new User(IDLE)
  // It sends no request; the connection alone keeps the daemon.
  const { listener, pid } = await listenTo(user)
  await sleep(LONG_ENOUGH)
  expect(await listener.call('daemon.ping')).toMatchObject({ pid })
  listener.close()
  await untilFree(findHome(user.env))
})

test('without a setting a daemon stays', async () => {
  await using user = new User()
  const { pid } = await user.json<DaemonStatus>(['daemon', 'start'])
  await sleep(LONG_ENOUGH)
  expect(await user.json(['rpc', 'daemon.ping'])).toMatchObject({ pid })
})

test('an invalid setting is an error', async () => {
  await using user = new User()
  const { code, stderr } = await user.run(['daemon', 'start'], { env: { HOLDFAST_IDLE_SECONDS: 'soon' } })
  expect([code, stderr]).toEqual([
    64,
    expect.stringContaining('HOLDFAST_IDLE_SECONDS must be a whole number above 0, not "soon".'),
  ])
})
