import { spawn } from 'node:child_process'
import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkPrivate, type Home, preparePrivateFolders } from '../daemon/home.ts'
import { EngineError } from '../model/error.ts'
import { RpcConnection } from '../rpc/connect.ts'

const PATIENCE_MILLISECONDS = 20_000
const LOOK_EVERY_MILLISECONDS = 15

type OnNotification = (method: string, params: unknown) => void

/** A connection to the daemon that is running, or undefined. */
export async function connectTo(
  home: Home,
  onNotification?: OnNotification,
): Promise<RpcConnection | undefined> {
  if (lstatSync(home.socket, { throwIfNoEntry: false }) === undefined) return undefined
  // Whoever could have planted the socket would read what we say, so its owner is checked before the first byte.
  checkPrivate(dirname(home.socket))
  checkPrivate(home.socket)
  return await RpcConnection.open(home.socket, onNotification).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' || error.code === 'ENOENT') return undefined
    throw unreachable(home, error.message)
  })
}

/** How to start a daemon: the file that Node runs, and the environment that says where. */
export interface Launch {
  readonly home: Home
  readonly entry: string
  readonly env: Readonly<Record<string, string | undefined>>
}

/** A connection to the daemon, which is started where none runs. */
export async function reach(launch: Launch, onNotification?: OnNotification): Promise<RpcConnection> {
  const { home } = launch
  const running = await connectTo(home, onNotification)
  if (running !== undefined) return running
  preparePrivateFolders(home)
  const giveUp = Date.now() + PATIENCE_MILLISECONDS
  let starting = startDaemonProcess(launch)
  while (Date.now() < giveUp) {
    await sleep(LOOK_EVERY_MILLISECONDS)
    const connection = await connectTo(home, onNotification)
    if (connection !== undefined) {
      starting.letGo()
      return connection
    }
    const exit = starting.exit()
    if (exit !== undefined && exit.code !== 0) throw unreachable(home, exit.said)
    // It left the place to another daemon, which may be one that is just stopping: then it is our turn again.
    if (exit !== undefined) starting = startDaemonProcess(launch)
  }
  starting.letGo()
  throw unreachable(home, 'it did not answer in time')
}

function startDaemonProcess({ entry, env }: Launch) {
  const child = spawn(process.execPath, [entry, 'daemon', 'run'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    env,
  })
  let said = ''
  let code: number | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.on('error', (error) => {
    said = error.message
    code = 1
  })
  child.on('close', (status) => void (code = status ?? 1))
  return {
    exit: () => (code === undefined ? undefined : { code, said: said.trim() }),
    letGo() {
      child.stderr.destroy()
      child.unref()
    },
  }
}

/** Asks the running daemon to stop and waits until it has; its pid, or undefined where none ran. */
export async function stopDaemon(home: Home): Promise<number | undefined> {
  const connection = await connectTo(home)
  if (connection === undefined) return undefined
  const { pid } = (await connection.call('daemon.stop')) as { pid: number }
  await connection.closed
  await untilGone(pid)
  return pid
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
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const unreachable = (home: Home, why: string) =>
  new EngineError('unavailable', `The daemon cannot be reached: ${why}.`.replace(/\.+$/, '.'), {
    hint: `holdfast doctor   (its log: ${home.log})`,
  })
