import { constants } from 'node:fs'
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { EngineError } from '../model/error.ts'
import { shellWord } from '../model/shell/word.ts'
import { explain, ifMissing } from './explain.ts'
import { place, sync, syncOpen } from './place.ts'
import { lstat } from './stat.ts'
import { sha256 } from './skill-texts.ts'

/** A version of files that belong together, and where they are seen. */
export interface Version {
  /** The folder that keeps it; it must exist. */
  readonly folder: string
  /** The files by path below the folder of the version. */
  readonly files: ReadonlyMap<string, string>
  /** Links to files and folders of the version in force, by absolute path; targets are relative. */
  readonly links: ReadonlyMap<string, string>
  /** Where links of former versions may lie, which are removed: those in a folder whose target begins so. */
  readonly former: readonly { readonly folder: string; readonly prefix: string }[]
}

/** What became of a version. */
export interface PutInForce {
  readonly changed: boolean
  /** The folder that is in force now. */
  readonly inForce: string
  /** Paths that existed before and are gone. */
  readonly removed: readonly string[]
}

/** The link that decides which version is in force. */
export const IN_FORCE = 'compiled'
/** Waiting for the disk takes most of the time. */
const MOST_AT_ONCE = 32
const CLAIM = '.compiling'
const VERSION = /^compiled-[0-9a-f]{12}(?:-2)?$/
const FRESH_LINK = /^compiled\.holdfast-/

/**
 * Puts a version in force with one rename of a link, after all of it is on disk. After an early end, all links show the
 * same version, the old or the new one, and the next call removes the rest. Files of others are never replaced.
 */
export async function putInForce(version: Version): Promise<PutInForce> {
  const { folder, links } = version
  await refuseForeign(version)
  if (await isInForce(version))
    return { changed: false, inForce: await linkAt(join(folder, IN_FORCE)), removed: [] }
  await claim(folder)
  try {
    const name = await written(version)
    for (const [path, target] of links) await link(path, target)
    const at = join(folder, IN_FORCE)
    if ((await linkAt(at)) !== name) {
      await place(at, (fresh) => symlink(name, fresh))
      await sync(folder)
    }
    return { changed: true, inForce: name, removed: await removeFormer(version, name) }
  } catch (error) {
    await removeLeftOver(folder, await linkAt(join(folder, IN_FORCE))).catch(() => undefined)
    return explain(folder)(error)
  } finally {
    await rm(join(folder, CLAIM), { force: true })
  }
}

/** Everything that a compile would replace must be its own. */
async function refuseForeign({ folder, links }: Version): Promise<void> {
  for (const [path, target] of new Map([...links, [join(folder, IN_FORCE), undefined] as const])) {
    const there = await lstat(path).catch(ifMissing(undefined))
    if (there === undefined) continue
    const to = await linkAt(path)
    if (there.isSymbolicLink() && (target === undefined ? VERSION.test(to) : to === target)) continue
    throw new EngineError('conflict', `${path} was not made by runbook compile; nothing written.`, {
      hint: `Keep it under another name, then repeat: mv ${shellWord(path)} ${shellWord(`${path}.old`)}`,
    })
  }
}

/** True if a version is in force, and nothing else of any version is left. */
export async function isInForce({ folder, files, links, former }: Version): Promise<boolean> {
  const name = await linkAt(join(folder, IN_FORCE))
  if (!VERSION.test(name) || !(await isWhole(join(folder, name), files))) return false
  for (const [path, target] of links) if ((await linkAt(path)) !== target) return false
  const names = await namesIn(folder)
  if (names.some((one) => isLeftOver(one, name))) return false
  return (await formerLinks(former, links)).length === 0
}

const isLeftOver = (name: string, inForce: string): boolean =>
  (VERSION.test(name) && name !== inForce) || FRESH_LINK.test(name) || name === CLAIM

/** True if a folder has exactly these files. */
async function isWhole(folder: string, files: ReadonlyMap<string, string>): Promise<boolean> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(ifMissing([]))
  if (entries.filter((entry) => !entry.isDirectory()).length !== files.size) return false
  for (const [path, content] of files)
    if ((await readFile(join(folder, path), 'utf8').catch(() => undefined)) !== content) return false
  return true
}

