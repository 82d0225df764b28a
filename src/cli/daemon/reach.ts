import { lstatSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPrivate, type Home, preparePrivateFolders } from '../../daemon/home.ts'
import { EngineError, ERROR_CODES, type ErrorCode } from '../../model/error.ts'
import { ConnectionLost, RpcConnection } from '../../rpc/connect.ts'
import { handsOver } from './upgrade.ts'

const PATIENCE_MILLISECONDS = 30_000
const LOOK_EVERY_MILLISECONDS = 15
/** A daemon that leaves the place to another, which may be one that is just stopping, is started again so much later. */
const AGAIN_AFTER_MILLISECONDS = 250

/** Left to itself V8 lets the garbage of a busy hour grow to twice of what the daemon needs, and keeps it. */
const NODE_OPTIONS = ['--max-semi-space-size=4']

/** So long a daemon may be silent before it is asked whether it lives, and as long again before that is answered. */
const SILENT_MILLISECONDS = 5000

type OnNotification = (method: string, params: unknown) => void

/** A connection to the daemon that is running, or undefined. */
export async function connectTo(
  home: Home,
  onNotification?: OnNotification,
): Promise<RpcConnection | undefined> {
  try {
    lstatSync(home.socket)
    // Whoever could have planted the socket would read what we say, so its owner is checked before the first byte.
    checkPrivate(dirname(home.socket))
    checkPrivate(home.socket)
    return await RpcConnection.open(home.socket, onNotification)
  } catch (error) {
    // Nobody is behind it any more, or a daemon that stops has taken it away between two looks.
    // Reset: it was killed while we waited in its queue.
    if (isOneOf(error, ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTDIR'])) return undefined
    if (error instanceof EngineError) throw error
    throw unreachable(home, error instanceof Error ? error.message : String(error))
  }
}

const isOneOf = (error: unknown, codes: readonly string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Gives the answer, or the error that says what to do with a daemon that keeps its connections but is stuck. */
export async function unlessStuck<T>(home: Home, connection: RpcConnection, answer: Promise<T>): Promise<T> {
  const stuck = Promise.withResolvers<never>()
  let isAsked = false
  const look = setInterval(() => {
    if (isAsked) {
      stuck.reject(doesNotAnswer(home))
      return connection.abandon()
    }
    isAsked = true
    connection.call('daemon.ping').then(
      () => void (isAsked = false),
      () => undefined,
    )
  }, SILENT_MILLISECONDS)
  return await Promise.race([answer, stuck.promise]).finally(() => clearInterval(look))
}

/** How to start a daemon: the file that Node runs, and the environment that says where. */
export interface Launch {
  readonly home: Home
  readonly entry: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told where no daemon runs, before one is started. */
  readonly onStart?: () => void
}

/** A connection to the daemon, which is started where none runs. */
export async function reach(launch: Launch, onNotification?: OnNotification): Promise<RpcConnection> {
  const { home } = launch
  const running = await connectTo(home, onNotification)
  if (running !== undefined) {
    const next = unlessStuck(home, running, handsOver(home, launch.entry, running))
    if (!(await next)) return running
    const successor = await connectTo(home, onNotification)
    if (successor !== undefined) return successor
  }
  launch.onStart?.()
  preparePrivateFolders(home)
  // A command that finds its daemon running need not wait for these imports.
  const { claimTurn } = await import('../../daemon/lock.ts')
  const giveUp = Date.now() + PATIENCE_MILLISECONDS
  let turn: ReturnType<typeof claimTurn>
  let starting: Awaited<ReturnType<typeof startDaemonProcess>> | undefined
  let again = 0
  try {
    for (; Date.now() < giveUp; await sleep(LOOK_EVERY_MILLISECONDS)) {
      // Of many that come at once one starts a daemon, and the others leave it the time of the machine.
      turn ??= claimTurn(home)
      const connection = await connectTo(home, onNotification)
      if (connection !== undefined) {
        await starting?.withdraw(connection)
        return connection
      }
      const exit = starting?.exit()
      if (exit?.failed === true) throw startFailure(home, exit)
      if (exit !== undefined) {
        starting = undefined
        again = Date.now() + AGAIN_AFTER_MILLISECONDS
      }
      if (turn !== undefined && starting === undefined && Date.now() >= again)
        starting = await startDaemonProcess(launch)
    }
    throw unreachable(home, 'it did not answer in time')
  } finally {
    starting?.letGo()
    turn?.release()
  }
}

async function startDaemonProcess({ home, entry, env }: Launch) {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [...NODE_OPTIONS, entry, 'daemon', 'run'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    // As it was found from here: a relative path would lead the daemon elsewhere.
    env: { ...env, HOLDFAST_HOME: home.folder },
  })
  let said = ''
  let exit: Exit | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.on('error', (error) => void (exit = { failed: true, code: 1, said: error.message }))
  // Whoever killed it has said nothing of the next one.
  child.on('close', (code) => void (exit ??= { failed: (code ?? 0) !== 0, code, said: said.trim() }))
  return {
    exit: () => exit,
    /** Where another daemon serves, ours must not be left to take the place of one that is stopped later. */
    async withdraw(connection: RpcConnection) {
      const ping = connection.call('daemon.ping').catch(() => undefined)
      const serving = await unlessStuck(home, connection, ping)
      if ((serving as { pid: number } | undefined)?.pid !== child.pid) child.kill()
    },
    letGo() {
      child.stderr.destroy()
      child.unref()
    },
  }
}

interface Exit {
  readonly failed: boolean
  readonly code: number | null
  readonly said: string
}

/** The daemon has put what is wrong into its exit code, a sentence, and a line that says what to do. */
function startFailure(home: Home, { code, said }: Exit): EngineError {
  const [message = '', hint, ...more] = said.split('\n')
  const kind = (Object.keys(ERROR_CODES) as ErrorCode[]).find((name) => ERROR_CODES[name].exit === code)
  if (kind === undefined || kind === 'internal' || more.length > 0) return unreachable(home, said)
  return new EngineError(kind, message, { hint: hint ?? 'holdfast doctor' })
}

/** Asks the running daemon to stop and waits until it has; its pid, or undefined where none ran. */
export async function stopDaemon(home: Home): Promise<number | undefined> {
  for (;;) {
    const connection = await connectTo(home)
    if (connection === undefined) return undefined
    const answer = connection.call('daemon.stop').catch((error: unknown) => {
      // Somebody else has ended it at the same moment; it is asked again if it is still there.
      if (error instanceof ConnectionLost) return undefined
      throw error
    })
    const stopping = (await unlessStuck(home, connection, answer)) as { pid: number } | undefined
    await connection.closed
    if (stopping === undefined) continue
    await untilGone(stopping.pid)
    return stopping.pid
  }
}

/** Ends a daemon that does not answer; its pid, or undefined where none is known that still lives. */
export async function killDaemon(home: Home): Promise<number | undefined> {
  const pid = pidOf(home)
  if (pid === undefined || !isAlive(pid) || !isDaemon(pid)) return undefined
  process.kill(pid, 'SIGKILL')
  await untilGone(pid)
  return pid
}

/** The pid of a daemon that runs and cannot be reached, because its socket is gone; one that stops is waited for. */
export async function lostDaemon(home: Home): Promise<number | undefined> {
  const pid = pidOf(home)
  const isLost = () =>
    pid !== undefined &&
    lstatSync(home.socket, { throwIfNoEntry: false }) === undefined &&
    isAlive(pid) &&
    isDaemon(pid)
  for (let looks = 0; looks < MOST_LOOKS && isLost(); looks++) await sleep(LOST_EVERY_MILLISECONDS)
  return isLost() ? pid : undefined
}

/** A daemon that stops takes its socket away first, and may then finish for five seconds. */
const [MOST_LOOKS, LOST_EVERY_MILLISECONDS] = [70, 100]

function pidOf({ about }: Home): number | undefined {
  try {
    return (JSON.parse(readFileSync(about, 'utf8')) as { pid: number }).pid
  } catch {
    return undefined
  }
}

/** A pid may have become another program's since it was written down. */
function isDaemon(pid: number): boolean {
  const command =
    process.platform === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : process
          .getBuiltinModule('node:child_process')
          .spawnSync('ps', ['-o', 'command=', '-p', `${pid}`], { encoding: 'utf8' }).stdout
  return command.includes(' daemon run')
}

async function untilGone(pid: number): Promise<void> {
  for (let looks = 0; looks < 1000; looks++) {
    if (!isAlive(pid)) return
    await sleep(10)
  }
  throw new EngineError('timeout', `The daemon (pid ${pid}) is still finishing.`, { hint: `kill ${pid}` })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // In a container nobody may ever collect what has ended; the state follows the name, which may hold anything.
    return process.platform !== 'linux' || !/\) [ZX] [^)]*$/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const doesNotAnswer = (home: Home) =>
  new EngineError('timeout', `The daemon (pid ${pidOf(home) ?? 'unknown'}) does not answer.`, {
    hint: 'holdfast daemon stop --force',
  })

const unreachable = (home: Home, why: string) =>
  new EngineError(
    'unavailable',
    `The daemon cannot be reached: ${why}; its log is ${home.log}.`.replace(/\.+$/, '.'),
    {
      hint: 'holdfast doctor',
    },
  )
