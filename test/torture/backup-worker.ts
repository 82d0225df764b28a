import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { addBackup, listBackups } from '../../src/daemon/backups.ts'
import { findHome, type Home } from '../../src/daemon/home.ts'
import { claimHome } from '../../src/daemon/lock.ts'
import { restoreBackup } from '../../src/daemon/restore.ts'

/** Makes backups or restores them until it is killed; the naive forms are the bugs that the test must find. */
const WORK: Readonly<Record<string, (home: Home, round: number) => Promise<unknown>>> = {
  backup: (home) => addBackup(home, 'manual'),
  'naive-backup': (home, round) => backup(database, finalName(home, round), { rate: 20 }),
  restore: (home) => restoreBackup(home, newest(home)),
  'naive-restore': async (home) => copyFileSync(newest(home), home.database),
}

const finalName = ({ backups }: Home, round: number) =>
  join(backups, `engine-2026-01-01T0000${String(10 + (round % 50))}.000Z-manual.db`)

function newest(home: Home): string {
  const found = listBackups(home).find(({ kind }) => kind === 'manual')
  if (found === undefined) throw new Error('There is no backup.')
  return found.path
}

/** Never closed, because a closed connection would put its log into the database. */
const open: DatabaseSync[] = []

/** Commits the next generation, and leaves it in the log. */
function advance(db: DatabaseSync): void {
  db.exec(`update embeddings set source_path = cast(source_path + 1 as text)`)
}

function connect({ database: path }: Home): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('pragma busy_timeout = 5000; pragma synchronous = full; pragma wal_autocheckpoint = 0')
  open.push(db)
  return db
}

const home = findHome()
const mode = process.argv[2] ?? ''
const work = WORK[mode]
if (work === undefined || claimHome(home) === undefined) throw new Error(`Cannot work as ${mode}.`)
let database = connect(home)
// Writers go on while a backup is made; a restore finds a log each time.
if (mode.endsWith('backup')) setInterval(() => advance(database), 30)
void run(work)

async function run(once: (home: Home, round: number) => Promise<unknown>): Promise<never> {
  for (let round = 0; ; round++) {
    if (mode.endsWith('restore')) {
      if (round > 0) database = connect(home)
      advance(database)
    }
    const sql = 'select max(source_path) as generation from embeddings'
    process.stdout.write(`${String(database.prepare(sql).get()?.['generation'])}\n`)
    await once(home, round)
  }
}
