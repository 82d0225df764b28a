import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { notWritten } from '../../daemon/write-whole.ts'
import { makeFoldersSync, syncSync } from '../../files/place.ts'
import { digestAt, digestsOf, type Kept, KEPT_FILE, keptIn, keptText, NO_FILE } from './kept.ts'

/** A folder beside the folder of skills, in which a skill is made ready; clients do not look there. */
export const SHELF = '.holdfast-skills-'

/** Puts a skill in place, whole or not at all, with what others have put into its folder. */
export function putSkill(source: string, place: string, kept: Omit<Kept, 'files'>): void {
  explained(place, () => {
    makeFoldersSync(dirname(place))
    onShelf(dirname(place), (shelf) => make(shelf, source, place, kept))
  })
}

function make(shelf: string, source: string, place: string, kept: Omit<Kept, 'files'>): void {
  const fresh = join(shelf, NEW, basename(place))
  const files = digestsOf(source)
  if (existsSync(place))
    cpSync(place, fresh, { recursive: true, verbatimSymlinks: true, filter: isForeign(place, files) })
  cpSync(source, fresh, { recursive: true, force: true })
  const own = Object.fromEntries([...files].map(([path, digest]) => [path, [digest]]))
  writeFileSync(join(fresh, KEPT_FILE), keptText({ ...kept, files: own }))
  syncAll(fresh)
  swap(shelf, place)
}

/** Says what cannot be written, and why. */
function explained(place: string, change: () => void): void {
  try {
    change()
  } catch (error) {
    throw error instanceof Error && 'syscall' in error ? notWritten(place, error) : error
  }
}

function onShelf(skills: string, work: (shelf: string) => void): void {
  const shelf = newShelf(skills)
  try {
    work(shelf)
  } finally {
    clear(shelf, skills)
  }
}

/** What is made ready, what it takes the place of, and what is to go. */
const [NEW, OLD, GONE] = ['new', 'old', 'gone'] as const

/** True for what is not ours, and for folders, which are copied with their content. */
function isForeign(place: string, files: ReadonlyMap<string, string>): (path: string) => boolean {
  const kept = keptIn(place)?.files ?? {}
  const folders = new Set([...files.keys()].flatMap(foldersAbove))
  return (path) => {
    const own = path.slice(place.length + 1)
    if (folders.has(own) && !lstatSync(path).isDirectory()) return false
    return own !== KEPT_FILE && !Object.hasOwn(kept, own) && !files.has(own)
  }
}

const foldersAbove = (path: string): readonly string[] =>
  path.split('/').map((_, at, parts) => parts.slice(0, at).join('/'))

/** No call replaces a folder in one move. After a kill in between, `tidy` puts the old one back. */
function swap(shelf: string, place: string): void {
  const [fresh, old] = [join(shelf, NEW, basename(place)), join(shelf, OLD, basename(place))]
  if (lstatSync(place, { throwIfNoEntry: false }) !== undefined) renameSync(place, old)
  renameSync(fresh, place)
  syncSync(dirname(place))
}

/** The pid tells whether its maker lives. */
function newShelf(skills: string): string {
  const shelf = mkdtempSync(join(dirname(realpathSync(skills)), `${SHELF}${process.pid}-`))
  for (const part of [NEW, OLD, GONE]) makeFoldersSync(join(shelf, part))
  return shelf
}

/** Puts back what a shelf holds of the only copy, and removes it. */
function clear(shelf: string, skills: string): void {
  const old = join(shelf, OLD)
  for (const name of namesIn(old)) {
    const place = join(skills, name)
    if (lstatSync(place, { throwIfNoEntry: false }) === undefined) renameSync(join(old, name), place)
  }
  rmSync(shelf, { recursive: true, force: true })
}

/** Finishes what killed commands have left beside a folder of skills. */
export function tidy(skills: string): void {
  for (const shelf of shelvesLeft(skills)) clear(shelf, skills)
}

/** The skills that a killed command has taken away and not put back yet. */
export const shelved = (skills: string): readonly string[] =>
  shelvesLeft(skills)
    .flatMap((shelf) => namesIn(join(shelf, OLD)))
    .filter((name) => !existsSync(join(skills, name)))

function shelvesLeft(skills: string): readonly string[] {
  const above = dirname(existsSync(skills) ? realpathSync(skills) : skills)
  if (!existsSync(above)) return []
  return readdirSync(above)
    .filter((name) => name.startsWith(SHELF) && !isRunning(Number.parseInt(name.slice(SHELF.length), 10)))
    .map((name) => join(above, name))
    .filter(isFolder)
}

/** A repository may bring links under our names, and what they lead to is not ours. */
const isFolder = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true

const namesIn = (folder: string): readonly string[] => (isFolder(folder) ? readdirSync(folder) : [])

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) syncSync(join(entry.parentPath, entry.name))
  syncSync(folder)
}

/** Removes our files from a skill; what others put there stays. */
export function removeSkill(place: string): void {
  const files = keptIn(place)?.files ?? {}
  explained(place, () => {
    if (hasOthers(place, files)) return removeOwn(place, Object.keys(files))
    onShelf(dirname(place), (shelf) => renameSync(place, join(shelf, GONE, basename(place))))
    syncSync(dirname(place))
  })
}

const hasOthers = (place: string, files: Kept['files']): boolean =>
  readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(place.length + 1))
    .some((path) => path !== KEPT_FILE && !Object.hasOwn(files, path))

/** SKILL.md goes first, because clients look for it. The list goes last, because it names the rest. */
function removeOwn(place: string, own: readonly string[]): void {
  for (const path of own.toSorted((a, b) => Number(b === 'SKILL.md') - Number(a === 'SKILL.md')))
    if (isFile(place, path)) rmSync(join(place, path))
  for (const path of own) removeEmpty(place, dirname(path))
  rmSync(join(place, KEPT_FILE), { force: true })
  syncSync(place)
}

/** What a link leads to is not ours. */
const isFile = (place: string, path: string): boolean => ![undefined, NO_FILE].includes(digestAt(place, path))

/** Removes a folder below another one, and those between, as far as nothing is in them. */
export function removeEmpty(root: string, path: string): void {
  for (let at = path; ; at = dirname(at)) {
    try {
      rmdirSync(join(root, at))
    } catch {
      return
    }
    if (at === '.') return
  }
}

/** Keeps what the user has changed, before it is overwritten; returns where. */
export function keepCopy(place: string, into: string): string {
  makeFoldersSync(into, 0o700)
  const to = mkdtempSync(join(into, `${basename(place)}-`))
  cpSync(place, isFolder(place) ? to : join(to, basename(place)), { recursive: true, verbatimSymlinks: true })
  chmodSync(to, 0o700)
  return to
}
