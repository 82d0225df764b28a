import { DatabaseSync } from 'node:sqlite'
import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test, vi } from 'vitest'
import { findHome } from '../../src/daemon/home.ts'
import { logLine } from '../../src/daemon/log.ts'
import { ENTRY, User } from '../holdfast.ts'
import { Patient } from '../patient.ts'

vi.setConfig({ testTimeout: 300_000 })

interface Line {
  readonly level: string
  readonly event: string
}

test('logs prints the log of the daemon from a level on, even after it stopped', async () => {
  await using user = new User()
  expect((await user.run(['logs'])).stdout).toContain('No line matches in')
  await user.json(['daemon', 'start'])
  await user.json(['daemon', 'stop'])
  appendFileSync(
    findHome(user.env).log,
    logLine('warn', 'something odd', { message: 'not\u001b[31m so red' }),
  )
  const lines = await user.json<readonly Line[]>(['logs'])
  expect(lines.map(({ event }) => event)).toEqual(['listening', 'stopping', 'stopped', 'something odd'])
  expect(await user.json(['logs', '--lines', '1'])).toEqual([
    expect.objectContaining({ event: 'something odd' }),
  ])
  expect(await user.json(['logs', '-n', '1'])).toHaveLength(1)
  for (const count of ['-3', '1.5', 'all'])
    expect(await user.run(['logs', '--lines', count])).toMatchObject({ code: 64, stdout: '' })
  expect(await user.json<readonly Line[]>(['logs', '--level', 'warn'])).toHaveLength(1)
  const { stdout } = await user.run(['logs', '--level', 'warn'])
  expect(stdout).toMatch(
    /^ +\d+ (?:s|min) ago {2}warn {3}something odd {2}message=not \[31m so red {2}pid \d+\n$/,
  )
  const { code, stderr } = await user.run(['logs', '--level', 'loud'])
  expect([code, stderr]).toEqual([
    64,
    expect.stringContaining('Unknown level "loud"; choose one of debug, info,'),
  ])
  expect(stderr).toContain('try: holdfast logs --level warn\n')
  expect(await user.json(['daemon', 'status'])).toMatchObject({ running: false })
})

test('logs follows from one daemon to the next', async () => {
  await using user = new User()
  const child = spawn(process.execPath, [ENTRY, 'logs', '-f', '--json'], { env: user.env })
  onTestFinished(() => void child.kill())
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => (JSON.parse(String((await lines.next()).value)) as Line).event
  for (let round = 0; round < 2; round++) {
    await user.json(['daemon', 'start'])
    expect(await next()).toBe('listening')
    await user.json(['daemon', 'stop'])
    expect([await next(), await next()]).toEqual(['stopping', 'stopped'])
  }
})

test('the log says why no daemon starts, and doctor leads to it', async () => {
  await using user = new Patient()
  await user.run(['daemon', 'start'])
  await user.run(['daemon', 'stop'])
  const db = new DatabaseSync(user.home.database)
  // Its tables have what the last migration would add.
  db.exec('delete from migrations where version = (select max(version) from migrations)')
  db.close()
  const { problems } = await user.doctor()
  expect(problems.find(({ code }) => code === 'daemon-unreachable')).toMatchObject({ fix: 'holdfast logs' })
  expect(problems.filter(({ fix }) => fix === 'holdfast doctor')).toEqual([])
  expect((await user.run(['logs'])).stdout).toContain('start failed')
})
