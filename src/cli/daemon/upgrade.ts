import { readFileSync } from 'node:fs'
import type { Home } from '../../daemon/home.ts'
import { durableEntry, keepLauncher, readLauncher } from '../../daemon/launcher.ts'
import { VERSION } from '../../daemon/version.ts'
import type { DaemonProgram } from '../../engine/call/context.ts'
import { isNewer } from '../../model/version.ts'
import { ConnectionLost, RemoteError, type RpcConnection } from '../../rpc/connect.ts'
import { connectTo, unlessStuck } from './connect.ts'
import { commandOf, livingDaemon, untilGone } from './process.ts'
import type { Launch } from './start.ts'

/**
 * Asks an older daemon to hand over to this version, and returns whether it does. Meanwhile calls wait.
 * A daemon that cannot hand over continues to serve, and its log says why.
 */
export async function handsOver(
  { home, node = process.execPath, entry, env }: Pick<Launch, 'home' | 'node' | 'entry' | 'env'>,
  connection: Pick<RpcConnection, 'call' | 'closed'>,
): Promise<boolean> {
  // The file is only a hint, which saves a call in the usual case.
  if (!isNewer(VERSION, versionSeen(home))) return false
  try {
    const { version } = (await connection.call('daemon.ping')) as { version: string }
    if (!isNewer(VERSION, version)) return false
    await connection.call('daemon.handOver', named(home, { node, entry: durableEntry(entry, env) }))
  } catch (error) {
    if (error instanceof RemoteError) return false
    // Another client asked first.
    if (!(error instanceof ConnectionLost)) throw error
  }
  await connection.closed
  return true
}

/** The program that the launcher runs from now on; the daemon hands over to no other. */
function named(home: Home, program: DaemonProgram): DaemonProgram {
  try {
    keepLauncher(home, program)
  } catch {
    // A home that cannot be written keeps its daemon.
  }
  const { node, entry } = readLauncher(home) ?? program
  return { node, entry }
}

/** Lets a running daemon continue as this program, unless it already is this program or a newer one. */
export async function handsOverTo(home: Home, program: DaemonProgram): Promise<void> {
  const pid = livingDaemon(home)
  if (pid === undefined || commandOf(pid).includes(program.entry) || isNewer(versionSeen(home), VERSION))
    return
  const connection = await connectTo(home)
  if (connection === undefined) return
  try {
    const { node, entry } = program
    await unlessStuck(home, connection, connection.call('daemon.handOver', { node, entry }))
    await connection.closed
    // Until then its program is in use.
    await untilGone(pid).catch(() => undefined)
  } catch (error) {
    // It serves on as it is, and the next newer program asks again.
    if (!(error instanceof RemoteError || error instanceof ConnectionLost)) throw error
  } finally {
    connection.close()
  }
}

function versionSeen({ about }: Home): string {
  try {
    return String((JSON.parse(readFileSync(about, 'utf8')) as { version?: unknown }).version)
  } catch {
    return ''
  }
}
