import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { LoadedModule, Parsed } from '../model/plan/definition.ts'
import type { Disk } from '../skills/disk.ts'
import type { Candidate } from '../skills/find.ts'
import { LARGEST_SKILL, LONGEST_TEXT } from '../skills/text/bounds.ts'
import { lstat, stat } from './stat.ts'

/** No character has more bytes in UTF-8 for each of its places in a string; one more shows that a text is too long. */
const MOST_BYTES = 3 * (LONGEST_TEXT + 1)
const MOST_AT_ONCE = 8

/** The metadata of a skill's files, which needs no reading. */
export interface State {
  /** Identifies the main file, even through links. */
  readonly inode: string
  readonly whole: string
  readonly newest: number
}

/** All files that decide what a skill says, its own first. */
export const textsOf = ({ file, others, overlay, code = [] }: Candidate): readonly string[] => [
  ...new Set([file, ...others, ...(overlay === undefined ? [] : [overlay]), ...code]),
]

/** Returns undefined if a file was removed meanwhile. */
export async function stateOf(candidate: Candidate): Promise<State | undefined> {
  try {
    const infos = await Promise.all(textsOf(candidate).map((path) => stat(path)))
    return {
      inode: `${infos[0]?.dev} ${infos[0]?.ino}`,
      whole: infos.map(({ size, mtimeMs, ctimeMs, ino }) => `${size} ${mtimeMs} ${ctimeMs} ${ino}`).join(),
      newest: Math.max(...infos.map(({ mtimeMs }) => mtimeMs)),
    }
  } catch {
    return undefined
  }
}

/** When a skill last changed: its files, links to them, and folders, which show what was removed or moved. */
export async function lastChange(candidate: Candidate, formerOverlay: string | undefined): Promise<number> {
  const { folder, overlay } = candidate
  const files = textsOf(candidate)
  const paths = new Set([...files, ...files.map(dirname), folder, dirname(folder)])
  const isOther = formerOverlay !== undefined && formerOverlay !== overlay
  return Math.max(...(await changesOf([...paths])), isOther ? await changeAround(formerOverlay) : 0)
}

/** When a file last changed; of one that is gone, the nearest folder that is left shows when. */
async function changeAround(path: string): Promise<number> {
  const last = Math.max(...(await changesOf([path])))
  return last > 0 || dirname(path) === path ? last : await changeAround(dirname(path))
}

/** When each of these last changed; 0 if it is not there. */
export async function changesOf(paths: readonly string[]): Promise<readonly number[]> {
  const times = paths.flatMap((path) => [stat(path), lstat(path)])
  // Nobody can set this time, unlike that of the last modification.
  return await Promise.all(times.map((one) => one.then(({ ctimeMs }) => ctimeMs).catch(() => 0)))
}

export type Texts = ReadonlyMap<string, string>
type Modules = ReadonlyMap<string, LoadedModule>

/** Yields between skills, so that reading many of them does not delay a hook. */
export async function parse(
  candidate: Candidate,
  texts: Texts,
  { modules, disk }: { readonly modules?: Modules | undefined; readonly disk?: Disk | undefined } = {},
): Promise<Parsed> {
  await new Promise((resolve) => setImmediate(resolve))
  const { readOne } = await import('../skills/read-all.ts')
  return readOne(candidate, { textOf: (path) => texts.get(path) ?? '', modules, disk })
}

/** Reads until there is more than the parser takes. */
export async function readTexts(candidate: Candidate): Promise<Texts> {
  const paths = textsOf(candidate)
  const texts = new Map<string, string>()
  let size = 0
  for (let at = 0; at < paths.length; at += MOST_AT_ONCE) {
    if (size > LARGEST_SKILL) break
    const some = paths.slice(at, at + MOST_AT_ONCE)
    for (const [index, text] of (await Promise.all(some.map(readStart))).entries()) {
      texts.set(some[index] ?? '', text)
      size += text.length
    }
  }
  return new Map(paths.map((path) => [path, texts.get(path) ?? '']))
}

async function readStart(path: string): Promise<string> {
  await using file = await open(path)
  const { size } = await file.stat()
  // What the parser leaves out is not part of the digest either.
  if (size <= MOST_BYTES) return (await file.readFile('utf8')).slice(0, LONGEST_TEXT + 1)
  const buffer = Buffer.alloc(MOST_BYTES)
  const { bytesRead } = await file.read(buffer, 0, MOST_BYTES, 0)
  return buffer.toString('utf8', 0, bytesRead).slice(0, LONGEST_TEXT + 1)
}

export function skillDigest(
  version: string,
  { kind, id, real }: Candidate & { real: string },
  { texts, module }: { readonly texts: Texts; readonly module: LoadedModule | undefined },
): string {
  return sha256(JSON.stringify([version, kind, id, real, ...texts, module]))
}

/** Loaded at first use, because the import would slow the start of the daemon. */
export const sha256 = (text: string): string => process.getBuiltinModule('node:crypto').hash('sha256', text)

/** Makes the relative paths of a candidate absolute. */
export const absolute = (candidate: Candidate, root: string): Candidate => ({
  ...candidate,
  folder: join(root, candidate.folder),
  file: join(root, candidate.file),
  others: candidate.others.map((path) => join(root, path)),
  ...(candidate.code !== undefined && { code: candidate.code.map((path) => join(root, path)) }),
})
