import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPrivate, findHome, type Home } from '../../daemon/home.ts'
import { VERSION } from '../../daemon/version.ts'
import type { DaemonStatus } from '../../engine/context.ts'
import { EngineError } from '../../model/error.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import type { Io } from '../io.ts'
import { paint, printResult } from '../print.ts'
import { withReader } from './query.ts'

interface Finding {
  readonly check: string
  readonly ok: boolean
  readonly detail: string
  /** The one command that mends it. */
  readonly fix?: string
}

export const doctor: Command = {
  name: 'doctor',
  summary: 'Check every link, and say what to do about each that is broken.',
  usage: '',
  flags: {},
  async run(io) {
    const home = findHome(io.env)
    const findings: Finding[] = []
    for (const [check, look] of CHECKS) findings.push(await examine(check, () => look(home, io)))
    const healthy = findings.every((finding) => finding.ok)
    printResult(io, { healthy, findings }, () => findings.map((finding) => describe(io, finding)).join('\n'))
    return healthy ? 0 : 1
  },
}

/** A look gives a sentence about what is well, or throws an EngineError with what is not. */
type Look = (home: Home, io: Io) => Promise<string> | string

const CHECKS: readonly (readonly [string, Look])[] = [
  ['node', () => `Node ${process.version}.`],
  ['home', checkHome],
  ['daemon', checkDaemon],
  ['socket', checkSocket],
  ['http', checkHttp],
  ['database', checkDatabase],
  ['integrity', checkIntegrity],
]

async function examine(check: string, look: () => Promise<string> | string): Promise<Finding> {
  try {
    return { check, ok: true, detail: await look() }
  } catch (error) {
    const fix = error instanceof EngineError ? error.hint : undefined
    return {
      check,
      ok: false,
      detail: error instanceof Error ? error.message : String(error),
      ...(fix !== undefined && { fix }),
    }
  }
}

function checkHome(home: Home): string {
  if (!existsSync(home.folder)) return `${home.folder} will be made at the first start.`
  checkPrivate(home.folder)
  return `${home.folder} is private.`
}

async function checkDaemon(_: Home, io: Io): Promise<string> {
  using client = new Client(io)
  const status = await client.call<DaemonStatus>('daemon.status')
  if (status.version !== VERSION)
    throw new EngineError(
      'conflict',
      `The daemon is version ${status.version}, this command is ${VERSION}.`,
      { hint: 'holdfast daemon stop' },
    )
  return `Version ${status.version} answers as pid ${status.pid}.`
}

function checkSocket(home: Home): string {
  checkPrivate(dirname(home.socket))
  checkPrivate(home.socket)
  return `${home.socket} is only ours.`
}

async function checkHttp(home: Home, io: Io): Promise<string> {
  if (!home.opensHttp) return 'HOLDFAST_HTTP is off, so hooks come only as commands.'
  using client = new Client(io)
  const { http } = await client.call<DaemonStatus>('daemon.status')
  if (http.problem !== undefined)
    throw new EngineError('unavailable', `Hooks cannot come in: ${http.problem}`, {
      hint: 'holdfast daemon stop',
    })
  for (const path of [home.hookKey, home.fullKey]) if (existsSync(path)) checkPrivate(path)
  return http.listening ? `http://127.0.0.1:${http.port} takes hooks.` : 'It opens in a moment.'
}

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
  return `${mark}  ${check.padEnd(10)}${detail}${fix === undefined ? '' : `\n      ${' '.repeat(10)}fix: ${paint(io, 'cyan', fix)}`}`
}
