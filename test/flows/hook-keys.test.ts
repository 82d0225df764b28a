import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { unwrapped, User } from '../holdfast.ts'
import { CLIENT, command, end, http, keyOf, running } from '../hook-routes.ts'

/** The status with which the daemon answers a hook with this token. */
async function statusOf(port: number, token: string): Promise<number> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` }
  const url = `http://127.0.0.1:${port}/hook/${CLIENT}`
  return (await fetch(url, { method: 'POST', headers, body: '{}' })).status
}

/** What the daemon answers to a head that waits for an invitation. */
async function invitedBy(port: number, token: string): Promise<string | undefined> {
  const socket = createConnection(port, '127.0.0.1').setEncoding('latin1')
  socket.write(
    [
      `POST /hook/${CLIENT} HTTP/1.1`,
      `Host: 127.0.0.1:${port}`,
      `Authorization: Bearer ${token}`,
      'Content-Type: application/json',
      'Content-Length: 2',
      'Expect: 100-continue\r\n\r\n',
    ].join('\r\n'),
  )
  const [answer] = (await once(socket, 'data')) as [string]
  socket.destroy()
  return /^HTTP\/1.1 100 (.*)\r\n\r\n$/.exec(answer)?.[1]
}

describe('the keys', () => {
  test('are private, in a private folder', async () => {
    await using user = new User()
    const { child } = await running(user)
    const { folder, hookKey, fullKey } = findHome(user.env)
    const modeOf = (path: string) => statSync(path).mode & 0o777
    expect([folder, hookKey, fullKey].map(modeOf)).toEqual([0o700, 0o600, 0o600])
    expect(readFileSync(hookKey, 'utf8')).not.toContain(
      (JSON.parse(readFileSync(fullKey, 'utf8')) as { token: string }).token,
    )
    await end(child, 'SIGTERM')
  })

  test('are new at each start and on request, while the port stays', async () => {
    await using user = new User()
    const first = await running(user)
    const key = keyOf(user)
    await end(first.child, 'SIGKILL')
    const { child } = await running(user)
    const next = keyOf(user)
    expect(next.port).toBe(key.port)
    for (const one of ['token', 'countersign'] as const) expect(next[one]).not.toBe(key[one])
    const result = await user.run(['daemon', 'rotate-token'])
    const { port, token } = keyOf(user)
    expect(port).toBe(key.port)
    expect(token).not.toBe(next.token)
    expect(result.code).toBe(0)
    expect(result.stdout).not.toContain(token)
    const ask = (bearer: string) => statusOf(port, bearer)
    expect([await ask(key.token), await ask(next.token), await ask(token)]).toEqual([401, 401, 200])
    await end(child, 'SIGTERM')
  })

  test('of an older version stay valid for the settings that hold them, and get no countersign', async () => {
    await using user = new User()
    const { folder, hookKey } = findHome(user.env)
    mkdirSync(folder, { mode: 0o700 })
    const old = { port: 23_456, token: 'x'.repeat(43) }
    writeFileSync(hookKey, `${JSON.stringify(old)}\n`, { mode: 0o600 })
    for (let start = 1; start <= 2; start++) {
      const { child } = await running(user)
      const { port, token, countersign } = keyOf(user)
      expect([await statusOf(port, old.token), await statusOf(port, token)]).toEqual([200, 200])
      expect(await invitedBy(port, token)).toBe(countersign)
      expect(await invitedBy(port, old.token)).toBe('Continue')
      await end(child, 'SIGKILL')
    }
    const { child } = await running(user)
    await user.run(['daemon', 'rotate-token'])
    expect(await statusOf(keyOf(user).port, old.token)).toBe(401)
    await end(child, 'SIGTERM')
  })

  test('give access to everything with the full token, like the socket, and only to hooks with the other', async () => {
    await using user = new User()
    const { child } = await running(user)
    const { fullKey } = findHome(user.env)
    const full = JSON.parse(readFileSync(fullKey, 'utf8')) as { port: number; token: string }
    const ask = (token: string) =>
      fetch(`http://localhost:${full.port}/rpc`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
        body: '{"jsonrpc":"2.0","id":1,"method":"daemon.ping"}',
      })
    expect(await (await ask(full.token)).json()).toMatchObject({ result: { pong: true, pid: child.pid } })
    expect((await ask(keyOf(user).token)).status).toBe(401)
    await end(child, 'SIGTERM')
  })

  test.each<[string, (user: User) => void]>([
    ['damaged', (user) => writeFileSync(findHome(user.env).hookKey, '{"port":1')],
    ['without a token', (user) => writeFileSync(findHome(user.env).hookKey, '{"port":23456,"token":""}')],
    ['gone', (user) => rmSync(findHome(user.env).hookKey)],
  ])('are replaced if they are %s', async (_, harm) => {
    await using user = new User()
    const first = await running(user)
    const key = keyOf(user)
    await end(first.child, 'SIGTERM')
    harm(user)
    const { child } = await running(user)
    expect(keyOf(user).token).toMatch(/^[\w-]{43}$/)
    expect(keyOf(user).token).not.toBe(key.token)
    expect((await http(user, '{}')).code).toBe(0)
    await end(child, 'SIGTERM')
  })

  test('are not used if others could have read them, and the daemon reports it', async () => {
    await using user = new User()
    const first = await running(user)
    await end(first.child, 'SIGTERM')
    const { hookKey } = findHome(user.env)
    chmodSync(hookKey, 0o644)
    const { child, http: status } = await running(user)
    expect(status).toEqual({
      listening: false,
      port: null,
      problem: `${hookKey} is accessible to other users.`,
      lost_port: null,
    })
    expect((await command(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
    await end(child, 'SIGTERM')
  })
})

test('a daemon whose port another program has takes a new port and new tokens, and says so', async () => {
  await using user = new User()
  const first = await running(user)
  const key = keyOf(user)
  await end(first.child, 'SIGTERM')
  const stranger = createServer().listen(key.port, '127.0.0.1')
  await once(stranger, 'listening')
  const { child, http: status } = await running(user)
  const { port, token } = keyOf(user)
  expect(port).not.toBe(key.port)
  expect(token).not.toBe(key.token)
  expect(status).toEqual({ listening: true, port, problem: null, lost_port: key.port })
  expect((await command(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
  expect((await http(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
  const said = `Another program had port ${key.port}, so the daemon took port ${port} and new tokens.`
  expect(unwrapped((await user.run(['daemon', 'status'])).stdout)).toContain(`${said} Next: holdfast doctor`)
  expect(unwrapped((await user.run(['doctor'])).stdout)).toContain(said)
  expect((await user.run(['logs'])).stdout).toContain(`port=${key.port}`)
  await end(child, 'SIGTERM')
  stranger.close()
})

describe('HTTP is unavailable', () => {
  test('because its keys cannot be written: no caller is admitted', async () => {
    await using user = new User()
    const { folder, hookKey } = findHome(user.env)
    for (const path of [folder, hookKey]) mkdirSync(path, { mode: 0o700 })
    const { child, http: status } = await running(user)
    expect(status).toMatchObject({
      listening: false,
      problem: expect.stringContaining('hook.json') as string,
    })
    await expect(fetch(`http://127.0.0.1:${status.port}/rpc`)).rejects.toThrow('fetch failed')
    expect((await command(user, '{"decide":{"a":1}}')).stdout).toContain('"a":1')
    await end(child, 'SIGTERM')
  })

  test('until the daemon is up: a change of tokens waits for it', async () => {
    await using user = new User()
    expect(await user.run(['daemon', 'rotate-token'])).toMatchObject({ code: 0, stderr: '' })
    expect(keyOf(user).port).toBeGreaterThan(0)
  })

  test('because the user turned it off', async () => {
    await using user = new User({ HOLDFAST_HTTP: 'off' })
    const { child, http: status } = await running(user)
    expect(status).toEqual({ listening: false, port: null, problem: 'HTTP is off.', lost_port: null })
    expect((await user.run(['daemon', 'rotate-token'])).code).toBe(69)
    // The daemon of tests writes no launcher.
    await user.run(['daemon', 'start'])
    expect((await user.run(['doctor'])).code).toBe(0)
    await end(child, 'SIGTERM')
  })
})
