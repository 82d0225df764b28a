import { readFileSync } from 'node:fs'
import type { Home } from '../../daemon/home.ts'
import { VERSION } from '../../daemon/version.ts'
import { isNewer } from '../../model/version.ts'
import { ConnectionLost, RemoteError, type RpcConnection } from '../../rpc/connect.ts'

/**
 * Asks an older daemon to hand over to this version, and returns whether it does. Meanwhile calls wait.
 * A daemon that cannot hand over continues to serve, and its log says why.
 */
export async function handsOver(
  home: Home,
  entry: string,
  connection: Pick<RpcConnection, 'call' | 'closed'>,
): Promise<boolean> {
  // The file is only a hint, which saves a call in the usual case.
  if (!isNewer(VERSION, versionSeen(home))) return false
  try {
    const { version } = (await connection.call('daemon.ping')) as { version: string }
    if (!isNewer(VERSION, version)) return false
    await connection.call('daemon.handOver', { node: process.execPath, entry })
  } catch (error) {
    if (error instanceof RemoteError) return false
    // Another client asked first.
    if (!(error instanceof ConnectionLost)) throw error
  }
  await connection.closed
  return true
}

function versionSeen({ about }: Home): string {
  try {
    return String((JSON.parse(readFileSync(about, 'utf8')) as { version?: unknown }).version)
  } catch {
    return ''
  }
}
