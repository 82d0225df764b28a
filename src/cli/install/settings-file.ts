import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { notWritten } from '../../daemon/write-whole.ts'
import { EngineError } from '../../model/error.ts'

const MOST_LINKS = 40

/** The settings of a client, as they were when they were read. */
export interface SettingsFile {
  /** Where they really lie: who manages dotfiles has links in their place, and these stay. */
  readonly path: string
  readonly bytes: Buffer | undefined
  readonly text: string | undefined
  readonly mode: number | undefined
}

export function readSettings(named: string): SettingsFile {
  const path = behindLinks(named)
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) return { path, bytes: undefined, text: undefined, mode: undefined }
  if (!info.isFile()) throw new EngineError('invalid', `${path} is no file.`)
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  // Otherwise what could not be read would be written back as something else.
  if (!Buffer.from(text).equals(bytes)) throw new EngineError('invalid', `${path} is no text in UTF-8.`)
  return { path, bytes, text, mode: info.mode & 0o7777 }
}

/** Also of a link that leads to nothing yet. */
function behindLinks(named: string): string {
  let path = named
  for (let links = 0; links < MOST_LINKS; links++) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return inRealFolder(path)
    path = resolve(dirname(path), readlinkSync(path))
  }
  throw new EngineError('invalid', `${named} is a link that leads in a circle.`)
}

function inRealFolder(path: string): string {
  const folder = dirname(path)
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
    ? path
    : join(realpathSync(folder), basename(path))
}

/** Writes all of it or nothing, keeps the mode, and refuses where somebody has changed the file since it was read. */
export function replaceSettings(
  file: SettingsFile,
  content: string | Buffer,
  { isShared = false }: { readonly isShared?: boolean } = {},
): void {
  const fresh = `${file.path}.holdfast-${process.pid}`
  try {
    // What is new holds a token, unless it is for everybody.
    mkdirSync(dirname(file.path), { recursive: true, mode: isShared ? 0o777 : 0o700 })
    writeFileSync(fresh, content, { mode: isShared ? 0o666 : 0o600, flush: true, flag: 'wx' })
    // Not by the line above, which the umask of the user narrows.
    if (file.mode !== undefined) chmodSync(fresh, file.mode)
    refuseIfChanged(file)
    renameSync(fresh, file.path)
  } catch (error) {
    rmSync(fresh, { force: true })
    if (error instanceof EngineError) throw error
    throw notWritten(file.path, error)
  }
}

/** Removes the file, and those of these folders that nobody has put anything into. */
export function removeSettings(file: SettingsFile, folders: readonly string[]): void {
  refuseIfChanged(file)
  rmSync(file.path, { force: true })
  for (const folder of folders) {
    try {
      rmdirSync(folder)
    } catch {
      return
    }
  }
}

function refuseIfChanged({ path, bytes }: SettingsFile): void {
  const now = readSettings(path).bytes
  if (bytes === undefined ? now === undefined : now?.equals(bytes) === true) return
  throw new EngineError('conflict', `${path} was changed in this moment; nothing was written.`, {
    hint: 'Run the command again.',
  })
}

/** The folders that would have to be made for a file, the innermost first. */
export function missingFolders(path: string): readonly string[] {
  const folder = dirname(path)
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined ? [folder, ...missingFolders(folder)] : []
}
