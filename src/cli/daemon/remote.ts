import { findHome } from '../../daemon/home.ts'
import { EngineError, ERROR_CODES, type ErrorCode } from '../../model/error.ts'
import { type CallRequest, ConnectionLost, RemoteError, type RpcConnection } from '../../rpc/connect.ts'
import type { Io } from '../frame/io.ts'
import { unlessStuck } from './connect.ts'
import OWN_PARAMS from './own-params.json' with { type: 'json' }
import { reach } from './reach.ts'
import type { Launch } from './start.ts'

const TRIES = 5

/** Calls methods of the daemon; starts it and reconnects as needed. */
export class Remote {
  readonly launch: Launch
  readonly #by: Io['by']
  #connection: RpcConnection | undefined

  constructor({ env, by, ...launch }: Pick<Io, 'env' | 'by'> & Pick<Launch, 'entry' | 'node' | 'onStart'>) {
    this.#by = by
    const { entry, node, onStart } = launch
    this.launch = {
      home: findHome(env),
      entry,
      env,
      ...(node !== undefined && { node }),
      ...(onStart !== undefined && { onStart }),
    }
  }

  async call<T>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> {
    const safe = withKey(method, { ...this.#caller(method), ...params })
    return (await this.#try((connection) => connection.call(method, safe))) as T
  }

  #caller(method: string): object {
    return this.#by !== undefined && OWN_PARAMS.by.includes(method) ? { by: this.#by } : {}
  }

  /** Several reads in one round trip. */
  async callAll(requests: readonly CallRequest[]): Promise<readonly unknown[]> {
    return await this.#try((connection) => connection.callAll(requests))
  }

  /** For `using`: an open connection would keep a failed command alive. */
  [Symbol.dispose](): void {
    this.#connection?.close()
    this.#connection = undefined
  }

  /** Repeats a call after a lost connection; reads and keyed calls are safe to repeat. */
  async #try<T>(work: (connection: RpcConnection) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        this.#connection ??= await reach(this.launch)
        return await unlessStuck(this.launch.home, this.#connection, work(this.#connection))
      } catch (error) {
        if (error instanceof RemoteError) throw toEngineError(error)
        if (!(error instanceof ConnectionLost)) throw error
        this.#connection = undefined
        if (tries === TRIES)
          throw new EngineError('unavailable', 'The daemon keeps closing the connection.', {
            hint: 'holdfast doctor',
          })
      }
    }
  }
}

function withKey(name: string, params: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const takesKey = OWN_PARAMS.idempotency_key.includes(name)
  return takesKey ? { idempotency_key: crypto.randomUUID(), ...params } : params
}

/** The error of a daemon, as a command throws it. */
export function toEngineError(error: RemoteError): EngineError {
  const { code, hint, field } = (error.data ?? {}) as { code?: ErrorCode; hint?: string; field?: string }
  const byNumber = (Object.keys(ERROR_CODES) as ErrorCode[]).find(
    (name) => ERROR_CODES[name].rpc === error.code,
  )
  return new EngineError(code ?? byNumber ?? 'internal', error.message, {
    ...(hint !== undefined && { hint }),
    ...(field !== undefined && { field }),
  })
}
