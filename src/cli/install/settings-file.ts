import {
  chmodSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { notWritten } from '../../daemon/write-whole.ts'
import { makeFoldersSync, placeSync } from '../../files/place.ts'
import { EngineError } from '../../model/error.ts'

const MOST_LINKS = 40

/** The settings of a client when they were read. */
export interface SettingsFile {
  /** The resolved path, because dotfile managers use links, which must stay. */
  readonly path: string
  readonly bytes: Buffer | undefined
  readonly text: string | undefined
  readonly mode: number | undefined
}

export function readSettings(named: string): SettingsFile {
  const path = behindLinks(named)
  const info = statSync(path, { throwIfNoEntry: false })
  if (info === undefined) return { path, bytes: undefined, text: undefined, mode: undefined }
  if (!info.isFile()) throw new EngineError('invalid', `${path} is not a file.`)
  const bytes = readFileSync(path)
  const text = bytes.toString('utf8')
  // Invalid UTF-8 would be written back as different bytes.
  if (!Buffer.from(text).equals(bytes)) throw new EngineError('invalid', `${path} is not UTF-8 text.`)
  return { path, bytes, text, mode: info.mode & 0o7777 }
}

/** Also resolves a link whose target does not exist yet. */
function behindLinks(named: string): string {
  let path = named
  for (let links = 0; links < MOST_LINKS; links++) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) return inRealFolder(path)
    path = resolve(dirname(path), readlinkSync(path))
  }
  throw new EngineError('invalid', `${named} is a circular link.`)
}

function inRealFolder(path: string): string {
  const folder = dirname(path)
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined
    ? path
    : join(realpathSync(folder), basename(path))
}

/** Writes atomically, keeps the mode, and refuses if the file changed since it was read. */
export function replaceSettings(
  file: SettingsFile,
  content: string | Buffer,
  { isShared = false }: { readonly isShared?: boolean } = {},
): void {
  try {
    // A new file that is not shared contains a token.
    makeFoldersSync(dirname(file.path), isShared ? 0o777 : 0o700)
    placeSync(file.path, (fresh) => {
      writeFileSync(fresh, content, { mode: isShared ? 0o666 : 0o600, flush: true, flag: 'wx' })
      // The umask would narrow the mode of the line above.
      if (file.mode !== undefined) chmodSync(fresh, file.mode)
      refuseIfChanged(file)
    })
  } catch (error) {
    if (error instanceof EngineError) throw error
    throw notWritten(file.path, error)
  }
}

/** Removes the file and the empty ones of these folders. */
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
  throw new EngineError('conflict', `${path} changed while the command ran; nothing written.`, {
    hint: 'Run the command again.',
  })
}

/** The missing folders of a path, innermost first. */
export function missingFolders(path: string): readonly string[] {
  const folder = dirname(path)
  return lstatSync(folder, { throwIfNoEntry: false }) === undefined ? [folder, ...missingFolders(folder)] : []
}
