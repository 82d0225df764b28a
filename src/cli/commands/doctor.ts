import { accessSync, constants, existsSync, lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPrivate, findHome, type Home, preparePrivateFolders } from '../../daemon/home.ts'
import { OLDEST_NODE, VERSION } from '../../daemon/version.ts'
import type { DaemonStatus } from '../../engine/context.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell.ts'
import { isNewer } from '../../model/version.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import type { Finding } from '../finding.ts'
import type { Io } from '../io.ts'
import { projectFolder } from '../place.ts'
import { ago, paint, printResult } from '../print.ts'
import { untilHttp } from '../until-http.ts'
import { withReader } from './query.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check every link, and say what to do about each that is broken.',
  usage: '',
  flags: {},
  async run(io) {
    const home = findHome(io.env)
    const findings: Finding[] = []
    for (const [check, look] of CHECKS) findings.push(...(await examine(check, () => look(home, io))))
    const healthy = findings.every((finding) => finding.ok)
    printResult(io, { healthy, findings }, () => findings.map((finding) => describe(io, finding)).join('\n'))
    return healthy ? 0 : 1
  },
}

/** A look gives a sentence about what is well, or throws an EngineError with what is not; one at many gives findings. */
type Look = (home: Home, io: Io) => Seen | Promise<Seen>
type Seen = string | readonly Finding[]

const CHECKS: readonly (readonly [string, Look])[] = [
  ['node', checkNode],
  ['home', checkHome],
  ['daemon', checkDaemon],
  ['socket', checkSocket],
  ['http', checkHttp],
  ['hooks', checkHooks],
  ['statusline', checkStatusLine],
  ['disk', checkDisk],
  ['files', checkFiles],
  ['database', checkDatabase],
  ['integrity', checkIntegrity],
]

async function examine(check: string, look: () => Seen | Promise<Seen>): Promise<readonly Finding[]> {
  try {
    const seen = await look()
    return typeof seen === 'string' ? [{ check, ok: true, detail: seen }] : seen
  } catch (error) {
    const fix = error instanceof EngineError ? error.hint : undefined
    const detail = error instanceof Error ? error.message : String(error)
    return [{ check, ok: false, detail, ...(fix !== undefined && { fix }) }]
  }
}

/** From source, or started by a Node that was named, nobody has looked before. */
function checkNode(): string {
  const rank = (version: string) => version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0)
  const [major = '', minor = ''] = process.versions.node.split('.')
  if (rank(`${major}.${minor}`) < rank(OLDEST_NODE))
    throw new EngineError('unavailable', `Node ${process.version} is too old; ${OLDEST_NODE} is needed.`, {
      hint: 'npm install -g node@24',
    })
  return `Node ${process.version}.`
}

/** Made here, as any command would: whether it can be made is not known before. */
function checkHome(home: Home): string {
  const { folder } = home
  const isNew = !existsSync(folder)
  preparePrivateFolders(home)
  try {
    accessSync(folder, constants.W_OK)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new EngineError('unavailable', `Nothing can be written to ${folder}: ${why}.`, {
      hint: 'Set HOLDFAST_HOME to a folder of your own.',
    })
  }
  return isNew ? `${folder} was made.` : `${folder} is private.`
}

async function checkDaemon(_: Home, io: Io): Promise<string> {
  using client = new Client(io)
  const status = await client.call<DaemonStatus>('daemon.status')
  if (status.version !== VERSION)
    throw new EngineError(
      'conflict',
      `The daemon is version ${status.version}, this command is ${VERSION}.`,
      { hint: isNewer(status.version, VERSION) ? 'npm install -g holdfast@latest' : 'holdfast daemon stop' },
    )
  return `Version ${status.version} answers as pid ${status.pid}.`
}

function checkSocket(home: Home): string {
  if (lstatSync(home.socket, { throwIfNoEntry: false }) === undefined)
    throw new EngineError('unavailable', `There is no ${home.socket}.`, { hint: 'holdfast daemon start' })
  checkPrivate(dirname(home.socket))
  checkPrivate(home.socket)
  return `${home.socket} is only ours.`
}

