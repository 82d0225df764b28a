import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { DROPS } from '../../src/rpc/callers.ts'
import { logOf } from '../child-daemon.ts'
import { canMount, FAILURES, hasPrlimit, NO_MOUNT, NO_PRLIMIT, tinyDisk } from '../failures.ts'
import { ENTRY } from '../holdfast.ts'
import { asOlder } from '../older-hooks.ts'
import { Patient, startOdd } from '../patient.ts'
import { Wire } from '../torture/wire.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Case {
  readonly name: string
  readonly codes: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly begin?: (user: Patient) => unknown
}

const started = (user: Patient) => user.run(['daemon', 'start'])

const CASES: readonly Case[] = [
  {
    name: 'a home that cannot be created',
    env: { HOLDFAST_HOME: '/proc/holdfast' },
    codes: ['home-missing', 'daemon-unreachable', 'socket-missing'],
  },
  {
    name: 'a home that is a link',
    begin(user) {
      mkdirSync(join(user.folder, 'real'), { mode: 0o700 })
      symlinkSync(join(user.folder, 'real'), user.home.folder)
    },
    codes: ['home-foreign', 'daemon-unreachable', 'socket-missing'],
  },
  {
    name: 'a home that others can read',
    begin(user) {
      mkdirSync(user.home.folder)
      chmodSync(user.home.folder, 0o755)
    },
    codes: ['home-open', 'daemon-unreachable', 'socket-missing'],
  },
  {
    name: 'a missing socket of a running daemon',
    async begin(user) {
      await started(user)
      rmSync(user.home.socket)
    },
    codes: ['daemon-lost', 'socket-missing'],
  },
  {
    name: 'a daemon that hangs',
    async begin(user) {
      await started(user)
      await FAILURES['the daemon hangs']?.begin(user)
    },
    codes: ['daemon-stuck'],
  },
  {
    name: 'a file that is not a database',
    begin(user) {
      mkdirSync(user.home.folder, { mode: 0o700 })
      writeFileSync(user.home.database, 'this is no database, but long enough for one'.repeat(20))
    },
    codes: ['daemon-unreachable', 'socket-missing', 'database-unreadable', 'database-damaged'],
  },
  {
    name: 'an older daemon that has not handed over',
    begin: (user) => startOdd(user, 'old'),
    codes: ['daemon-old'],
  },
  {
    name: 'a missing launcher of installed hooks',
    async begin(user) {
      await user.wire()
      rmSync(user.home.launcher)
    },
    codes: ['launcher-broken', 'hook-route'],
  },
  {
    name: 'a launcher whose program is gone',
    async begin(user) {
      await started(user)
      const text = readFileSync(user.home.launcher, 'utf8')
      writeFileSync(user.home.launcher, text.replaceAll(ENTRY, `${ENTRY}.gone`))
    },
    codes: ['launcher-broken'],
  },
  {
    name: 'a launcher of an older version',
    async begin(user) {
      await started(user)
      const about = '# {"version":"0.0.1","node":"/bin/sh","entry":"/bin/sh"}'
      writeFileSync(user.home.launcher, `#!/bin/sh\n${about}\necho 0.0.1\n`)
    },
    codes: ['launcher-broken'],
  },
  {
    name: 'faults in the config files',
    begin(user) {
      mkdirSync(dirname(user.home.config), { recursive: true })
      writeFileSync(user.home.config, '# mine\nlog: loud\nstale: 5\nhttp: on\n')
      mkdirSync(join(user.project, '.holdfast'))
      writeFileSync(join(user.project, '.holdfast', 'config.yaml'), 'tasks: [a\n')
    },
    codes: ['config-faulty', 'config-faulty', 'config-faulty'],
  },
  {
    name: 'problems that are only warnings',
    env: { HOLDFAST_LOG: 'loud' },
    begin: (user) => user.run(['pause', '1h']),
    codes: ['log-level', 'hooks-none', 'hooks-paused'],
  },
  {
    name: 'a socket that others can use',
    async begin(user) {
      await started(user)
      chmodSync(user.home.socket, 0o666)
    },
    codes: ['daemon-unreachable', 'socket-open'],
  },
  {
    name: 'a file in place of the socket',
    begin(user) {
      mkdirSync(user.home.folder, { mode: 0o700 })
      writeFileSync(user.home.socket, '')
      // Another story of this worker may have narrowed its umask.
      chmodSync(user.home.socket, 0o644)
    },
    codes: ['daemon-unreachable', 'socket-blocked'],
  },
  {
    name: 'a folder in place of the socket',
    begin(user) {
      for (const path of [user.home.folder, user.home.socket]) mkdirSync(path, { mode: 0o700 })
    },
    codes: ['daemon-unreachable', 'socket-blocked'],
  },
  {
    name: 'a token that others could read before the daemon started',
    async begin(user) {
      await started(user)
      await user.run(['daemon', 'stop'])
      chmodSync(user.home.hookKey, 0o644)
    },
    codes: ['keys-open'],
  },
  {
    name: 'a folder in place of a token',
    begin(user) {
      for (const path of [user.home.folder, user.home.hookKey]) mkdirSync(path, { mode: 0o700 })
    },
    codes: ['keys-blocked'],
  },
  {
    name: 'a daemon with HTTP turned off',
    begin: (user) => user.run(['daemon', 'start'], { env: { HOLDFAST_HTTP: 'off' } }),
    codes: ['http-closed'],
  },
]

