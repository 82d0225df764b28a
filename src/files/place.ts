import { renameSync, rmSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'

/** `make` writes the file beside its path; a rename then puts it in place, so readers see all of it or none. */
export async function place(path: string, make: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = besides(path)
  try {
    // A crash may have left one.
    await rm(fresh, { force: true })
    await make(fresh)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** The same for commands, and for a daemon that starts. */
export function placeSync(path: string, make: (fresh: string) => void): void {
  const fresh = besides(path)
  try {
    rmSync(fresh, { force: true })
    make(fresh)
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

const besides = (path: string): string => `${path}.holdfast-${process.pid}`
