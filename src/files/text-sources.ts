import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { MOST_TEXT } from '../model/search/chunk.ts'
import type { Source } from '../model/search/found.ts'
import { isInside } from '../model/project.ts'
import { type Piece, piecesOf } from '../model/search/piece.ts'
import { isInSteps, kindOfFile, TEXT_FILE, titleOf } from '../model/search/source.ts'
import { gitIgnored } from './git-ignored.ts'
import { holdFolderOf } from './held-folder.ts'
import { lstat, readdir, realpath } from './stat.ts'
import { walk } from './walk.ts'

/** A text as it is indexed. */
export interface TextSource {
  readonly source_type: Source
  readonly source_path: string
  /** Of its content. */
  readonly digest: string
  /** When it was written. */
  readonly at: string
  readonly chunks: readonly Piece[]
}

const MOST_FOLDERS = 20_000
const MOST_FILES = 20_000
/** In UTF-8, a character takes up to four bytes. */
const MOST_BYTES = MOST_TEXT * 4

/**
 * The text files of a project, by relative path, without those that its git ignores. Links and other repositories are
 * not entered; a folder around the user's home has none, because it would hold everything.
 */
export async function textFilesIn(root: string, home: string = homedir()): Promise<readonly string[]> {
  if (isInside(await realpath(root), await realpath(home).catch(() => home))) return []
  const { files } = await walk(root, TEXT_FILE, MOST_FOLDERS, { isOwnOnly: true })
  if (await isInSkill(root)) return []
  const most = withoutSteps(files).slice(0, MOST_FILES)
  const ignored = await gitIgnored(root, most)
  return most.filter((path) => !ignored.has(path) || kindOfFile(path) === 'session')
}

const SKILL = /(?:^|\/)SKILL\.md$/i

/** A step is read when its turn has come, so of a skill only what its call shows anyway is searched. */
function withoutSteps(files: readonly string[]): readonly string[] {
  const skills = new Set(files.filter((path) => SKILL.test(path)).map(folderOf))
  const isBelowSkill = (folder: string): boolean =>
    skills.has(folder) || (folder !== '' && isBelowSkill(folderOf(folder)))
  return files.filter((path) =>
    SKILL.test(path)
      ? folderOf(path) === '' || !isBelowSkill(folderOf(folderOf(path)))
      : !isBelowSkill(folderOf(path)) && !isInSteps(path),
  )
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** A folder of steps can be a project too, and would show them. */
async function isInSkill(root: string): Promise<boolean> {
  for (let at = dirname(await realpath(root)); at !== dirname(at); at = dirname(at)) {
    const names = await readdir(at).catch(() => [])
    if (names.some((name) => SKILL.test(name))) return true
  }
  return false
}

/** A file that is not a text, too large, gone or outside has no source; one that was written at a known time is the same. */
export async function textSource(
  root: string,
  path: string,
  knownAt?: string,
): Promise<TextSource | 'same' | undefined> {
  try {
    const { mtimeMs } = await lstat(join(root, path))
    const at = new Date(mtimeMs).toISOString()
    if (at === knownAt) return 'same'
    const bytes = await bytesIn(await realpath(root), path)
    if (bytes === undefined || bytes.includes(0)) return undefined
    return {
      source_type: kindOfFile(path),
      source_path: path,
      digest: createHash('sha256').update(bytes).digest('hex'),
      at,
      chunks: piecesOf(bytes.toString('utf8'), titleOf(path)),
    }
  } catch {
    return undefined
  }
}

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants

/** Since the walk, a link or a pipe may have taken the place of the file or of a folder above it. */
async function bytesIn(root: string, path: string): Promise<Buffer | undefined> {
  const full = join(root, path)
  await using folder = await holdFolderOf(full, root)
  if (folder.path !== dirname(full)) return undefined
  await using file = await open(folder.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  const info = await file.stat()
  return info.isFile() && info.size <= MOST_BYTES ? await file.readFile() : undefined
}