describe('doctor finds and its command fixes:', () => {
  test.each(CASES)('$name', async ({ env = {}, begin, codes }) => {
    await using user = new Patient(env)
    await begin?.(user)
    const mended = await user.mend(codes.includes('hooks-none') ? [] : undefined)
    expect(mended).toMatchObject({ codes, left: [] })
  })

  test('a workflow that nobody trusts, by a command that asks first', async () => {
    await using user = new Patient()
    const folder = join(user.project, '.claude/skills/release')
    await user.run(['skill', 'new', 'release', '--notation', 'workflow'])
    const { problems } = await user.doctor()
    const found = problems.find(({ code }) => code === 'skill-untrusted')
    expect(found).toMatchObject({ level: 'warning', fix: 'holdfast skill trust release' })
    expect(await user.shell(found?.fix ?? '')).toMatchObject({ code: 1 })
    expect((await user.shell(`${found?.fix} --yes`)).stdout).toContain(folder)
    expect((await user.doctor()).problems.map(({ code }) => code)).not.toContain('skill-untrusted')
  })

  test('a pipeline of skills, each of which the client asks about', async () => {
    await using user = new Patient()
    const asks = async () =>
      (await user.doctor()).problems.find(({ code }) => code === 'skills-ask') as { fix: string } | undefined
    await user.run(['skill', 'new', 'line', '--notation', 'steps'])
    await user.wire([])
    expect(await asks()).toBeUndefined()
    writeFileSync(
      join(user.project, '.claude/skills/line/holdfast.yaml'),
      'pipeline: [{id: a, skill: line}]\n',
    )
    const found = await asks()
    expect(found).toMatchObject({ level: 'warning', fix: expect.stringContaining('--allow-skills --yes') })
    await user.shell(found?.fix ?? '')
    expect(await asks()).toBeUndefined()
  })

  test('a daemon that is newer, which does no harm', async () => {
    await using user = new Patient()
    await startOdd(user, 'new')
    const { code, problems } = await user.doctor()
    expect(code).toBe(0)
    expect(problems[0]).toMatchObject({
      code: 'command-old',
      fix: `${user.env['HOLDFAST_HOME']}/bin/holdfast doctor`,
    })
  })

  test('hooks of an older version that call by HTTP while it is off', async () => {
    await using user = new Patient()
    await user.wire()
    await asOlder(user)
    const { code, stdout } = await user.run(['doctor', '--json'], { env: { HOLDFAST_HTTP: 'off' } })
    const { findings } = JSON.parse(stdout) as { findings: readonly { code: string }[] }
    expect(code).toBe(1)
    expect(findings.find((one) => one.code === 'http-off')).toMatchObject({
      fix: 'unset HOLDFAST_HTTP && holdfast daemon stop',
    })
    await user.run(['daemon', 'stop'])
    expect((await user.run(['doctor', '--json'])).stdout).not.toContain('http-off')
  })

  test('too many open files', async ({ skip }) => {
    skip(!hasPrlimit, NO_PRLIMIT)
    await using user = new Patient()
    const { pid, descriptors } = await user.json<DaemonStatus>(['daemon', 'start'])
    const wires = await Promise.all(Array.from({ length: 100 }, () => Wire.open(user.home.socket)))
    // Below the limit at which callers are refused.
    const limit = Math.ceil(((descriptors?.used ?? 0) + wires.length) / 0.84)
    execFileSync('prlimit', ['--pid', String(pid), `--nofile=${limit}:`])
    expect(await user.mend()).toMatchObject({ codes: ['files-many'], left: [] })
    for (const wire of wires) wire[Symbol.dispose]()
  })

  test('callers that keep connections without use', async () => {
    await using user = new Patient()
    await started(user)
    const wires: Wire[] = []
    while ((await user.json<DaemonStatus>(['daemon', 'status'])).dropped === null)
      for (let count = 0; count < 200; count++) wires.push(await Wire.open(user.home.socket))
    expect(logOf(user)).toContainEqual(
      expect.objectContaining({ level: 'warn', event: 'connection dropped', message: DROPS.room }),
    )
    expect(await user.mend()).toMatchObject({ codes: ['connections-dropped'], left: [] })
    for (const wire of wires) wire[Symbol.dispose]()
  })

  test('a home that is not writable', async () => {
    await using user = new Patient()
    const unmount = tinyDisk(user)
    // Root may write everywhere except where no process can.
    const end = canMount
      ? await FAILURES['the home is read-only at its start']?.begin(user)
      : chmodSync(user.home.folder, 0o500)
    try {
      const codes = ['home-read-only', 'daemon-unreachable', 'socket-missing']
      expect(await user.mend()).toMatchObject({ codes, left: [] })
    } finally {
      await end?.()
      unmount()
    }
  })

  test('a read-only home with a database, which is not damaged', async ({ skip }) => {
    skip(!canMount, NO_MOUNT)
    await using user = new Patient()
    const unmount = tinyDisk(user)
    await started(user)
    const end = await FAILURES['the home is read-only at its start']?.begin(user)
    try {
      const codes = ['home-read-only', 'daemon-unreachable', 'socket-missing', 'database-unreadable']
      const mended = await user.mend()
      expect(mended).toMatchObject({ codes, left: [] })
      expect(new Set(mended.found.map(({ fix }) => fix)).size).toBe(1)
      expect((await user.run(['status'])).stderr).toContain('is not writable')
    } finally {
      await end?.()
      unmount()
    }
  })
})

test('every command names the fix of doctor for a damaged database', async () => {
  await using user = new Patient()
  mkdirSync(user.home.folder, { mode: 0o700 })
  writeFileSync(user.home.database, 'this is no database, but long enough for one'.repeat(20))
  const { problems } = await user.doctor()
  const { code, stderr } = await user.run(['status'])
  expect(code).toBe(69)
  expect(stderr).toContain(`try: ${problems.find(({ code: one }) => one === 'database-damaged')?.fix}\n`)
})

test('doctor leaves nothing in the ledger, however often it tests the hooks', async () => {
  await using user = new Patient()
  await user.json(['init', '--yes'])
  expect(await user.doctor()).toEqual({ code: 0, problems: [] })
  const count = `select count(*) as n from life_event union all select count(*) from sessions
    union all select count(*) from projects union all select count(*) from skills`
  expect(await user.json(['query', count])).toEqual([{ n: 0 }, { n: 0 }, { n: 0 }, { n: 0 }])
  expect(execFileSync('ls', [user.project], { encoding: 'utf8' })).toBe('')
})
