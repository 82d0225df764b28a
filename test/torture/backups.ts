import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { addBackup, listBackups } from '../../src/daemon/backups.ts'
import { clock } from '../../src/daemon/clock.ts'
import { findHome, type Home, preparePrivateFolders } from '../../src/daemon/home.ts'
import { settleDatabase } from '../../src/daemon/restore.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { openStore } from '../../src/store/store.ts'
import { testDaemon } from '../holdfast.ts'
import { Random } from './random.ts'

interface BackupsOptions {
  readonly kills: number
  readonly seed: number
  /** What the killed process does. */
  readonly work: 'backup' | 'restore' | 'naive-backup' | 'naive-restore'
  readonly log: (line: string) => void
}

export interface BackupsReport {
  readonly kills: number
  /** Databases that were opened and compared. */
  readonly checked: number
  readonly violations: readonly string[]
}

const ROWS = 1500
const LONGEST_MILLISECONDS = 120

/** Kills a process in the middle of backups or restores, and looks at every database that it leaves. */
export async function backupsRun({ kills, seed, work, log }: BackupsOptions): Promise<BackupsReport> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-backups-'))
  const home = findHome({ HOME: folder, HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_KEEP_BACKUPS: '3' })
  try {
    await fill(home)
    const random = new Random(seed)
    const violations: string[] = []
    let [done, checked] = [0, 0]
    for (; done < kills && violations.length === 0; done++) {
      const acknowledged = await killed(home, work, random.next() * LONGEST_MILLISECONDS)
      const looked = look(home, acknowledged)
      checked += looked.checked
      violations.push(...looked.violations)
      if (done % 10 === 9) log(`${done + 1} kills, ${checked} databases checked`)
    }
    if (violations.length === 0) violations.push(...(await leftovers(home)))
    return { kills: done, checked, violations }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A database whose rows all have one generation, and a backup of it. */
async function fill(home: Home): Promise<void> {
  preparePrivateFolders(home)
  await (await openStore(openSqlite(home.database), { clock })).close()
  using db = new DatabaseSync(home.database)
  db.exec(`with recursive number(n) as (select 1 union all select n + 1 from number where n < ${ROWS})
    insert into embeddings (source_type, source_path, chunk_text)
      select 'test', '1000', hex(randomblob(1000)) from number`)
  await addBackup(home, 'manual')
}

/** Kills the process at its work; returns the last generation that it had committed. */
async function killed(home: Home, work: string, milliseconds: number): Promise<number> {
  const env = { ...process.env, HOLDFAST_HOME: home.folder, HOLDFAST_KEEP_BACKUPS: '3' }
  const program = testDaemon('test/torture/backup-worker.ts')
  const child = spawn(process.execPath, [program, work], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (said += text))
  await once(child.stdout, 'data')
  await sleep(milliseconds)
  child.kill('SIGKILL')
  await once(child, 'close')
  // The last line may be half of one.
  return Number(said.slice(0, said.lastIndexOf('\n')).split('\n').at(-1))
}

/** Every database is whole, and one of them has what was committed last. */
function look(home: Home, acknowledged: number) {
  settleDatabase(home)
  const paths = [home.database, ...listBackups(home).map(({ path }) => path)]
  const found = paths.map((path) => ({ path, ...generationIn(path) }))
  const violations = found.flatMap(({ path, fault }) => (fault === undefined ? [] : [`${path}: ${fault}`]))
  const live = found.filter(({ path }) => path.endsWith('engine.db'))
  if (violations.length === 0 && !live.some(({ generation = 0 }) => generation >= acknowledged))
    violations.push(`generation ${acknowledged} is lost`)
  // They have been looked at, and would fill the disk.
  for (const { name, kind } of listBackups(home))
    if (kind === 'replaced') rmSync(join(home.backups, name), { recursive: true })
  return { checked: found.length, violations }
}

interface Looked {
  readonly generation?: number
  readonly fault?: string
}

function generationIn(path: string): Looked {
  if (!existsSync(path)) return { fault: 'missing' }
  try {
    using db = new DatabaseSync(path, { readOnly: true })
    const said = Object.values(db.prepare('pragma integrity_check(1)').get() ?? {})[0]
    if (said !== 'ok') return { fault: String(said) }
    const sql = `select count(*) as rows, min(source_path) as least, max(source_path) as most from embeddings`
    const { rows, least, most } = db.prepare(sql).get() ?? {}
    if (rows !== ROWS || least !== most)
      return { fault: `${String(rows)} rows of ${String(least)} to ${String(most)}` }
    return { generation: Number(most) }
  } catch (error) {
    return { fault: String(error) }
  }
}

/** The next backup removes what the killed processes left. */
async function leftovers(home: Home): Promise<readonly string[]> {
  await addBackup(home, 'manual')
  // Our own look may have left a log.
  const strange = (name: string) => !/^(engine-.*\.db(-wal|-shm)?|replaced-.*)$/.test(name)
  return readdirSync(home.backups).filter(strange)
}
