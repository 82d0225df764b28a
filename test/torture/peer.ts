import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { findHome, type Home } from '../../src/daemon/home.ts'
import { ConnectionLost, type RpcConnection } from '../../src/rpc/connect.ts'
import { User } from '../holdfast.ts'

/** One of several daemons on one database, each with its own home, as our child process. */
export class Peer implements AsyncDisposable {
  readonly user: User
  readonly #home: Home
  readonly #program: string
  #child: ChildProcess | undefined
  #connection: Promise<RpcConnection> | undefined

  /** `program` is the file that Node runs as the daemon. */
  constructor(program: string, env: Readonly<Record<string, string>>) {
    this.user = new User(env)
    this.#home = findHome(this.user.env)
    this.#program = program
    process.on('exit', this.#leave)
  }

  /** An interrupted run leaves no process behind either. */
  readonly #leave = () => void this.#child?.kill('SIGKILL')

  start(): void {
    const { env } = this.user
    this.#child = spawn(process.execPath, [this.#program, 'daemon', 'run'], {
      env,
      cwd: '/',
      stdio: 'ignore',
    })
  }

  /** Ends it like a crash; it may be paused. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
  }

  async pause(milliseconds: number): Promise<void> {
    this.#child?.kill('SIGSTOP')
    await sleep(milliseconds)
    this.#child?.kill('SIGCONT')
  }

  /** Waits for a daemon that is being started. */
  async call(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    const connection = (this.#connection ??= this.#connect())
    try {
      return await (await connection).call(method, params)
    } catch (error) {
      if (error instanceof ConnectionLost && this.#connection === connection) this.#connection = undefined
      throw error
    }
  }

  async #connect(): Promise<RpcConnection> {
    for (;;) {
      const connection = await connectTo(this.#home)
      if (connection !== undefined) return connection
      await sleep(10)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill()
    process.off('exit', this.#leave)
    await this.user[Symbol.asyncDispose]()
  }
}
