import { findHome, type Home } from '../../daemon/home.ts'
import type { DaemonStatus } from '../../engine/call/context.ts'
import { withoutPassword } from '../../store/postgres-url.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'
import { COUNTS } from '../../model/count.ts'
import { duration } from '../../model/text/time.ts'
import { connectTo, unlessStuck } from '../daemon/connect.ts'
import { killDaemon, stopDaemon } from '../daemon/stop.ts'
import { untilHttp } from '../daemon/until-http.ts'

export const daemonStart: Command = {
  name: 'daemon start',
  summary: 'Start the daemon, unless it runs already.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    // Whoever starts it wants the hooks to work, and where they fail closed nothing works before.
    const status = await untilHttp(remote)
    printResult(io, status, () => describe(io, status))
    return 0
  },
}

export const daemonStatus: Command = {
  name: 'daemon status',
  summary: 'Tell whether the daemon runs, and how it fares; starts nothing.',
  usage: '',
  flags: {},
  async run(io) {
    const home = findHome(io.env)
    const connection = await connectTo(home)
    if (connection === undefined) {
      printResult(
        io,
        { running: false, ...stopped(home) },
        () => `No daemon runs for ${home.folder}. Start it with: holdfast daemon start`,
      )
      return 0
    }
    const status = (await unlessStuck(home, connection, connection.call('daemon.status'))) as DaemonStatus
    connection.close()
    printResult(io, { running: true, ...status }, () => describe(io, status))
    return 0
  },
}

/** What is known of a daemon that does not run. */
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
  disk: null,
  descriptors: null,
  ...nothingCounted(),
})

const nothingCounted = () =>
  Object.fromEntries(Object.keys(COUNTS).map((name) => [name, null])) as Record<keyof typeof COUNTS, null>

export const daemonStop: Command = {
  name: 'daemon stop',
  summary: 'Let the daemon finish what is under way and exit.',
  usage: '',
  flags: { force: { kind: 'switch', summary: 'end it at once, also where it does not answer' } },
  async run(io, { switches }) {
    const home = findHome(io.env)
    const pid = await (switches.has('force') ? killDaemon(home) : stopDaemon(home))
    if (pid === undefined) printResult(io, { stopped: false, pid: null }, () => 'No daemon was running.')
    else printResult(io, { stopped: true, pid }, () => `The daemon (pid ${pid}) has stopped.`)
    return 0
  },
}

export const daemonRotateToken: Command = {
  name: 'daemon rotate-token',
  summary:
    'Make new tokens for HTTP, and take another port where the old one is taken; clients must be given the new ones.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    // A daemon that has just started has none yet.
    await untilHttp(remote)
    const result = await remote.call('daemon.rotateToken')
    // Where nothing could be heard before, another port is opened.
    await untilHttp(remote)
    const { hookKey, fullKey } = remote.launch.home
    printResult(
      io,
      result,
      () =>
        `The tokens are new. Hooks read theirs from ${hookKey}, everything else from ${fullKey}.\nSettings of clients hold the old one until: holdfast init`,
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
    `database  ${status.database}`,
    `log       ${status.log}`,
  ].join('\n')
}

/** Where the hooks of clients come in. */
function describeHttp({ listening, port, problem }: DaemonStatus['http']): string {
  if (listening) return `http://127.0.0.1:${port}`
  return problem ?? 'not yet'
}
