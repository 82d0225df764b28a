import type { Server } from 'node:net'

/** Where a server listens: at a new place, or at one that another process has opened and left to this one. */
export type Opened = { readonly fd: number }

/** What a child must be given to listen where this server does; callers wait in the kernel's queue of it. */
export function descriptorOf(server: Server): number | undefined {
  // Node tells it nowhere else.
  const { _handle: handle } = server as unknown as { readonly _handle: { readonly fd?: number } | null }
  return handle?.fd
}
