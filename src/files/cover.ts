import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { EngineError } from '../model/error.ts'
import type { Covered } from '../model/files.ts'
import { below, exceptionsIn, isMatched, matchesAny, type Rest, restOf } from '../model/text/glob.ts'
import { lstat, readdir, readlink } from './stat.ts'

/** Limits, because tool calls wait for this digest. */
const MOST = { files: 5000, names: 100_000, bytes: 64 * 1024 * 1024 }

interface Found {
  readonly path: string
  readonly isLink: boolean
}

/** The digest of all files that match the patterns, sorted by path. */
export async function digestOf(request: { root: string; patterns: readonly string[] }): Promise<Covered> {
  const { root, patterns } = request
  const files = await find(root, restOf(patterns), patterns)
  // Loaded at first use, because the import would slow the start of the daemon.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256')
  const stamps = process.getBuiltinModule('node:crypto').createHash('sha256')
  let bytes = 0
  for (const { path, isLink } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1))) {
    const content = await (isLink ? linked(join(root, path)) : read(join(root, path), MOST.bytes - bytes))
    if (content === 'large') throw tooLarge(patterns, `${MOST.bytes} bytes`)
    // Removed meanwhile, so it does not count.
    if (content === undefined) continue
    bytes += content.length
    const { ino = 0n, ctimeNs = 0n } = (await lstat(join(root, path), { bigint: true }).catch(() => {})) ?? {}
    stamps.update(`${path}\0${ino}\0${ctimeNs}\0`)
    hash.update(`${isLink ? 'link' : 'file'}\0${path}\0${content.length}\0`).update(content)
  }
  return { digest: hash.digest('hex'), stamp: stamps.digest('hex'), files: files.length }
}

async function find(root: string, all: Rest, patterns: readonly string[]): Promise<readonly Found[]> {
  const found: Found[] = []
  const exceptions = exceptionsIn(patterns)
  let names = 0
  const isMeant = (left: Rest, path: string) => isMatched(left) && !matchesAny(exceptions, path)
  const look = async (folder: string, rest: Rest): Promise<void> => {
    // An unreadable or missing folder covers no files.
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
    names += entries.length
    for (const entry of entries) {
      const left = below(rest, entry.name)
      if (left.length === 0) continue
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`
      if (entry.isDirectory()) await look(path, left)
      else if (isMeant(left, path) && (entry.isFile() || entry.isSymbolicLink()))
        found.push({ path, isLink: entry.isSymbolicLink() })
      if (found.length > MOST.files) throw tooLarge(patterns, `${MOST.files} files`)
      if (names > MOST.names) throw tooLarge(patterns, `${MOST.names} names in its folders`)
    }
  }
  await look('', all)
  return found
}

const linked = async (path: string): Promise<Buffer | undefined> =>
  await readlink(path).then(
    (target) => Buffer.from(target),
    () => undefined,
  )

/** Opens without following links, because a link may have replaced the file. */
async function read(path: string, most: number): Promise<Buffer | 'large' | undefined> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    () => undefined,
  )
  if (file === undefined) return undefined
  try {
    const info = await file.stat()
    if (!info.isFile()) return undefined
    return info.size > most ? 'large' : await file.readFile()
  } finally {
    await file.close()
  }
}

const tooLarge = (patterns: readonly string[], most: string) =>
  new EngineError('too-large', `${patterns.join(', ')} covers more than ${most}.`, {
    hint: 'Name fewer files in covers.',
  })
