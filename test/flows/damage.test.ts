import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { expect, test, vi } from 'vitest'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import { CHECKED_AT_ONCE_BYTES } from '../../src/store/damage.ts'
import { damageIndex } from '../../src/store/damaged-index.contract.ts'
import { logOf, running } from '../child-daemon.ts'
import { User } from '../holdfast.ts'
import { damageRun } from '../torture/damage.ts'

vi.setConfig({ testTimeout: 300_000 })

const log = () => undefined

// INV_ACK_IS_DURABLE; the long form is `npm run torture -- damage`.
test('no damage of files loses a change silently, under a running daemon and while none runs', async () => {
  const report = await damageRun({ files: 36, seed: 20_261_118, log })
  expect(report.violations).toEqual([])
  expect(report.told).toBeGreaterThan(10)
})

test('the test detects a daemon that does not watch its files', async () => {
  const { violations } = await damageRun({ files: 30, seed: 20_261_118, log, bug: 'unwatched' })
  expect(violations).toContainEqual(expect.stringMatching(/^running: .*: silent/))
})

test('the test detects a start that does not compare with what was acknowledged', async () => {
  const { violations } = await damageRun({ files: 30, seed: 20_261_118, log, bug: 'forgetful' })
  expect(violations).toContainEqual(expect.stringMatching(/^killed: .*: silent/))
})

const shell = (command: string) => void execFileSync('sh', ['-c', `sleep 0.02; ${command}`])

async function addUntilRefused(
  connection: RpcConnection,
): Promise<{ readonly added: number; readonly why: string }> {
  for (let added = 0; ; added++)
    try {
      await connection.call('db.agents.register', { id: `agent-${added}` })
      if (added === 20) return { added, why: 'never refused' }
    } catch (error) {
      return { added, why: String(error) }
    }
}

const countOf = async (user: User) => (await user.json<unknown[]>(['agent', 'list'])).length

test('a daemon whose log was removed acknowledges nothing more, and the next one has all it acknowledged', async () => {
  await using user = new User()
  const { ended, home, connection } = await running(user)
  for (let one = 0; one < 10; one++) await connection.call('db.agents.register', { id: `before-${one}` })
  shell(`rm ${home.database}-wal`)
  const { added, why } = await addUntilRefused(connection)
  expect({ added, why }).toEqual({ added: 0, why: expect.stringMatching(/engine\.db-wal was removed/) })
  expect(await ended).toEqual([0, null])
  expect(await countOf(user)).toBe(10)
  expect(logOf(user).map(({ event }) => event)).toEqual(
    expect.arrayContaining(['files in doubt', 'stopped', 'files checked']),
  )
  expect((await user.run(['doctor', '--json'])).stdout).not.toContain('files-in-doubt')
})

test('a daemon whose database was overwritten exits without writing into it, and the next one refuses damage', async () => {
  await using user = new User()
  // Its stop moves the tables from the log to the database.
  await user.json(['project', 'upsert', '.'])
  await stopDaemon(findHome(user.env))
  const { ended, home, connection } = await running(user)
  await connection.call('db.agents.register', { id: 'before' })
  shell(`dd if=/dev/zero of=${home.database} bs=4096 seek=40 count=20 conv=notrunc status=none`)
  shell(`cp ${home.database} ${home.database}.overwritten`)
  expect(await addUntilRefused(connection)).toMatchObject({
    added: 0,
    why: expect.stringMatching(/engine\.db was changed by another program/),
  })
  expect(await ended).toEqual([69, null])
  shell(`cmp ${home.database} ${home.database}.overwritten`)
  const { code, stderr } = await user.run(['agent', 'list'])
  expect({ code, stderr }).toEqual({
    code: 69,
    stderr: expect.stringMatching(/is damaged: |is malformed/),
  })
})

/** A stopped user whose database SQLite would open and serve, although an index of it misses rows. */
async function withDamagedIndex(user: User, moreBytes: number): Promise<void> {
  await user.json(['agent', 'register', 'before'])
  const home = findHome(user.env)
  await stopDaemon(home)
  using db = new DatabaseSync(home.database)
  db.exec(`create table filler (b blob); insert into filler values (zeroblob(${moreBytes}))`)
  db.close()
  damageIndex(home.database)
  // As if the disk itself had done it: nothing tells of a change.
  rmSync(`${home.database}-acknowledged`)
}

const REFUSED = {
  code: 69,
  stderr: expect.stringMatching(/is damaged: .*missing from index found.*\n {2}try: /),
}

test('each start checks a database, and refuses damage that SQLite would serve', async () => {
  await using user = new User()
  await withDamagedIndex(user, 0)
  expect(await user.run(['agent', 'list'])).toMatchObject(REFUSED)
})

test('a large database is checked while it serves; damage ends the daemon, and refuses the next start', async () => {
  await using user = new User()
  await withDamagedIndex(user, CHECKED_AT_ONCE_BYTES)
  expect(await user.process(['daemon', 'run'])).toMatchObject({ code: 69 })
  expect(logOf(user).map(({ event }) => event)).toContain('listening')
  expect(logOf(user)).toContainEqual(
    expect.objectContaining({ event: 'files in doubt', message: expect.stringContaining('is damaged') }),
  )
  expect(await user.run(['agent', 'list'])).toMatchObject(REFUSED)
})

test('a start after the log of a killed daemon was cut tells what is missing, until the user has settled it', async () => {
  await using user = new User()
  const { child, ended, home, connection } = await running(user)
  for (let one = 0; one < 10; one++) await connection.call('db.agents.register', { id: `agent-${one}` })
  child.kill('SIGKILL')
  await ended
  // The last frames hold the last changes.
  shell(`truncate -s -20000 ${home.database}-wal`)
  const left = await countOf(user)
  expect(left).toBeLessThan(10)
  const found = logOf(user).filter(({ event }) => event === 'files in doubt')
  expect(found).toEqual([
    expect.objectContaining({ message: expect.stringContaining(`${10 - left} change`) }),
  ])
  const doctor = async () =>
    (
      JSON.parse((await user.run(['doctor', '--json'])).stdout) as {
        findings: { code: string; fix: string }[]
      }
    ).findings
  const finding = (await doctor()).find(({ code }) => code === 'files-in-doubt')
  expect(finding).toMatchObject({ level: 'broken', detail: expect.stringContaining('missing') })
  await stopDaemon(findHome(user.env))
  // A later start does not tell it again, and does not forget it.
  expect(await countOf(user)).toBe(left)
  expect(logOf(user).filter(({ event }) => event === 'files in doubt')).toHaveLength(1)
  shell(finding?.fix ?? '')
  expect((await doctor()).map(({ code }) => code)).not.toContain('files-in-doubt')
})

test('a database that another program changed while no daemon ran is told, and one that was only stopped is not', async () => {
  await using user = new User()
  const home = findHome(user.env)
  for (let times = 0; times < 2; times++) {
    await user.json(['project', 'upsert', '.'])
    await user.json(['task', 'upsert', 't', '--title', 'my words'])
    await stopDaemon(home)
    // Reading is no change.
    await user.json(['query', 'select count(*) as n from projects'])
  }
  const doubts = () => logOf(user).filter(({ event }) => event === 'files in doubt')
  expect(doubts()).toEqual([])
  writeFileSync(
    home.database,
    readFileSync(home.database, 'latin1').replaceAll('my words', 'no words'),
    'latin1',
  )
  expect(await user.json(['task', 'list'])).toMatchObject([{ title: 'no words' }])
  expect(doubts()).toEqual([
    expect.objectContaining({ message: expect.stringContaining('while no daemon ran') }),
  ])
})
