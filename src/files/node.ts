import { constants, writeSync } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { EngineError } from '../model/error.ts'
import type { Files } from '../model/files.ts'
import { isInside } from '../model/project.ts'
import { isOfProcess } from '../model/text/path.ts'
import { digestOf } from './cover.ts'
import { explain, ifMissing } from './explain.ts'
import { holdFolderOf, keepNames, outside } from './held-folder.ts'
import { place, sweepBeside } from './place.ts'
import { lstat, readdir, readlink, realpath, stat } from './stat.ts'

/** The disk of this machine. */
export const nodeFiles: Files = {
  canonical,
  digest: digestOf,
  async kind(path) {
    const info = await stat(path).catch(ifUnreachable)
    if (info === undefined || info === 'other') return info ?? 'missing'
    if (info.isFile()) return 'file'
    return info.isDirectory() ? 'folder' : 'other'
  },
  async size(path) {
    return (await stat(path).catch(ifMissing(undefined)))?.size ?? 0
  },
  async identity(path) {
    const named = await lstat(path).catch(() => undefined)
    const isLink = named?.isSymbolicLink() ?? false
    const info = isLink ? await stat(path).catch(() => undefined) : named
    if (info === undefined) return undefined
    const isFile = info.isFile()
    return {
      id: `${info.dev}:${info.ino}`,
      isLink,
      isFile,
      isShared: isFile && info.nlink > 1,
      changedAt: info.ctimeMs,
    }
  },
  links: linksIn,
  async names(folder) {
    return await readdir(folder).catch(() => [])
  },
  async list({ path, root, kind = 'file' }) {
    if (!isInside(root, await canonical(path))) throw outside(path, root)
    const entries = await readdir(path, { withFileTypes: true }).catch(ifMissing([]))
    return entries
      .filter((entry) => (kind === 'file' ? entry.isFile() : entry.isDirectory()))
      .map(({ name }) => name)
      .toSorted()
  },
  async makeFolders({ path, root }) {
    const made: string[] = []
    for (const missing of await missingFolders(path)) {
      await using folder = await holdFolderOf(missing, root)
      // Another process may create the same folder first, and then owns it.
      const isOurs = await mkdir(folder.file)
        .then(() => true, ifThere(false))
        .catch(explain(missing))
      if (isOurs) made.push(missing)
    }
    await keepNames(path, root)
    return made
  },
  async removeFolders(paths) {
    for (const path of paths.toReversed()) {
      await using folder = await holdFolderOf(path, dirname(path)).catch(ifGone)
      if (folder !== undefined) await rmdir(folder.file).catch(ifInUse)
    }
  },
  async read({ path, root, offset, limit }) {
    await using file = await openInside({ path, root }, constants.O_RDONLY)
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
    const isLast = offset + bytesRead >= size
    const length = isLast ? bytesRead : wholeCharacters(buffer.subarray(0, bytesRead))
    const content = buffer.toString('utf8', 0, length)
    const isText = !content.includes('\uFFFD') || buffer.subarray(0, length).equals(Buffer.from(content))
    return { content, size, next_offset: isLast ? null : offset + length, isText }
  },
  async standing({ path, root, content, at, before }) {
    if ((await stat(path).catch(ifMissing(undefined))) === undefined) return 0
    await using file = await openInside({ path, root }, constants.O_RDONLY)
    return await alreadyThere(file, Buffer.from(content), { at, before, size: (await file.stat()).size })
  },
  async append({ path, root, content, resume, check }) {
    await using folder = await holdFolderOf(path, root)
    // APPEND, because others write to the same files and what they add meanwhile must not be overwritten.
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND
    await using file = await openInside({ path, root, by: folder.file }, flags)
    const bytes = Buffer.from(content)
    const { size } = await file.stat()
    const done = resume === undefined ? 0 : await alreadyThere(file, bytes, { ...resume, size })
    // A part that a crash left may not be on disk either.
    const start = resume !== undefined && resume.at + done === size ? resume.at : size
    await writeAll(file, bytes.subarray(done), { size, start, check }).catch(explain(path))
    await keepNames(path, root)
    const { size: end } = await file.stat()
    const offset = done === 0 ? await placeOf(file, bytes, { size, end }) : resume?.at
    return { offset: offset ?? size, size: end }
  },
  async put({ path, root, content, replaces, was, check }) {
    const there = await wholeFile(path, root)
    if (there !== undefined && there !== content && !replaces)
      throw new EngineError('conflict', `${path} already exists with different content.`, { field: 'path' })
    if (there !== content) {
      await using folder = await holdFolderOf(path, root)
      const write = async (by: string) => {
        await writeInside({ path, root, by }, content)
        // Last, because nothing tells of a change between this look and the rename.
        if (was !== undefined && ((await wholeFile(path, root)) ?? null) !== was) throw changedMeanwhile(path)
        check?.()
      }
      await place(folder.file, write).catch(explain(path))
      await sweepBeside(folder.file)
    }
    await keepNames(path, root)
    return there !== content
  },
}

async function wholeFile(path: string, root: string): Promise<string | undefined> {
  if ((await stat(path).catch(ifMissing(undefined))) === undefined) return undefined
  await using file = await openInside({ path, root }, constants.O_RDONLY)
  return await readFile(file, 'utf8')
}

const changedMeanwhile = (path: string) =>
  new EngineError('conflict', `${path} was changed meanwhile, so nothing was written to it.`, {
    field: 'path',
  })

