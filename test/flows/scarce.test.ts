import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { findHome } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { canMount, fillDisk, hasPrlimit, NO_MOUNT, NO_PRLIMIT, tinyDisk } from '../failures.ts'
import { User } from '../holdfast.ts'
import { Wire } from '../torture/wire.ts'

vi.setConfig({ testTimeout: 300_000 })

const eventsOf = (user: User) => readFileSync(findHome(user.env).log, 'utf8')

describe('a full disk', () => {
  beforeEach(({ skip }) => skip(!canMount, NO_MOUNT))

  /** A user on a small disk, with the ballast that a daemon creates in its first minute. */
  function onSmallDisk(): User {
    const user = new User()
    const takeAway = tinyDisk(user)
    onTestFinished(async () => {
      await user.run(['daemon', 'stop', '--force'])
      takeAway()
      await user[Symbol.asyncDispose]()
    })
    writeFileSync(findHome(user.env).ballast, Buffer.alloc(8 * 1_048_576), { mode: 0o600 })
    return user
  }

  test('accepts changes as before, because the daemon deletes its ballast and logs it', async () => {
    const user = onSmallDisk()
    await user.json(['project', 'upsert', '.'])
    const free = fillDisk(user)
    for (let count = 0; count < 5; count++)
      await user.json(['task', 'upsert', `t${count}`, '--title', 'x'.repeat(200)])
    expect(await user.json(['task', 'list'])).toHaveLength(5)
    expect(await user.json<DaemonStatus>(['daemon', 'status'])).toMatchObject({
      disk: { has_ballast: false },
    })
    expect(eventsOf(user)).toContain('"disk full"')
    const full = await user.run(['doctor', '--json'])
    expect(full.code).toBe(1)
    expect((JSON.parse(full.stdout) as { findings: object[] }).findings).toContainEqual({
      check: 'disk',
      code: 'disk-full',
      level: 'broken',
      ok: false,
      detail: expect.stringContaining('and the reserve is already used'),
      fix: `du -xh ${user.env['HOLDFAST_HOME']} | sort -h | tail`,
    })
    free()
    expect(await user.json(['task', 'list'])).toHaveLength(5)
  })

  test('is reported as such in an empty home, and no command shows internals', async () => {
    const user = onSmallDisk()
    rmSync(findHome(user.env).ballast)
    const free = fillDisk(user)
    for (const words of [['status'], ['pause', '5m'], ['init', '--yes']]) {
      const { code, stderr } = await user.run(words)
      expect({ code, stderr }).toEqual({
        code: 74,
        stderr: expect.stringMatching(/is full.*\n {2}try: Free/s),
      })
    }
    const { findings } = JSON.parse((await user.run(['doctor', '--json'])).stdout) as {
      findings: readonly { level: string; code?: string; fix?: string }[]
    }
    const broken = findings.filter(({ level }) => level === 'broken')
    expect(broken.map(({ code }) => code)).toEqual(['daemon-unreachable', 'socket-missing', 'disk-full'])
    const fix = `du -xh ${user.env['HOLDFAST_HOME']} | sort -h | tail`
    expect(broken.map((one) => one.fix)).toEqual([fix, fix, fix])
    free()
    expect((await user.run(['pause', '5m'])).code).toBe(0)
  })

  test('leaves room for a pause, because the ballast is deleted for it', async () => {
    const user = onSmallDisk()
    fillDisk(user)
    expect((await user.run(['pause', '5m'])).code).toBe(0)
    expect(eventsOf(user)).toContain('"disk full"')
  })

  test('does not prevent a daemon from starting', async () => {
    const user = onSmallDisk()
    await user.json(['project', 'upsert', '.'])
    await user.json(['daemon', 'stop'])
    fillDisk(user)
    await user.json(['task', 'upsert', 't'])
    expect(eventsOf(user)).toContain('"disk full"')
    expect(await user.json(['task', 'list'])).toHaveLength(1)
  })
})

describe('a daemon with too many open files', () => {
  beforeEach(({ skip }) => skip(!hasPrlimit, NO_PRLIMIT))

  const limit = (pid: number, most: number) =>
    void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${most}:`])

  async function open(user: User, count: number): Promise<Wire[]> {
    const { socket } = findHome(user.env)
    return await Promise.all(Array.from({ length: count }, () => Wire.open(socket)))
  }

  test('reports it to new callers, continues for connected ones, and recovers when some leave', async () => {
    await using user = new User()
    const { pid, descriptors, http } = await user.json<DaemonStatus>(['daemon', 'start'])
    const old = await connectTo(findHome(user.env))
    const used = descriptors?.used ?? 0
    const most = used + 100
    limit(pid, most)
    // A status call makes it count.
    await user.json(['daemon', 'status'])
    // Up to its limit, and a little beyond.
    const wires = await open(user, Math.ceil(most * 0.9) - used + 2)
    onTestFinished(() => wires.forEach((wire) => wire[Symbol.dispose]()))
    const late = await Wire.open(findHome(user.env).socket)
    late.call('daemon.ping', {}, { id: 1 })
    expect(await late.reply()).toMatchObject({
      id: null,
      error: { code: -32005, message: expect.stringMatching(new RegExp(`limit is ${most}`)) },
    })
    expect(await late.closed()).toEqual([])
    const { code, stderr } = await user.run(['task', 'list'])
    expect([code, stderr]).toEqual([69, expect.stringContaining('files and connections open')])
    // A hook is allowed; in a strict project it gets an error.
    const { port, hook } = readKeys(findHome(user.env))
    expect(port).toBe(http.port)
    const post = async (path: string) =>
      (
        await fetch(`http://127.0.0.1:${port}/hook/claude-code${path}`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${hook}`, 'Content-Type': 'application/json' },
          body: '{}',
        })
      ).status
    expect([await post(''), await post('/strict')]).toEqual([200, 503])
    expect(await old?.call('daemon.ping')).toMatchObject({ pid })
    expect(eventsOf(user).match(/"many open files"/g)).toHaveLength(1)
    for (const wire of wires) wire[Symbol.dispose]()
    old?.close()
    while ((await user.run(['task', 'list'])).code !== 0);
  })
})
