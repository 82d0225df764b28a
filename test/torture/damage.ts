import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { readDoubt } from '../../src/daemon/doubt.ts'
import { findHome, type Home, preparePrivateFolders } from '../../src/daemon/home.ts'
import { startDaemon } from '../../src/daemon/main.ts'
import { type OpenDatabase, openStoreOf } from '../../src/daemon/open-store.ts'
import type { RpcConnection } from '../../src/rpc/connect.ts'
import type { Tx } from '../../src/store/query.ts'
import { openSqlite } from '../../src/store/sqlite.ts'
import { memoryDisk } from '../memory-disk.ts'
import { RUNNING, STOPPED } from './damages.ts'
import { Random } from './random.ts'

export interface DamageOptions {
  /** How many files to damage: each third under a running daemon, the others while none runs. */
  readonly files: number
  readonly seed: number
  readonly log: (line: string) => void
  /** A planted bug: a database that nobody watches, or a start that remembers nothing. */
  readonly bug?: 'unwatched' | 'forgetful'
}

export interface DamageReport {
  /** Nothing that was acknowledged is wrong or missing. */
  harmless: number
  /** A start or a call said what is wrong. */
  told: number
  readonly violations: string[]
}

/** Changes that a daemon acknowledged, by their content. */
type Acknowledged = ReadonlySet<string>

/** A folder with the files of a daemon, as a kill or a stop left them. */
interface Remains {
  readonly folder: string
  readonly acknowledged: Acknowledged
}

const homeIn = (folder: string): Home =>
  findHome({ HOME: folder, HOLDFAST_HOME: join(folder, 'home'), HOLDFAST_HTTP: 'off' })

