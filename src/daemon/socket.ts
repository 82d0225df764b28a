import { chmodSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join, parse } from 'node:path'
import type { RpcServer } from '../rpc/serve.ts'
import type { Home } from './home.ts'

/** Binds a private name and renames it, so that a stopping daemon never removes its successor's socket. */
export async function listen(server: RpcServer, home: Home): Promise<void> {
  const { dir, name } = parse(home.socket)
  // Removes sockets of daemons that were killed before the rename; the lock proves that none is alive.
  const left = new RegExp(`^${name}\\.\\d+$`)
  for (const file of readdirSync(dir)) if (left.test(file)) rmSync(join(dir, file))
  const own = join(dir, `${name}.${process.pid}`)
  await server.listen(own)
  chmodSync(own, 0o600)
  renameSync(own, home.socket)
}
