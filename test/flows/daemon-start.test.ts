import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import { claimHome } from '../../src/daemon/lock.ts'
import { windowAt } from '../agent-window.ts'
import { User } from '../holdfast.ts'
import { logOf, running } from '../child-daemon.ts'

describe('a daemon that cannot start', () => {
  type Damage = (database: string, user: User) => Promise<void> | void
  const damages: [string, Damage, number, RegExp, RegExp][] = [
    [
      'because its database is no database',
      (database) => writeFileSync(database, 'no database at all. '.repeat(500)),
      69,
      /engine\.db cannot be used: file is not a database\.\n/,
      /try: holdfast daemon stop; mkdir .*engine\.damaged && mv /,
    ],
    [
      'because its database is of a newer version',
      (database) => change(database, `insert into migrations values (999, '0999_future', '2036-01-01')`),
      78,
      /engine\.db has schema version 999, .* up to \d+; nothing was changed\.\n/,
      /try: Install the newer holdfast again: npx holdfast init, in its clone\./,
    ],
    [
      'because its database is torn',
      (database) => {
        const bytes = readFileSync(database)
        writeFileSync(database, bytes.fill(0xa5, 100, bytes.length))
      },
      69,
      /malformed/,
      /try: /,
    ],
  ]

  test.each(damages)(
    '%s reports it to the caller and does not change the file',
    async (_, damage, code, why, remedy) => {
      await using user = new User()
      await user.json(['project', 'upsert', '.'])
      const home = findHome(user.env)
      await stopDaemon(home)
      await damage(home.database, user)
      const before = readFileSync(home.database)
      const { code: exit, stdout, stderr } = await user.run(['task', 'list'])
      expect({ exit, stdout }).toEqual({ exit: code, stdout: '' })
      expect(stderr).toMatch(why)
      expect(stderr).toMatch(remedy)
      expect(stderr.trimEnd().split('\n')).toHaveLength(2)
      expect(readFileSync(home.database).equals(before)).toBe(true)
      expect(logOf(user).at(-1)).toMatchObject({ level: 'error', event: 'start failed' })
      const lock = claimHome(home)
      expect(lock).toBeDefined()
      lock?.release()
      expect(await connectTo(home)).toBeUndefined()
    },
  )

  test('because a folder has the name of its database', async () => {
    await using user = new User()
    const { database, folder } = findHome(user.env)
    mkdirSync(folder, { mode: 0o700 })
    mkdirSync(database)
    const { code, stderr } = await user.run(['daemon', 'run'])
    expect(code).toBe(69)
    expect(stderr).toContain(`${database} cannot be used: unable to open database file.`)
  })
})

function change(database: string, sql: string): void {
  const db = new DatabaseSync(database)
  db.exec(sql)
  db.close()
}

describe('the log', () => {
  test('has one line of JSON for each event, with its time, level, process and event', async () => {
    await using user = new User()
    const { child, ended, connection } = await running(user)
    await connection.call('daemon.stop')
    await ended
    for (const entry of logOf(user)) {
      expect(entry).toMatchObject({ level: 'info', pid: child.pid, event: expect.any(String) })
      expect(new Date(entry.time).toISOString()).toBe(entry.time)
    }
    expect(logOf(user)[0]).toMatchObject({ event: 'listening', socket: findHome(user.env).socket })
  })

  test('contains only the requested level', async () => {
    await using user = new User()
    const { ended, connection } = await running(user, { env: { HOLDFAST_LOG: 'error' } })
    await connection.call('daemon.stop')
    await ended
    expect(readFileSync(findHome(user.env).log, 'utf8')).toBe('')
  })
})

test('hooks reach a daemon that has answered its first call, also one that was killed before', async () => {
  const { user, before } = await windowAt('enforce')
  const early = { file_path: join(user.project, '.claude/skills/deploy/steps/ship.md') }
  for (let start = 0; start < 3; start++) {
    const { pid } = await user.ask<{ pid: number }>('daemon.status')
    process.kill(pid, 'SIGKILL')
    await user.ask('daemon.ping')
    expect((await before('Read', early)).refusals).toHaveLength(1)
  }
})
