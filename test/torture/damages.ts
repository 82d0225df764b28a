import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import type { Home } from '../../src/daemon/home.ts'
import type { Random } from './random.ts'

interface Subject {
  readonly home: Home
  /** A copy of the database from before most changes. */
  readonly older: string
  readonly random: Random
}

interface Damage {
  readonly name: string
  /** Returns where. */
  readonly damage: (subject: Subject) => string
}

/** The database, or its log if there is one. */
function someFile({ home: { database }, random }: Subject): string {
  const log = `${database}-wal`
  return existsSync(log) && random.chance(0.5) ? log : database
}

const changing = (name: string, change: (bytes: Buffer, random: Random) => number): Damage => ({
  name,
  damage(subject) {
    const path = someFile(subject)
    const bytes = readFileSync(path)
    const at = change(bytes, subject.random)
    writeFileSync(path, bytes)
    return `${path} at ${at} of ${bytes.length}`
  },
})

/** What can happen to files while no daemon runs. */
export const STOPPED: readonly [Damage, ...Damage[]] = [
  changing('flip', (bytes, random) => {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255))
    return at
  }),
  changing('zero', (bytes, random) => {
    const at = random.below(bytes.length)
    bytes.fill(0, at, Math.min(at + 512, bytes.length))
    return at
  }),
  {
    name: 'cut',
    damage(subject) {
      const path = someFile(subject)
      const { length } = readFileSync(path)
      const left = subject.random.below(length)
      truncateSync(path, left)
      return `${path} to ${left} of ${length}`
    },
  },
  {
    name: 'remove',
    damage(subject) {
      const path = someFile(subject)
      rmSync(path)
      return path
    },
  },
  {
    name: 'overwrite',
    damage({ home: { database }, older }) {
      writeFileSync(database, readFileSync(older))
      return `${database} with an older copy`
    },
  },
]

/** By another process, and after the tick of the kernel in which the daemon may have written. */
const shell = (name: string, command: (database: string, subject: Subject) => string): Damage => ({
  name,
  damage(subject) {
    const typed = command(subject.home.database, subject)
    execFileSync('sh', ['-c', `sleep 0.02; ${typed}`])
    return typed
  },
})

/** What can happen to files under a running daemon. */
export const RUNNING: readonly [Damage, ...Damage[]] = [
  shell('remove the log', (db) => `rm ${db}-wal`),
  shell('remove the log and its index', (db) => `rm ${db}-wal ${db}-shm`),
  shell('empty the log', (db) => `truncate -s 0 ${db}-wal`),
  shell('cut the log', (db, { random }) => `truncate -s -${1 + random.below(4000)} ${db}-wal`),
  shell('replace the log', (db) => `cp ${db}-wal ${db}-x && mv ${db}-x ${db}-wal`),
  shell('zero the log', (db) => `dd if=/dev/zero of=${db}-wal bs=4096 count=2 conv=notrunc status=none`),
  shell('remove the database', (db) => `rm ${db}`),
  shell('replace the database', (db, { older }) => `cp ${older} ${db}-x && mv ${db}-x ${db}`),
  shell('overwrite the database', (db, { older }) => `cat ${older} > ${db}`),
  shell(
    'overwrite with zeros',
    (db) => `dd if=/dev/zero of=${db} bs=4096 seek=3 count=4 conv=notrunc status=none`,
  ),
  shell('cut the database', (db) => `truncate -s -8192 ${db}`),
]