/** Writes a version under a name that is not in force, and returns the name. */
async function written({ folder, files }: Version): Promise<string> {
  const inForce = await linkAt(join(folder, IN_FORCE))
  if (VERSION.test(inForce) && (await isWhole(join(folder, inForce), files))) return inForce
  const plain = `compiled-${digestOf(files)}`
  // Somebody has edited the version in force; until the link moves, its files stay.
  const name = inForce === plain ? `${plain}-2` : plain
  const at = join(folder, name)
  await rm(at, { recursive: true, force: true })
  await mkdir(at)
  const folders = new Set([...files.keys()].map(dirname).filter((one) => one !== '.'))
  for (const one of folders) await mkdir(join(at, one))
  const wanted = [...files]
  for (let first = 0; first < wanted.length; first += MOST_AT_ONCE)
    await Promise.all(
      wanted.slice(first, first + MOST_AT_ONCE).map(([path, content]) => writeNew(join(at, path), content)),
    )
  for (const one of folders) await sync(join(at, one))
  await sync(at)
  await sync(folder)
  return name
}

const digestOf = (files: ReadonlyMap<string, string>): string =>
  sha256(JSON.stringify([...files])).slice(0, 12)

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

async function writeNew(path: string, content: string): Promise<void> {
  await using file: FileHandle = await open(path, NEW, 0o666)
  const bytes = Buffer.from(content)
  for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten
  await syncOpen(file)
}

/** Makes a link, unless it is there. Until the version is in force, it may lead nowhere. */
async function link(path: string, target: string): Promise<void> {
  if ((await linkAt(path)) === target) return
  await makeFolders(dirname(path))
  await symlink(target, path)
  await sync(dirname(path))
}

async function makeFolders(path: string): Promise<void> {
  if ((await lstat(path).catch(ifMissing(undefined))) !== undefined) return
  await makeFolders(dirname(path))
  await mkdir(path)
  await sync(dirname(path))
}

/** Removes what only former versions have. */
async function removeFormer({ folder, links, former }: Version, inForce: string): Promise<readonly string[]> {
  const gone = await formerLinks(former, links)
  for (const path of gone) {
    await rm(path, { force: true })
    await sync(dirname(path))
  }
  return [...gone, ...(await removeLeftOver(folder, inForce))]
}

async function removeLeftOver(folder: string, inForce: string): Promise<readonly string[]> {
  const left = (await namesIn(folder)).filter((name) => name !== CLAIM && isLeftOver(name, inForce))
  for (const name of left) await rm(join(folder, name), { recursive: true, force: true })
  if (left.length > 0) await sync(folder)
  return left.map((name) => join(folder, name))
}

async function formerLinks(former: Version['former'], links: Version['links']): Promise<readonly string[]> {
  const found: string[] = []
  for (const { folder, prefix } of former)
    for (const name of await namesIn(folder)) {
      const path = join(folder, name)
      if (!links.has(path) && (await linkAt(path)).startsWith(prefix)) found.push(path)
    }
  return found
}

const namesIn = (folder: string): Promise<readonly string[]> =>
  readdir(folder).catch(ifMissing<readonly string[]>([]))

/** Where a link leads; empty if there is no link. */
const linkAt = (path: string): Promise<string> => readlink(path).catch(() => '')

/** Only one process at a time writes versions; what a dead one claimed is free. */
async function claim(folder: string): Promise<void> {
  const path = join(folder, CLAIM)
  const isOurs = await writeNew(path, String(process.pid)).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST') return false
      return explain(path)(error)
    },
  )
  if (isOurs) return
  const pid = Number(await readFile(path, 'utf8').catch(() => ''))
  if (pid !== process.pid && isAlive(pid))
    throw new EngineError('conflict', `Process ${pid} compiles ${basename(folder)} at this moment.`, {
      hint: `Repeat the command when it has ended. If it is no compile: rm ${shellWord(path)}`,
    })
  // A rename, because of several callers only one can take it away.
  const away = `${path}-${process.pid}`
  await rename(path, away).catch(ifMissing(undefined))
  await rm(away, { force: true })
  await claim(folder)
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
