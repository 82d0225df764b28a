import { readFileSync } from 'node:fs'
import type { Home } from '../../daemon/home.ts'
import { VERSION } from '../../daemon/version.ts'
import { isNewer } from '../../model/version.ts'
import { ConnectionLost, RemoteError, type RpcConnection } from '../../rpc/connect.ts'

/**
 * Asks a daemon that is older than this program to hand over to it. Whether it does: then callers wait where they
 * would have been answered, and where it cannot, it goes on, and its log says why.
 */
export async function handsOver(
  home: Home,
  entry: string,
  connection: Pick<RpcConnection, 'call' | 'closed'>,
): Promise<boolean> {
  // A hint only, which saves every other command the question.
  if (!isNewer(VERSION, versionSeen(home))) return false
  try {
    const { version } = (await connection.call('daemon.ping')) as { version: string }
    if (!isNewer(VERSION, version)) return false
    await connection.call('daemon.handOver', { node: process.execPath, entry })
  } catch (error) {
    if (error instanceof RemoteError) return false
    // Somebody else has asked before us.
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
