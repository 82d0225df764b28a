import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { User } from '../holdfast.ts'

let user: User
beforeAll(async () => {
  user = new User()
  await user.run(['daemon', 'start'])
})
afterAll(() => user[Symbol.asyncDispose]())

describe('the daemon', () => {
  test('reports its pid, version, socket, database and uptime', async () => {
    expect(await user.json(['daemon', 'status'])).toMatchObject({
      running: true,
      pid: expect.any(Number),
      version: expect.any(String),
      socket: expect.stringContaining(user.folder),
      database: join(user.folder, 'home', 'engine.db'),
      uptime_seconds: expect.any(Number),
    })
  })

  test('can be stopped twice, and starting twice is one daemon', async () => {
    await using other = new User()
    const { pid } = await other.json<{ pid: number }>(['daemon', 'start'])
    expect((await other.json<{ pid: number }>(['daemon', 'start'])).pid).toBe(pid)
    expect(await other.json(['daemon', 'stop'])).toEqual({ stopped: true, pid })
    expect(await other.json(['daemon', 'stop'])).toMatchObject({ stopped: false })
  })

  test('repeats a call that a crash interrupted', async () => {
    await using other = new User()
    const { pid } = await other.json<{ pid: number }>(['daemon', 'start'])
    process.kill(pid, 'SIGKILL')
    expect((await other.json<{ pid: number }>(['rpc', 'daemon.ping'])).pid).not.toBe(pid)
  })
})

describe('doctor', () => {
  test('reports a healthy home as healthy', async () => {
    const { healthy, findings } = await user.json<{
      healthy: boolean
      findings: { check: string; ok: boolean }[]
    }>(['doctor'])
    expect(healthy).toBe(true)
    expect(findings.map(({ check }) => check)).toEqual([
      'node',
      'program',
      'home',
      'daemon',
      'socket',
      'http',
      'settings',
      'hooks',
      'statusline',
      'disk',
      'files',
      'database',
      'integrity',
    ])
  })

  test('prints the command that closes a home that is open to others', async () => {
    await using other = new User()
    mkdirSync(join(other.folder, 'home'))
    chmodSync(join(other.folder, 'home'), 0o755)
    const { code, stdout } = await other.run(['doctor'])
    expect(code).toBe(1)
    expect(stdout).toContain(`fix: chmod go-rwx ${join(other.folder, 'home')}`)
  })

  test('prints what to do about a home that cannot be created, and about everything that depends on it', async () => {
    await using other = new User({ HOLDFAST_HOME: '/proc/holdfast' })
    const { findings } = JSON.parse((await other.run(['doctor', '--json'])).stdout) as {
      findings: { check: string; ok: boolean; fix?: string }[]
    }
    const broken = findings.filter(({ ok }) => !ok)
    expect(broken.map(({ check }) => check).slice(0, 3)).toEqual(['home', 'daemon', 'socket'])
    expect(broken.filter(({ fix }) => fix === undefined)).toEqual([])
  })

  test('finds a database that is not one', async () => {
    await using other = new User()
    mkdirSync(join(other.folder, 'home'), { mode: 0o700 })
    writeFileSync(
      join(other.folder, 'home', 'engine.db'),
      'this is no database, but long enough to be taken for one'.repeat(20),
    )
    const { code, stdout } = await other.run(['doctor'], { width: 200 })
    expect(code).toBe(1)
    expect(stdout).toMatch(/FAIL {2}daemon .*not a database/)
  })
})
