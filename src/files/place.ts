import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** `make` writes the file beside its path; a rename then puts it in place, so readers see all of it or none. */
export async function place(path: string, make: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = besides(path)
  try {
    await make(fresh)
    await rename(fresh, path)
  } catch (error) {
    await rm(fresh, { force: true })
    throw error
  }
}

/** The same for commands, and for a daemon that starts; returns when the name is on disk too. */
export function placeSync(path: string, make: (fresh: string) => void): void {
  placeForNow(path, make)
  syncSync(dirname(path))
}

/** The same for what nobody needs after a power cut. */
export function placeForNow(path: string, make: (fresh: string) => void): void {
  const fresh = besides(path)
  try {
    make(fresh)
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}

/** Creates missing folders, and returns when the name of each is on disk. */
export function makeFoldersSync(path: string, mode = 0o777): void {
  const folder = resolve(path)
  const first = mkdirSync(folder, { recursive: true, mode })
  if (first === undefined) return
  for (let made = folder; made.length >= first.length; made = dirname(made)) syncSync(dirname(made))
}

/** Returns when a file, or the names in a folder, are on disk. */
export async function sync(path: string): Promise<void> {
  await using file = await open(path)
  await syncOpen(file)
}

/** The same for what is open already. */
export async function syncOpen(file: FileHandle): Promise<void> {
  await file.sync().catch((error: unknown) => {
    if (!cannotSync(error)) throw error
  })
}

/** The same for commands, and for a daemon that starts. */
export function syncSync(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } catch (error) {
    if (!cannotSync(error)) throw error
  } finally {
    closeSync(descriptor)
  }
}

/** Some file systems, such as network disks, cannot sync a folder. */
const cannotSync = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'EINVAL' || error.code === 'ENOTSUP')

/** A write takes moments; what is older than this, a killed process has left. */
const LEFT_MILLISECONDS = 600_000

/** Removes what killed processes left beside a file; another machine may be at work on a younger one. */
export async function sweepBeside(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)]
  for (const other of await readdir(folder).catch(() => [])) {
    if (
      !other.startsWith(`${name}.holdfast-`) ||
      !/^\d+-[0-9a-f]{8}$/.test(other.slice(name.length + '.holdfast-'.length))
    )
      continue
    const left = join(folder, other)
    const info = await lstat(left).catch(() => undefined)
    if (info?.isFile() === true && Date.now() - info.mtimeMs > LEFT_MILLISECONDS)
      await rm(left, { force: true })
  }
}

/** The pid tells whether its maker lives; the rest differs, because machines that share a disk share pids. */
const besides = (path: string): string => `${path}.holdfast-${process.pid}-${randomBytes(4).toString('hex')}`
