import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chunk } from '../model/search/chunk.ts'
import { chunksOf, MOST_TEXT } from '../model/search/chunk.ts'
import type { Source } from '../model/search/found.ts'
import { kindOfFile, TEXT_FILE, titleOf } from '../model/search/source.ts'
import { stat } from './stat.ts'
import { walk } from './walk.ts'

/** A text as it is indexed. */
export interface TextSource {
  readonly source_type: Source
  readonly source_path: string
  /** Of its content. */
  readonly digest: string
  /** When it was written. */
  readonly at: string
  readonly chunks: readonly Chunk[]
}

const MOST_FOLDERS = 20_000
const MOST_FILES = 20_000
/** In UTF-8, a character takes up to four bytes. */
const MOST_BYTES = MOST_TEXT * 4

/** The text files of a project, by relative path, without those that its git ignores. */
export async function textFilesIn(root: string): Promise<readonly string[]> {
  const { files } = await walk(root, TEXT_FILE, MOST_FOLDERS)
  const most = withoutSteps(files).slice(0, MOST_FILES)
  const ignored = await ignoredBy(root, most)
  return most.filter((path) => !ignored.has(path) || kindOfFile(path) === 'session')
}

/** Where skills and runbooks keep their steps. */
const STEP = /(?:^|\/)steps\//

/** A step is read when its turn has come, so of a skill only what its call shows anyway is searched. */
function withoutSteps(files: readonly string[]): readonly string[] {
  const skills = files
    .filter((path) => /(?:^|\/)SKILL\.md$/.test(path))
    .map((path) => path.slice(0, -'SKILL.md'.length))
  const known = new Set(skills)
  const isBelowSkill = (path: string) =>
    [...path.matchAll(/\//g)].some(({ index }) => known.has(path.slice(0, index + 1)))
  return files.filter((path) => path.endsWith('SKILL.md') || !(isBelowSkill(path) || STEP.test(path)))
}

/** A file that is not a text, too large or gone has no source; one that was written at a known time is the same. */
export async function textSource(
  root: string,
  path: string,
  knownAt?: string,
): Promise<TextSource | 'same' | undefined> {
  const full = join(root, path)
  try {
    const { size, mtimeMs } = await stat(full)
    const at = new Date(mtimeMs).toISOString()
    if (at === knownAt) return 'same'
    if (size > MOST_BYTES) return undefined
    const bytes = await readFile(full)
    if (bytes.includes(0)) return undefined
    return {
      source_type: kindOfFile(path),
      source_path: path,
      digest: createHash('sha256').update(bytes).digest('hex'),
      at,
      chunks: chunksOf(bytes.toString('utf8'), titleOf(path)),
    }
  } catch {
    return undefined
  }
}

/** Nothing is ignored where git does not answer. */
function ignoredBy(root: string, paths: readonly string[]): Promise<ReadonlySet<string>> {
  return new Promise((resolve) => {
    const git = execFile(
      'git',
      ['-C', root, 'check-ignore', '-z', '--stdin'],
      { maxBuffer: Infinity },
      (_error, stdout) => resolve(new Set(stdout.split('\0'))),
    )
    git.stdin?.on('error', () => undefined)
    git.stdin?.end(paths.map((path) => `${path}\0`).join(''))
  })
}
