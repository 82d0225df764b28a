import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import type { Backup } from '../../src/model/backup.ts'
import { logOf, running } from '../child-daemon.ts'
import { Patient } from '../patient.ts'

vi.setConfig({ testTimeout: 300_000 })

/** A backup with the agent `before`; the agents that the database has besides were acknowledged later. */
async function withOldBackup(user: Patient): Promise<Backup> {
  await user.json(['agent', 'register', 'before'])
  const backup = await user.json<Backup>(['backup'])
  await stopDaemon(user.home)
  const { child, ended, connection } = await running(user)
  for (let one = 0; one < 10; one++) await connection.call('db.agents.register', { id: `later-${one}` })
  child.kill('SIGKILL')
  await ended
  return backup
}

const agentsOf = async (user: Patient) =>
  (await user.json<readonly { id: string }[]>(['agent', 'list'])).map(({ id }) => id)

const doubtsOf = (user: Patient) => logOf(user).filter(({ event }) => event === 'files in doubt')

test('a damaged database names the command that restores the backup, which works, and nothing is missed then', async () => {
  await using user = new Patient()
  const backup = await withOldBackup(user)
  // Newer, but nobody can use it.
  writeFileSync(join(user.home.backups, 'engine-2099-01-01T000000.000Z-manual.db'), 'half')
  writeFileSync(user.home.database, 'This is no database, but long enough for one. '.repeat(200))
  const command = `holdfast restore ${backup.name} --yes`
  const { code, stderr } = await user.run(['agent', 'list'])
  expect({ code, stderr }).toEqual({ code: 69, stderr: expect.stringContaining(`try: ${command}\n`) })
  const { problems } = await user.doctor()
  expect(problems.find((one) => one.code === 'database-damaged')).toMatchObject({ fix: command })
  expect(await user.shell(command)).toMatchObject({ code: 0 })
  expect(await agentsOf(user)).toEqual(['before'])
  expect(doubtsOf(user)).toEqual([])
  expect((await user.doctor()).problems.map((one) => one.code)).toEqual(['hooks-none'])
})

test('a restore settles the doubt about the database that it replaces', async () => {
  await using user = new Patient()
  await withOldBackup(user)
  truncateSync(`${user.home.database}-wal`, 0)
  const { problems } = await user.doctor()
  const found = problems.find((one) => one.code === 'files-in-doubt')
  const [, command = ''] = /To use the last backup: (.*?)\. The fix/.exec(found?.detail ?? '') ?? []
  expect(doubtsOf(user)).toHaveLength(1)
  expect(await user.shell(command)).toMatchObject({ code: 0 })
  expect(await agentsOf(user)).toEqual(['before'])
  expect(doubtsOf(user)).toHaveLength(1)
  expect((await user.doctor()).problems.map((one) => one.code)).toEqual(['hooks-none'])
})