/** Damages files of daemons, and checks that every acknowledged change is there or its loss is told. */
export async function damageRun(options: DamageOptions): Promise<DamageReport> {
  const stage = mkdtempSync(join(memoryDisk, 'holdfast-damage-'))
  const random = new Random(options.seed)
  const report: DamageReport = { harmless: 0, told: 0, violations: [] }
  try {
    const remains = await makeRemains(stage)
    for (let file = 0; file < options.files; file++) {
      const name = await (file % 3 === 0
        ? whileRunning({ stage, random, report, options })
        : whileStopped({ stage, random, report, options, remains: random.pick(remains) ?? remains[0] }))
      if (file % 50 === 49)
        options.log(`${file + 1} files, ${report.told} told, ${report.harmless} harmless (${name})`)
    }
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
  return report
}

/** Exactly, with the times of files. */
const copy = (from: string, to: string) => void execFileSync('cp', ['-a', from, to])

/** A daemon of this process in its own folder; what it acknowledges is noted. */
async function startIn(folder: string, open?: OpenDatabase) {
  const home = homeIn(folder)
  preparePrivateFolders(home)
  const daemon = await startDaemon({ home, ...(open !== undefined && { openDatabase: open }) })
  const connection = await connectTo(home)
  if (daemon === undefined || connection === undefined) throw new Error('the daemon did not start')
  const session = await prepare(folder, connection)
  const acknowledged = new Set<string>()
  return {
    home,
    daemon,
    acknowledged,
    async add(count: number): Promise<void> {
      for (let one = 0; one < count; one++) {
        const content = `${acknowledged.size} ${'text '.repeat(acknowledged.size % 40)}`
        await connection.call('db.messages.append', { session_id: session, role: 'user', content })
        acknowledged.add(content)
      }
    },
    async stop(): Promise<void> {
      connection.close()
      daemon.stop()
      await daemon.stopped
    },
  }
}

async function prepare(folder: string, connection: RpcConnection): Promise<number> {
  await connection.call('db.project.upsert', { path: folder })
  await connection.call('db.task.upsert', { dir_path: folder })
  const { id } = (await connection.call('db.session.start', { task_id: folder })) as { id: number }
  return id
}

/** What a kill leaves, with changes in the database and in its log, and what a stop leaves. */
async function makeRemains(stage: string): Promise<readonly [Remains, Remains]> {
  const folder = join(stage, 'made')
  const it = await startIn(folder)
  copy(it.home.database, join(folder, 'older.db'))
  const { mtimeMs } = statSync(it.home.database)
  await it.add(250)
  // The checkpoint waits for a quiet moment.
  while (statSync(it.home.database).mtimeMs === mtimeMs) await sleep(20)
  await it.add(30)
  const [killed, stopped] = [join(stage, 'killed'), join(stage, 'stopped')]
  copy(folder, killed)
  await it.stop()
  copy(folder, stopped)
  const { acknowledged } = it
  return [
    { folder: killed, acknowledged },
    { folder: stopped, acknowledged },
  ]
}

const openUnwatched: OpenDatabase = ({ database }) => openSqlite(database)

interface Round {
  readonly stage: string
  readonly random: Random
  readonly report: DamageReport
  readonly options: DamageOptions
}

async function whileStopped(round: Round & { readonly remains: Remains }): Promise<string> {
  const { stage, random, report, options, remains } = round
  const folder = mkdtempSync(join(stage, 'round-'))
  copy(`${remains.folder}/.`, folder)
  const home = homeIn(folder)
  const { name, damage } = random.pick(STOPPED) ?? STOPPED[0]
  const what = damage({ home, older: join(folder, 'older.db'), random })
  if (options.bug === 'forgetful') rmSync(`${home.database}-acknowledged`, { force: true })
  note(report, await judge(home, remains.acknowledged), `${basename(remains.folder)}: ${name} ${what}`)
  rmSync(folder, { recursive: true, force: true })
  return name
}

async function whileRunning({ stage, random, report, options }: Round): Promise<string> {
  const folder = mkdtempSync(join(stage, 'round-'))
  const it = await startIn(folder, options.bug === 'unwatched' ? openUnwatched : undefined)
  await it.add(random.below(300))
  if (random.chance(0.5)) await sleep(80)
  copy(it.home.database, join(folder, 'older.db'))
  await it.add(1 + random.below(20))
  const { name, damage } = random.pick(RUNNING) ?? RUNNING[0]
  damage({ home: it.home, older: join(folder, 'older.db'), random })
  const refusal = await it.add(50).then(
    () => undefined,
    (error: unknown) => String(error),
  )
  const killed = `${folder}-killed`
  copy(folder, killed)
  const verdict = await judge(homeIn(killed), it.acknowledged)
  note(report, verdict, `running: ${name}, ${refusal ?? 'never refused'}`)
  await it.stop().catch(() => undefined)
  for (const made of [folder, killed]) rmSync(made, { recursive: true, force: true })
  return name
}

type Verdict = 'harmless' | 'told' | `silent: ${string}`

function note(report: DamageReport, verdict: Verdict, what: string): void {
  if (verdict === 'harmless' || verdict === 'told') report[verdict]++
  else report.violations.push(`${what}: ${verdict}`)
}

/** Starts on the files, and compares what is there with what was acknowledged. */
async function judge(home: Home, acknowledged: Acknowledged): Promise<Verdict> {
  const log = { write: () => undefined, close: () => undefined }
  const ballast = { givenUp: 0, giveUp: () => false } as unknown as Parameters<
    typeof openStoreOf
  >[0]['ballast']
  let store: Awaited<ReturnType<typeof openStoreOf>>
  try {
    store = await openStoreOf({ home, log, ballast, mayWait: false })
  } catch {
    return 'told'
  }
  const found = await store.transact(textsIn).catch(() => undefined)
  await store.close()
  if (found === undefined) return 'told'
  const lost = [...acknowledged].filter((content) => !found.has(content))
  const wrong = [...found].filter((content) => !acknowledged.has(content))
  if (lost.length === 0 && wrong.length === 0) return 'harmless'
  if (readDoubt(home).found.length > 0) return 'told'
  return `silent: ${lost.length} of ${acknowledged.size} are missing, ${wrong.length} are wrong`
}

async function textsIn(tx: Tx): Promise<ReadonlySet<string>> {
  const rows = await tx.execute<{ content: string }>({ sql: 'select content from messages', parameters: [] })
  return new Set(rows.map(({ content }) => content))
}
