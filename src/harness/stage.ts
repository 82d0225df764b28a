import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Remote } from '../cli/daemon/remote.ts'
import type { Io } from '../cli/frame/io.ts'
import { stopDaemon } from '../cli/daemon/stop.ts'
import { clients } from '../clients/index.ts'
import type { DaemonStatus } from '../engine/call/context.ts'
import type { Client } from '../model/client.ts'

/** Starting a daemon may be slow on a busy machine, and no agent waits here. */
const LIMIT_MILLISECONDS = 30_000
const LOOK_EVERY_MILLISECONDS = 20

/** What a client gets from a hook; undefined if no daemon answers. */
export interface Answer {
  /** The raw body. */
  readonly reply: string
  /** What the hook printed for the user. */
  readonly said: string
}

/** A private project, user and daemon in a temporary folder that is removed at the end. */
export class Stage {
  readonly folder: string
  readonly project: string
  /** The client's user folder. */
  readonly clientFolder: string
  readonly env: Io['env']
  readonly entry: string
  readonly remote: Remote
  readonly #client: Client
  /** The running hook command, which may be starting a daemon. */
  #command: ChildProcess | undefined

  constructor(
    { env, entry }: Pick<Io, 'env' | 'entry'>,
    { kind, client }: { readonly kind: string; readonly client: Client },
  ) {
    this.folder = realpathSync(mkdtempSync(join(tmpdir(), `holdfast-${kind}-`)))
    this.project = join(this.folder, 'app')
    mkdirSync(this.project)
    const home = join(this.folder, 'user')
    this.#client = client
    this.clientFolder = client.folders.user(home, {})
    // Removes variables that point to the user's folders, database or settings.
    const leading = ['HOLDFAST_', 'XDG_', ...[...clients.values()].map(({ variables }) => variables)]
    const others = Object.entries(env).filter(([name]) => !leading.some((start) => name.startsWith(start)))
    this.env = { ...Object.fromEntries(others), HOME: home, HOLDFAST_HOME: join(this.folder, 'home') }
    this.entry = entry
    this.remote = new Remote({ env: this.env, entry })
  }

  /** Writes a file of the project. */
  put(path: string, text: string): void {
    const file = join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  /** Removes everything when this process ends, also after Ctrl-C. */
  vanishAtExit(): void {
    process.once('exit', () => this.vanish())
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.on(signal, () => process.exit(128 + constants.signals[signal]))
  }

  /** Runs a hook as the client would: by a command, which may start the daemon, or by HTTP. */
  async fire(payload: object, route: 'command' | 'http'): Promise<Answer | undefined> {
    return route === 'http' ? await this.#post(payload) : await this.#run(payload)
  }

  /** Kills the daemon and returns its pid. */
  async kill(): Promise<number> {
    const { pid } = await this.remote.call<DaemonStatus>('daemon.status')
    process.kill(pid, 'SIGKILL')
    // The pid is free now and must not match another process.
    rmSync(this.remote.launch.home.about)
    return pid
  }

  async close(): Promise<void> {
    const { home } = this.remote.launch
    await stopDaemon(home)
    rmSync(home.about, { force: true })
  }

  /** Cleans up at any moment; waits only for a daemon that is starting, because its pid is unknown. */
  vanish(): void {
    const { about, socket } = this.remote.launch.home
    // A hook that is still reading its input has started nothing.
    const isStarting = this.#command?.stdin?.writableFinished === true
    const pid = pidIn(about) ?? (isStarting ? awaitPid(about) : undefined)
    this.#command?.kill('SIGKILL')
    if (pid !== undefined) killIfThere(pid)
    rmSync(socket, { force: true })
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 20 })
  }

  async #post(payload: object): Promise<Answer | undefined> {
    const { port, token } = JSON.parse(readFileSync(this.remote.launch.home.hookKey, 'utf8')) as Key
    try {
      const response = await fetch(`http://127.0.0.1:${port}/hook/${this.#client.name}`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify(payload),
        signal: AbortSignal.timeout(LIMIT_MILLISECONDS),
      })
      if (!response.ok) throw new Error(`The hook was answered with ${response.status}.`)
      return { reply: await response.text(), said: '' }
    } catch (error) {
      // fetch throws this if no daemon listens.
      if (error instanceof TypeError) return undefined
      throw error
    }
  }

  async #run(payload: object): Promise<Answer> {
    const words = [this.entry, 'hook', this.#client.name, '--limit', String(LIMIT_MILLISECONDS)]
    // Detached, so that Ctrl-C does not end it while it starts a daemon.
    const child = spawn(process.execPath, words, {
      cwd: this.project,
      env: this.env,
      detached: true,
    })
    this.#command = child
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
    child.stdin.on('error', () => undefined).end(JSON.stringify(payload))
    await new Promise((resolve, reject) => void child.on('close', resolve).on('error', reject))
    this.#command = undefined
    return { reply: out.join(''), said: err.join('').trim() }
  }
}

interface Key {
  readonly port: number
  readonly token: string
}

/** The daemon that a home names. */
function pidIn(about: string): number | undefined {
  try {
    return (JSON.parse(readFileSync(about, 'utf8')) as { pid: number }).pid
  } catch {
    return undefined
  }
}

/** Synchronous, because the event loop has ended when a process exits. */
function awaitPid(about: string): number | undefined {
  const giveUp = Date.now() + LIMIT_MILLISECONDS
  const nobody = new Int32Array(new SharedArrayBuffer(4))
  while (Date.now() < giveUp) {
    Atomics.wait(nobody, 0, 0, LOOK_EVERY_MILLISECONDS)
    const pid = pidIn(about)
    if (pid !== undefined) return pid
  }
  return undefined
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}
