import type { Server } from 'node:net'

/** Where a server listens: at a new address, or on a descriptor that another process passed on. */
export type Opened = { readonly fd: number }

/** The descriptor that a child needs to listen in place of this server. */
export function descriptorOf(server: Server): number | undefined {
  // Node has no public API for it.
  const { _handle: handle } = server as unknown as { readonly _handle: { readonly fd?: number } | null }
  return handle?.fd
}
