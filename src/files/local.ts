import { lstatSync, realpathSync, type Stats } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isInside } from '../model/project.ts'
import { lstat, realpath } from './stat.ts'

/** What has this name, at once where the disk cannot hang: a turn of another thread takes ten times as long. */
export const named = async (path: string): Promise<Stats> => atOnce(path) ?? (await lstat(path))

/** The same for the path with all links resolved. */
export const resolved = async (path: string): Promise<string> =>
  atOnce(path) === undefined ? await realpath(path) : realpathSync.native(path)

/** Undefined if the name is a link, which may lead to a disk that hangs, and if it cannot be seen. */
function atOnce(path: string): Stats | undefined {
  if (!isLocal(path)) return undefined
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found?.isSymbolicLink() === true ? undefined : found
  } catch {
    return undefined
  }
}

/** File systems whose answers wait for no other machine and no other program. */
const LOCAL = new Set(['btrfs', 'devtmpfs', 'ext2', 'ext3', 'ext4', 'f2fs', 'overlay', 'tmpfs', 'xfs', 'zfs'])
const KNOWN_MILLISECONDS = 5000
const MOST_FOLDERS = 1000

interface Known {
  /** Where file systems are mounted that may hang. */
  readonly foreign: readonly string[]
  /** Folders whose path has no link. */
  readonly folders: Set<string>
  readonly until: number
}

const NOTHING: Known = { foreign: [], folders: new Set(), until: -Infinity }
let known = NOTHING
const learning = new Set<string>()

/** Whether the disk can say at once what this name is; a folder that is asked for the first time is learnt for later. */
export function isLocal(path: string): boolean {
  const folder = dirname(path)
  if (performance.now() >= known.until) known = NOTHING
  // A slash at the end would follow a link.
  if (known.folders.has(folder)) return !isForeign(path) && !path.endsWith('/')
  if (!learning.has(folder)) void learn(folder)
  return false
}

/** Learns in another thread whether a folder may be asked at once; for a while, because mounts and links change. */
export async function learn(folder: string): Promise<void> {
  learning.add(folder)
  const until = performance.now() + KNOWN_MILLISECONDS
  const foreign = known === NOTHING ? await foreignMounts() : known.foreign
  if (known === NOTHING) known = { foreign, folders: new Set(), until }
  const real = isForeign(folder) ? undefined : await realpath(folder).catch(() => undefined)
  if (real === folder && known !== NOTHING && known.folders.size < MOST_FOLDERS) known.folders.add(folder)
  learning.delete(folder)
}

const isForeign = (path: string): boolean => known.foreign.some((point) => isInside(point, path))

/** Only Linux lists its mounts in a file; elsewhere everything may hang. */
async function foreignMounts(): Promise<readonly string[]> {
  const text = await readFile('/proc/self/mountinfo', 'utf8').catch(() => undefined)
  return text === undefined ? ['/'] : foreignIn(text)
}

/** The places of such mounts in a list of mounts; a later one hides what is below it. */
export const foreignIn = (mounts: string): readonly string[] =>
  mounts.split('\n').flatMap((line) => {
    const [before = '', after = ''] = line.split(' - ')
    const [point, type] = [before.split(' ')[4], after.split(' ')[0] ?? '']
    return point === undefined || LOCAL.has(type) ? [] : [plain(point)]
  })

/** Spaces and the like are written as octal numbers. */
const plain = (point: string): string =>
  point.replaceAll(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)))
