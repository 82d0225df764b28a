import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** The program as it is installed; `npm run bench` assembles it. */
export const HOLDFAST = join(import.meta.dirname, '../out/program/bin/holdfast.js')
export const BARE_SERVER = join(import.meta.dirname, 'bare-server.cjs')

/** Runs work in a temporary folder, which is removed afterwards. */
export function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'))
  return work(folder).finally(() => rmSync(folder, { recursive: true, force: true }))
}

/** The environment of a user whose home is in this folder. */
export const homeIn = (folder: string) => ({
  PATH: process.env['PATH'],
  HOME: folder,
  HOLDFAST_HOME: join(folder, 'home'),
})

export const socketIn = (folder: string) => join(folder, 'home', 'engine.sock')

/** Starts Node with these arguments; its output goes to our stderr. */
export function startNode(words: readonly string[], env: NodeJS.ProcessEnv): ChildProcess {
  return spawn(process.execPath, words, { env, stdio: ['ignore', 'ignore', 'inherit'] })
}

export const startDaemon = (folder: string) => startNode([HOLDFAST, 'daemon', 'run'], homeIn(folder))

/** Runs work with a real daemon, started and stopped by commands. */
export async function withDaemon<T>(folder: string, work: (line: Line) => Promise<T>): Promise<T> {
  const run = (verb: string) =>
    spawnSync(process.execPath, [HOLDFAST, 'daemon', verb], { env: homeIn(folder) })
  run('start')
  const line = await connect(socketIn(folder))
  try {
    return await work(line)
  } finally {
    line.close()
    run('stop')
  }
}

/** Stops a process that we started, and waits for its exit. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

/** Pins processes to one core if possible, because moves between cores take longer than the measured work. */
export function shareCore(children: readonly ChildProcess[]): void {
  const { stdout } = spawnSync('taskset', ['-pc', String(process.pid)], { encoding: 'utf8' })
  const core = /(\d+)[\d,-]*\s*$/.exec(stdout ?? '')?.[1]
  if (core === undefined) return
  for (const pid of [process.pid, ...children.map((child) => child.pid)])
    spawnSync('taskset', ['-apc', core, String(pid)])
}

const PATIENCE_MILLISECONDS = 30_000

/** Connects as soon as a server listens at the path. */
export async function connect(path: string): Promise<Line> {
  const giveUp = Date.now() + PATIENCE_MILLISECONDS
  while (Date.now() < giveUp) {
    const socket = await tryConnect(path)
    if (socket !== undefined) return new Line(socket)
    await sleep(1)
  }
  throw new Error(`No server listens at ${path}.`)
}

function tryConnect(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = createConnection(path)
    socket.once('connect', () => resolve(socket))
    socket.once('error', () => resolve(undefined))
  })
}

/** A kept connection with one reply line per request line; the same small client for all servers. */
export class Line {
  readonly #socket: Socket
  #received = ''
  #resolve: ((text: string) => void) | undefined

  constructor(socket: Socket) {
    this.#socket = socket
    socket.setEncoding('utf8').on('data', (text: string) => {
      this.#received += text
      if (!this.#received.endsWith('\n')) return
      const answer = this.#received
      this.#received = ''
      this.#resolve?.(answer)
    })
    socket.on('error', () => undefined)
  }

  ask(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#socket.write(line)
    })
  }

  /** Calls the daemon; throws on an error. */
  async call(method: string, params: object = {}): Promise<unknown> {
    const answer = JSON.parse(await this.ask(request(method, params))) as { result?: unknown; error?: object }
    if (answer.error !== undefined) throw new Error(`${method}: ${JSON.stringify(answer.error)}`)
    return answer.result
  }

  close(): void {
    this.#socket.destroy()
  }
}

export const request = (method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })}\n`
