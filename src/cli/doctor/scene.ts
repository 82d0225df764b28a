import type { Home } from '../../daemon/home.ts'
import type { DaemonStatus } from '../../engine/call/context.ts'
import { EngineError } from '../../model/error.ts'
import { projectHere } from '../daemon/project-here.ts'
import { Remote } from '../daemon/remote.ts'
import type { Io } from '../frame/io.ts'
import { lostDaemon } from '../daemon/process.ts'
import { untilHttp } from '../daemon/until-http.ts'
import { type Machine, thisMachine } from './machine.ts'
import { findSources, type Source } from './sources.ts'

type Reached =
  | { readonly status: DaemonStatus; readonly error?: undefined }
  | { readonly status?: undefined; readonly error: EngineError }

/** The state that checks read, each part loaded once. */
export class Scene implements Disposable {
  readonly io: Io
  readonly home: Home
  readonly machine: Machine
  readonly remote: Remote
  #reached: Promise<Reached> | undefined
  #served: Promise<DaemonStatus | undefined> | undefined
  #sources: readonly Source[] | undefined

  constructor(io: Io, home: Home, machine: Machine = thisMachine) {
    this.io = io
    this.home = home
    this.machine = machine
    this.remote = new Remote(io)
  }

  [Symbol.dispose](): void {
    this.remote[Symbol.dispose]()
  }

  /** The status of the daemon, started if needed, or the error. */
  async reached(): Promise<Reached> {
    return await (this.#reached ??= this.#reach())
  }

  /** The status, if the daemon also reaches its database; without one, each method fails for the same reason. */
  async served(): Promise<DaemonStatus | undefined> {
    return await (this.#served ??= this.#serve())
  }

  /** Every file whose hooks apply here. */
  sources(): readonly Source[] {
    return (this.#sources ??= findSources(this.io, this.machine))
  }

  async #serve(): Promise<DaemonStatus | undefined> {
    const { status } = await this.reached()
    if (status === undefined) return undefined
    try {
      await projectHere(this.io, this.remote)
      return status
    } catch (error) {
      if (error instanceof EngineError && error.code === 'unavailable') return undefined
      throw error
    }
  }

  async #reach(): Promise<Reached> {
    try {
      const pid = await lostDaemon(this.home)
      if (pid !== undefined) throw lost(pid)
      return { status: await untilHttp(this.remote) }
    } catch (error) {
      if (error instanceof EngineError) return { error }
      throw error
    }
  }
}

const lost = (pid: number) =>
  new EngineError('not-found', `The daemon (pid ${pid}) is running, but its socket is missing.`, {
    hint: 'holdfast daemon stop --force',
  })