async function writeInside(inside: Inside, content: string): Promise<void> {
  await using file = await openInside(inside, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  const replaced = await stat(inside.path).catch(ifMissing(undefined))
  if (replaced !== undefined) await file.chmod(replaced.mode & 0o777)
  await writeAll(file, Buffer.from(content), { size: 0, start: 0 })
}

/** Resolves links in the part of the path that exists. */
async function canonical(path: string): Promise<string> {
  const real = await realpath(path).catch(ifMissing(undefined))
  if (real !== undefined) return real
  const parent = dirname(path)
  if (parent === path) return path
  const isDanglingLink = (await lstat(path).catch(ifMissing(undefined)))?.isSymbolicLink() ?? false
  if (isDanglingLink)
    throw new EngineError('forbidden', `${path} is a broken symbolic link.`, { field: 'path' })
  return join(await canonical(parent), basename(path))
}

const MOST_LINKS = 40

/** A link to a folder of a process is not followed, because this process has another one. */
async function linksIn(path: string, before: readonly string[] = []): Promise<readonly string[]> {
  const parts = path.split('/').slice(1)
  for (const at of parts.keys()) {
    const here = `/${parts.slice(0, at + 1).join('/')}`
    const to = await readlink(here).catch(() => undefined)
    if (to === undefined) continue
    const next = resolve(dirname(here), to, ...parts.slice(at + 1))
    const all = [...before, next]
    return all.length === MOST_LINKS || isOfProcess(next) ? all : await linksIn(next, all)
  }
  return before
}

/** The missing folders of a path, outermost first. */
async function missingFolders(path: string): Promise<readonly string[]> {
  const isThere = (await stat(path).catch(ifMissing(undefined))) !== undefined
  return isThere ? [] : [...(await missingFolders(dirname(path))), path]
}

interface Inside {
  readonly path: string
  readonly root: string
  /** The path by an open folder, for a file that may be created; nothing may appear outside of `root`. */
  readonly by?: string
}

/** Opens the file before checking it, because a path may change between check and use. */
async function openInside({ path, root, by = path }: Inside, flags: number): Promise<FileHandle> {
  // NONBLOCK, because opening a pipe would otherwise wait for its other end.
  const file = await open(by, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600).catch(explain(path))
  try {
    if (!(await file.stat()).isFile())
      throw new EngineError('forbidden', `${path} is not a regular file.`, { field: 'path' })
    if (!isInside(root, await openedPath(file, path))) throw outside(path, root)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Linux tells what a descriptor really is; elsewhere the path is resolved once more. */
async function openedPath(file: FileHandle, path: string): Promise<string> {
  return await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path))
}

/** How many bytes of a text that was cut short by a crash are on disk already. */
async function alreadyThere(
  file: FileHandle,
  bytes: Buffer,
  where: { at: number; before: number; size: number },
): Promise<number> {
  const { at, before, size } = where
  const found = Buffer.alloc(Math.max(0, Math.min(bytes.length, Math.min(size, before) - at)))
  await file.read(found, 0, found.length, at)
  const isOurs = bytes.subarray(0, found.length).equals(found)
  const mayGoOn = found.length === bytes.length || at + found.length === size
  return isOurs && mayGoOn ? found.length : 0
}

/** Where the text is that was added after `size`; another program may have added its own before. */
async function placeOf(
  file: FileHandle,
  bytes: Buffer,
  { size, end }: { readonly size: number; readonly end: number },
): Promise<number> {
  if (end <= size + bytes.length) return size
  const added = Buffer.alloc(end - size)
  await file.read(added, 0, added.length, size)
  return size + Math.max(0, added.indexOf(bytes))
}

interface Written {
  readonly size: number
  /** Where a text begins that is taken back. */
  readonly start: number
  /** Throws if the caller may no longer write. */
  readonly check?: (() => void) | undefined
}

/**
 * Puts everything on disk or takes it back. After a failed sync the kernel may forget what it did not write, so a later
 * sync would succeed without it.
 */
async function writeAll(file: FileHandle, bytes: Buffer, { size, start, check }: Written): Promise<void> {
  let done = 0
  if (bytes.length > 0) check?.()
  try {
    // At once, because a wait for a thread would be time in which the check gets old.
    if (check !== undefined) done = writeSync(file.fd, bytes)
    while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten
    await file.sync()
  } catch (error) {
    if ((await file.stat()).size === size + done) await file.truncate(start)
    throw error
  }
}

/** The number of bytes before an incomplete last character. */
function wholeCharacters(bytes: Buffer): number {
  const tail = [1, 2, 3].find((back) => (bytes.at(-back) ?? 0) >= 0xc0)
  if (tail === undefined) return bytes.length
  const lead = bytes.at(-tail) ?? 0
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2
  return length > tail ? bytes.length - tail : bytes.length
}

/** Nothing can have a name that is too long; links in a loop and what we may not see are neither file nor folder. */
function ifUnreachable(error: NodeJS.ErrnoException): 'other' | undefined {
  if (error.code === 'ELOOP' || error.code === 'EACCES') return 'other'
  return error.code === 'ENAMETOOLONG' ? undefined : ifMissing(undefined)(error)
}

function ifThere<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'EEXIST') return value
    throw error
  }
}

/** Ignores folders that are in use or already removed. */
function ifInUse(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST' && error.code !== 'ENOENT') throw error
}

/** A folder that is gone, or has a link in its place, has nothing of ours to remove. */
function ifGone(error: unknown): undefined {
  const isGone = error instanceof EngineError && (error.code === 'not-found' || error.code === 'forbidden')
  if (!isGone) throw error
}
