import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readFile, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { EngineError } from '../model/error.ts'
import { place } from './place.ts'
import type { Files } from '../model/files.ts'
import { isInside } from '../model/project.ts'
import { isOfProcess } from '../model/text/path.ts'
import { digestOf } from './cover.ts'
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
    if (!isInside(root, await canonical(path)))
      throw new EngineError('forbidden', `${path} is outside the project ${root}.`, { field: 'path' })
    const entries = await readdir(path, { withFileTypes: true }).catch(ifMissing([]))
    return entries
      .filter((entry) => (kind === 'file' ? entry.isFile() : entry.isDirectory()))
      .map(({ name }) => name)
      .toSorted()
  },
  async makeFolders({ path, root }) {
    const made: string[] = []
    for (const folder of await missingFolders(path)) {
      if (!isInside(root, await canonical(folder)))
        throw new EngineError('forbidden', `${path} is outside the project ${root}.`, { field: 'path' })
      // Another process may create the same folder first, and then owns it.
      const isOurs = await mkdir(folder)
        .then(() => true, ifThere(false))
        .catch(explain(folder))
      if (isOurs) made.push(folder)
    }
    if (made.length > 0) await syncFolder(dirname(path))
    return made
  },
  async removeFolders(paths) {
    for (const path of paths.toReversed()) await rmdir(path).catch(ifInUse)
  },
  async read({ path, root, offset, limit }) {
    await using file = await openInside(path, root, constants.O_RDONLY)
    const { size } = await file.stat()
    const buffer = Buffer.alloc(Math.max(0, Math.min(limit, size - offset)))
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset)
    const isLast = offset + bytesRead >= size
    const length = isLast ? bytesRead : wholeCharacters(buffer.subarray(0, bytesRead))
    return { content: buffer.toString('utf8', 0, length), size, next_offset: isLast ? null : offset + length }
  },
  async standing({ path, root, content, at, before }) {
    if ((await stat(path).catch(ifMissing(undefined))) === undefined) return 0
    await using file = await openInside(path, root, constants.O_RDONLY)
    return await alreadyThere(file, Buffer.from(content), { at, before, size: (await file.stat()).size })
  },
  async append({ path, root, content, resume }) {
    const existed = (await stat(path).catch(ifMissing(undefined))) !== undefined
    // APPEND, because others write to the same files and what they add meanwhile must not be overwritten.
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND
    await using file = await openInside(path, root, flags)
    const bytes = Buffer.from(content)
    const { size } = await file.stat()
    const done = resume === undefined ? 0 : await alreadyThere(file, bytes, { ...resume, size })
    await writeAll(file, bytes.subarray(done), size).catch(explain(path))
    await file.sync()
    if (!existed) await syncFolder(dirname(path))
    return { offset: done === 0 ? size : (resume?.at ?? size), size: (await file.stat()).size }
  },
  async put({ path, root, content, replaces }) {
    const there = await wholeFile(path, root)
    if (there === content) return false
    if (there !== undefined && !replaces)
      throw new EngineError('conflict', `${path} already exists with different content.`, { field: 'path' })
    await place(path, (fresh) => writeInside(fresh, root, content)).catch(explain(path))
    await syncFolder(dirname(path))
    return true
  },
}

async function wholeFile(path: string, root: string): Promise<string | undefined> {
  if ((await stat(path).catch(ifMissing(undefined))) === undefined) return undefined
  await using file = await openInside(path, root, constants.O_RDONLY)
  return await readFile(file, 'utf8')
}

async function writeInside(path: string, root: string, content: string): Promise<void> {
  await using file = await openInside(path, root, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)
  await writeAll(file, Buffer.from(content), 0).catch(explain(path))
  await file.sync()
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

/** Opens the file before checking it, because a path may change between check and use. */
async function openInside(path: string, root: string, flags: number): Promise<FileHandle> {
  // NONBLOCK, because opening a pipe would otherwise wait for its other end.
  const file = await open(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o600).catch(
    explain(path),
  )
  try {
    if (!(await file.stat()).isFile())
      throw new EngineError('forbidden', `${path} is not a regular file.`, { field: 'path' })
    const opened = await openedPath(file, path)
    if (!isInside(root, opened))
      throw new EngineError('forbidden', `${path} is outside the project ${root}.`, { field: 'path' })
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

/** Writes everything or nothing: truncates a partial write on a full disk. */
async function writeAll(file: FileHandle, bytes: Buffer, size: number): Promise<void> {
  let done = 0
  try {
    while (done < bytes.length) done += (await file.write(bytes, done)).bytesWritten
  } catch (error) {
    if ((await file.stat()).size === size + done) await file.truncate(size)
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

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, constants.O_RDONLY)
  await folder.sync()
}

function ifMissing<T>(value: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return value
    throw explained(error, error.path ?? 'The path')
  }
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

const explain = (path: string) => (error: NodeJS.ErrnoException) => {
  throw explained(error, path)
}

function explained(error: NodeJS.ErrnoException, path: string): unknown {
  const because = (code: 'forbidden' | 'not-found' | 'storage-full', text: string) =>
    new EngineError(code, `${path} ${text}.`, { field: 'path', cause: error })
  switch (error.code) {
    case 'ENOENT':
    case 'ENOTDIR':
      return because('not-found', 'does not exist')
    case 'EISDIR':
      return because('forbidden', 'is a folder, not a file')
    case 'ELOOP':
      return because('forbidden', 'is a symbolic link, or links form a loop')
    case 'ENXIO':
      return because('forbidden', 'is not a regular file')
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return because('forbidden', 'is not accessible to this user')
    case 'ENOSPC':
    case 'EFBIG':
    case 'EDQUOT':
      return because('storage-full', 'could not be written: the disk is full')
    case 'ENAMETOOLONG':
      return because('not-found', 'is too long for a path')
    default:
      return error
  }
}
