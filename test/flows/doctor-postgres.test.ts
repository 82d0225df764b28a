import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { chaosLine } from '../chaos-line.ts'
import { unwrapped } from '../holdfast.ts'
import { createDatabase } from '../postgres.ts'
import { Patient } from '../patient.ts'
import { sharedPostgres } from '../shared.ts'
import { SkewedMachine } from '../skewed-machine.ts'

interface Finding {
  readonly code: string | null
  readonly detail: string
  readonly fix: string | null
}

test('a clock that differs from that of PostgreSQL is reported, with the command that sets it', async () => {
  await using user = new SkewedMachine({
    database: await createDatabase(await sharedPostgres()),
    minutes: -10,
  })
  const { postgres } = await user.json<DaemonStatus>(['daemon', 'start'])
  expect(Math.round((postgres?.clock_ahead_ms ?? 0) / 60_000)).toBe(10)
  const { stdout } = await user.run(['daemon', 'status'])
  expect(unwrapped(stdout)).toContain('is 10 min behind that of PostgreSQL')
  const { findings } = JSON.parse((await user.run(['doctor', '--json'])).stdout) as { findings: Finding[] }
  expect(findings.find(({ code }) => code === 'clock-differs')).toMatchObject({
    detail: expect.stringContaining('10 min behind'),
    fix: expect.stringMatching(/^(timedatectl set-ntp true|sudo sntp .*)$/),
  })
})

test('a PostgreSQL that does not answer is reported by every command, and works again by itself', async () => {
  await using line = await chaosLine(await createDatabase(await sharedPostgres()))
  await using user = new Patient({ HOLDFAST_DATABASE_URL: line.url })
  await user.json(['project', 'upsert', '.'])
  await user.wire()
  line.swallow()
  const first = await user.run(['task', 'list'])
  expect(first.code).toBe(69)
  const away = () => user.json<DaemonStatus>(['daemon', 'status'])
  await vi.waitFor(async () => expect((await away()).postgres?.away_since).not.toBeNull(), {
    timeout: 60_000,
  })
  expect(unwrapped((await user.run(['daemon', 'status'])).stdout)).toContain(', no answer for ')
  const { code, stderr } = await user.run(['status'])
  expect(code).toBe(69)
  expect(unwrapped(stderr)).toContain('PostgreSQL has not answered since')
  expect(unwrapped(stderr)).toContain('try: holdfast doctor')
  // Only the cause, because the fixes of what follows from it would not help.
  const { problems } = await user.doctor()
  expect(problems).toEqual([
    expect.objectContaining({
      code: 'database-unreadable',
      detail: expect.stringContaining('The daemon has had no answer for'),
    }),
  ])
  line.restore()
  await vi.waitFor(() => user.json(['task', 'list']), { timeout: 60_000 })
  expect((await away()).postgres?.away_since).toBeNull()
})

test('a daemon with another database than this shell names is reported, and replaced by the fix', async () => {
  await using user = new Patient({ HOLDFAST_DATABASE_URL: await createDatabase(await sharedPostgres()) })
  const elsewhere = { env: { HOLDFAST_DATABASE_URL: undefined } }
  await user.json(['daemon', 'start'], elsewhere)
  const { codes, found, left } = await user.mend()
  expect({ codes, left }).toEqual({ codes: ['database-other'], left: [] })
  expect(found[0]?.detail).toContain(user.home.folder)
  expect(found[0]?.detail).not.toContain(user.env['HOLDFAST_DATABASE_URL'])
  // The daemon that the fix started is the other one for a shell without the variable.
  const { stdout } = await user.run(['doctor', '--json'], elsewhere)
  expect(JSON.parse(stdout)).toMatchObject({
    findings: expect.arrayContaining([expect.objectContaining({ code: 'database-other' })]),
  })
})

test('a home that is reached through a link is the same database', async () => {
  await using user = new Patient()
  await user.json(['daemon', 'start'])
  symlinkSync(user.folder, join(user.folder, 'link'))
  const { stdout } = await user.run(['doctor', '--json'], {
    env: { HOLDFAST_HOME: join(user.folder, 'link', 'home') },
  })
  expect(stdout).toContain('hooks-none')
  expect(stdout).not.toContain('database-other')
})
