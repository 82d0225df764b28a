import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'
import { checkPrivate, type Home } from '../../daemon/home.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { RpcConnection } from '../../rpc/connect.ts'
import { freeName } from '../../daemon/free-name.ts'
import { pidOf } from './process.ts'

/** After this silence the client pings the daemon, and waits as long again for the reply. */
const SILENT_MILLISECONDS = 5000

export type OnNotification = (method: string, params: unknown) => void

/** A connection to the daemon that is running, or undefined. */
export async function connectTo(
  home: Home,
  onNotification?: OnNotification,
): Promise<RpcConnection | undefined> {
  try {
    const blocked = blockedBy(home)
    // Another user may have planted the socket, so check its owner before the first byte.
    checkPrivate(dirname(home.socket))
    if (blocked !== undefined) throw blocked
    checkPrivate(home.socket)
    return await RpcConnection.open(home.socket, onNotification)
  } catch (error) {
    // The daemon has ended, or removed its socket between two checks.
    // Reset: the daemon was killed while this connection waited.
    if (isOneOf(error, ['ECONNREFUSED', 'ECONNRESET', 'ENOENT', 'ENOTDIR'])) return undefined
    if (error instanceof EngineError) throw error
    throw unreachable(home, error instanceof Error ? error.message : String(error))
  }
}

/** The error if something else has the path of the socket; a new daemon replaces a private file. */
export function blockedBy({ socket }: Home): EngineError | undefined {
  const info = lstatSync(socket)
  const isPrivateFile = info.isFile() && (info.mode & 0o077) === 0
  if (info.isSocket() || info.isSymbolicLink() || isPrivateFile) return undefined
  return new EngineError('forbidden', `${socket} is not a socket, so the daemon cannot use that path.`, {
    hint: `mv ${shellWord(socket)} ${shellWord(freeName(socket, 'moved'))}`,
  })
}

const isOneOf = (error: unknown, codes: readonly string[]) =>
  error instanceof Error && 'code' in error && codes.includes(String(error.code))

/** Returns the reply, or throws if the daemon is stuck. */
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

/** The error for a daemon that cannot be reached. */
export const unreachable = (home: Home, why: string) =>
  new EngineError(
    'unavailable',
    `Cannot reach the daemon: ${why}; see its log: ${home.log}.`.replace(/\.+$/, '.'),
    {
      hint: 'holdfast doctor',
    },
  )
