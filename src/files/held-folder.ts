import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { EngineError } from '../model/error.ts'
import { isInside } from '../model/project.ts'
import { explain } from './explain.ts'
import { syncOpen } from './place.ts'
import { lstat, readlink, realpath } from './stat.ts'

/** The folder of a file, held open while the file is created, renamed or removed in it. */
interface HeldFolder extends AsyncDisposable {
  /** Its canonical path. */
  readonly path: string
  /** The file, by a name that stays in this folder even if a link takes the place of the folder. */
  readonly file: string
  sync(): Promise<void>
}

/** Opens the folder of a file and checks that it is inside `root`. */
export async function holdFolderOf(file: string, root: string): Promise<HeldFolder> {
  const named = dirname(file)
  const handle = await open(named, constants.O_RDONLY | constants.O_DIRECTORY).catch(explain(file))
  try {
    const byDescriptor = `/proc/self/fd/${handle.fd}`
    const told = await readlink(byDescriptor).catch(() => undefined)
    const path = told ?? (await realpath(named))
    if (!isInside(root, path)) throw outside(file, root)
    return {
      path,
      // Only Linux can name a file by an open folder; elsewhere a swap at this moment goes unnoticed.
      file: join(told === undefined ? path : byDescriptor, basename(file)),
      sync: () => syncOpen(handle).catch(explain(file)),
      [Symbol.asyncDispose]: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** The refusal of a path that leads out of the project. */
export const outside = (path: string, root: string) =>
  new EngineError('forbidden', `${path} is outside the project ${root}.`, { field: 'path' })

const MOST_KEPT = 10_000
/** Files and folders whose names this process has synced up to the root of their project. */
const kept = new Set<string>()

/**
 * Returns when the name of a file and of every folder above it, up to `root`, is on disk. Names that an earlier process
 * created count too, because it may have died before its sync.
 */
export async function keepNames(file: string, root: string): Promise<void> {
  const fresh: string[] = []
  for (let at = file; at !== root;) {
    const { dev, ino, birthtimeMs } = await lstat(at).catch(explain(at))
    const id = `${dev}:${ino}:${birthtimeMs}`
    if (kept.has(id)) break
    await using folder = await holdFolderOf(at, root)
    await folder.sync()
    fresh.push(id)
    at = folder.path
  }
  if (kept.size > MOST_KEPT) kept.clear()
  for (const id of fresh) kept.add(id)
}