async function checkHttp(home: Home, io: Io): Promise<string> {
  if (!home.opensHttp) return 'HOLDFAST_HTTP is off, so hooks come only as commands.'
  using client = new Client(io)
  const { http } = await untilHttp(client)
  if (!http.listening)
    throw new EngineError('unavailable', `Hooks cannot come in: ${http.problem ?? 'HTTP did not open.'}`, {
      hint: 'holdfast daemon stop',
    })
  for (const path of [home.hookKey, home.fullKey]) if (existsSync(path)) checkPrivate(path)
  return `http://127.0.0.1:${http.port} takes hooks.`
}

/** Long enough ago it is a story, not a state. */
const RECENT_MILLISECONDS = 600_000

async function checkHooks(_: Home, io: Io): Promise<readonly Finding[]> {
  using client = new Client(io)
  const { hook_faults: faults } = await client.call<DaemonStatus>('daemon.status')
  const since = faults === null ? Infinity : Date.now() - Date.parse(faults.last_at)
  const { hookFindings } = await import('../hook-findings.ts')
  const findings = await hookFindings(io)
  if (faults === null || since > RECENT_MILLISECONDS) return findings
  const detail = `${faults.count} failed since the daemon started, the last ${ago(since)} ago: ${faults.last}`
  return [...findings, { check: 'hooks', ok: false, detail, fix: 'holdfast logs --level warn' }]
}

async function checkStatusLine(_: Home, io: Io): Promise<readonly Finding[]> {
  const { lineFindings } = await import('../line-findings.ts')
  return await lineFindings(io, projectFolder(io, {}))
}

const MEBIBYTE = 1_048_576
/** With less there will soon be nothing to write with. */
const ROOM_MEBIBYTES = 16

async function checkDisk(home: Home, io: Io): Promise<string> {
  using client = new Client(io)
  const { disk } = await client.call<DaemonStatus>('daemon.status')
  const free = Math.floor(disk.free_bytes / MEBIBYTE)
  if (free >= ROOM_MEBIBYTES) return `${free} MiB are free.`
  const left = disk.has_ballast ? '' : ', and there is no ballast to give up'
  throw new EngineError('storage-full', `The disk of ${home.folder} has only ${free} MiB left${left}.`, {
    hint: `Free some space: df -h ${shellWord(home.folder)}`,
  })
}

async function checkFiles(_: Home, io: Io): Promise<string> {
  using client = new Client(io)
  const { descriptors } = await client.call<DaemonStatus>('daemon.status')
  if (descriptors === null) return 'This system does not tell how many files are open.'
  const { used, limit } = descriptors
  if (used < limit * MANY) return `${used} of ${limit} files and connections are open.`
  throw new EngineError('unavailable', `${used} of ${limit} files and connections of the daemon are open.`, {
    hint: 'ulimit -n 4096; holdfast daemon stop',
  })
}

const MANY = 0.8

async function checkDatabase(home: Home): Promise<string> {
  const about = home.isPostgres ? 'version()' : `'SQLite ' || sqlite_version()`
  const [row] = await withReader(home, (reader) =>
    reader.query(`select max(version) as tables, ${about} as program from migrations`),
  )
  return `${String(row?.['program']).split(' on ')[0]}, tables at version ${String(row?.['tables'])}.`
}

async function checkIntegrity(home: Home): Promise<string> {
  if (home.isPostgres) return 'PostgreSQL looks after its own.'
  const [quick, orphans] = await withReader(home, async (reader) => {
    const [first] = await reader.query('pragma quick_check(1)')
    return [first, await reader.query('pragma foreign_key_check')] as const
  })
  if (quick?.['quick_check'] !== 'ok' || orphans.length > 0)
    throw new EngineError(
      'conflict',
      `The database is damaged: ${JSON.stringify(quick?.['quick_check'] ?? orphans[0])}.`,
      {
        hint: `Stop the daemon and put a backup in the place of ${home.database}.`,
      },
    )
  return 'The database is sound.'
}

function describe(io: Io, { check, ok, detail, fix }: Finding): string {
  const mark = ok ? paint(io, 'green', 'ok  ') : paint(io, 'red', 'FAIL')
  return `${mark}  ${check.padEnd(12)}${detail}${fix === undefined ? '' : `\n      ${' '.repeat(12)}fix: ${paint(io, 'cyan', fix)}`}`
}
