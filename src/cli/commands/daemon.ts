import { findHome, type Home } from '../../daemon/home.ts'
import { durableEntry, keepLauncher } from '../../daemon/launcher.ts'
import type { DaemonStatus } from '../../engine/call/context.ts'
import { withoutPassword } from '../../store/postgres-url.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { clockDifference } from '../../model/clock.ts'
import { COUNTS } from '../../model/count.ts'
import { counted } from '../../model/text/line.ts'
import { duration, relativeTime } from '../../model/text/time.ts'
import { connectTo, unlessStuck } from '../daemon/connect.ts'
import { killDaemon, stopDaemon } from '../daemon/stop.ts'
import { lostPort, untilHttp } from '../daemon/until-http.ts'

export const daemonStart: Command = {
  name: 'daemon start',
  summary: 'Start the daemon if it is not running.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    // In strict mode nothing passes until HTTP is open.
    const status = await untilHttp(remote)
    // A running daemon does not see that its launcher broke.
    keepLauncher(findHome(io.env), { node: process.execPath, entry: durableEntry(io.entry, io.env) })
    printResult(io, status, () => describe(io, status))
    return 0
  },
}

export const daemonStatus: Command = {
  name: 'daemon status',
  summary: 'Show whether the daemon is running, and its state; does not start it.',
  usage: '',
  flags: {},
  async run(io) {
    const home = findHome(io.env)
    const connection = await connectTo(home)
    if (connection === undefined) {
      printResult(
        io,
        { running: false, ...stopped(home) },
        () => `The daemon for ${home.folder} is not running. Start it: holdfast daemon start`,
      )
      return 0
    }
    const status = (await unlessStuck(home, connection, connection.call('daemon.status'))) as DaemonStatus
    connection.close()
    printResult(io, { running: true, ...status }, () => describe(io, status))
    return 0
  },
}

/** The status fields of a daemon that is not running. */
const stopped = (home: Home): Readonly<Record<keyof DaemonStatus, unknown>> => ({
  pid: null,
  version: null,
  node: null,
  socket: home.socket,
  database: home.isPostgres ? withoutPassword(home.database) : home.database,
  database_kind: home.isPostgres ? 'postgres' : 'sqlite',
  home: home.folder,
  log: home.log,
  started_at: null,
  uptime_seconds: null,
  memory_bytes: null,
  http: null,
  hook_faults: null,
  dropped: null,
  disk: null,
  descriptors: null,
  postgres: null,
  ...nothingCounted(),
})

const nothingCounted = () =>
  Object.fromEntries(Object.keys(COUNTS).map((name) => [name, null])) as Record<keyof typeof COUNTS, null>

export const daemonStop: Command = {
  name: 'daemon stop',
  summary: 'Stop the daemon after it finishes its current calls.',
  usage: '',
  flags: { force: { kind: 'switch', summary: 'kill it at once, even if it does not answer' } },
  async run(io, { switches }) {
    const home = findHome(io.env)
    const pid = await (switches.has('force') ? killDaemon(home) : stopDaemon(home))
    if (pid === undefined) printResult(io, { stopped: false, pid: null }, () => 'The daemon was not running.')
    else printResult(io, { stopped: true, pid }, () => `Stopped the daemon (pid ${pid}).`)
    return 0
  },
}

export const daemonRotateToken: Command = {
  name: 'daemon rotate-token',
  summary: 'Replace the HTTP tokens, and the port if the daemon could not open it.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    // A daemon that has just started has no tokens yet.
    await untilHttp(remote)
    const result = await remote.call('daemon.rotateToken')
    // If the old port was taken, the daemon opens another one.
    await untilHttp(remote)
    const { hookKey, fullKey } = remote.launch.home
    printResult(
      io,
      result,
      () =>
        `Replaced the tokens. Hooks read theirs from ${hookKey}, other programs from ${fullKey}.\nIf an older version installed the hooks, install them again: holdfast init`,
    )
    return 0
  },
}

function describe(io: Io, status: DaemonStatus): string {
  const running = paint(io, 'green', 'running')
  return [
    `The daemon is ${running}: pid ${status.pid}, version ${status.version}, for ${duration(status.uptime_seconds * 1000)}.`,
    `socket    ${status.socket}`,
    `http      ${describeHttp(status.http)}`,
    `database  ${status.database}${awayText(status)}`,
    ...clockLine(status),
    `log       ${status.log}`,
    ...describeDropped(status),
  ].join('\n')
}

const awayText = ({ postgres }: DaemonStatus): string =>
  postgres?.away_since == null
    ? ''
    : `, no answer for ${duration(Date.now() - Date.parse(postgres.away_since))}`

function clockLine({ postgres }: DaemonStatus): readonly string[] {
  const differs = clockDifference(postgres?.clock_ahead_ms ?? 0)
  return differs === undefined ? [] : [`clock     ${differs}`]
}
/** An older daemon does not say. */
const describeDropped = ({ dropped }: Partial<DaemonStatus>): readonly string[] =>
  dropped === undefined || dropped === null
    ? []
    : [
        `dropped   ${counted(dropped.count, 'connection')}, the last one ${relativeTime(dropped.last_at)}: ${dropped.last}`,
      ]

/** The address for the hooks of clients. */
function describeHttp(http: DaemonStatus['http']): string {
  const { listening, port, problem } = http
  if (!listening) return problem ?? 'not open yet'
  const lost = lostPort(http)
  return [`http://127.0.0.1:${port}`, ...(lost === undefined ? [] : [`${lost} Next: holdfast doctor`])].join(
    '. ',
  )
}
