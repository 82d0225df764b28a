import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPrivate, type Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'
import { RpcConnection } from '../../rpc/connect.ts'
import { pidOf } from './process.ts'

/** So long a daemon may be silent before it is asked whether it lives, and as long again before that is answered. */
const SILENT_MILLISECONDS = 5000

export type OnNotification = (method: string, params: unknown) => void

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

const doesNotAnswer = (home: Home) =>
  new EngineError('timeout', `The daemon (pid ${pidOf(home) ?? 'unknown'}) does not answer.`, {
    hint: 'holdfast daemon stop --force',
  })

/** The error of a daemon that nobody can talk to. */
export const unreachable = (home: Home, why: string) =>
  new EngineError(
    'unavailable',
    `The daemon cannot be reached: ${why}; its log is ${home.log}.`.replace(/\.+$/, '.'),
    {
      hint: 'holdfast doctor',
    },
  )
