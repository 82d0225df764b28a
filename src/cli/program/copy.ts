import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Home } from '../../daemon/home.ts'
import { VERSION } from '../../daemon/version.ts'
import type { DaemonProgram } from '../../engine/call/context.ts'
import { makeFoldersSync, syncSync } from '../../files/place.ts'
import { EngineError } from '../../model/error.ts'
import { shellWord } from '../../model/shell/word.ts'
import { type Package, packageOf, packedFiles } from './package.ts'

/** The folder with one folder per version, with links resolved. */
export function versionsIn({ programs }: Pick<Home, 'programs'>): string {
  const folder = join(programs, 'versions')
  return existsSync(folder) ? realpathSync(folder) : folder
}

/** Where a folder is filled before it gets its name. */
export const UNFINISHED = '.new-'

/** A copy of our program that stays where it is. */
export interface Copy extends DaemonProgram {
  readonly folder: string
}

/** The parts of the copy in a folder. */
export const copyIn = (folder: string): Copy => ({
  folder,
  node: join(folder, 'node'),
  entry: join(folder, 'bin', 'holdfast.js'),
})

/** The script that runs a copy, whatever the PATH. */
export const scriptOf = ({ folder }: Pick<Copy, 'folder'>): string => join(folder, 'holdfast')

/** Keeps a copy of the running program and its Node in the user's data folder; undefined if it has no package. */
export function keepCopy(home: Pick<Home, 'programs'>, entry: string): Copy | undefined {
  const own = packageOf(entry)
  if (own === undefined) return undefined
  makeFoldersSync(versionsIn(home), 0o700)
  if (isCopy(home, own)) return copyIn(own.folder)
  const versions = versionsIn(home)
  const fresh = mkdtempSync(join(versions, UNFINISHED))
  try {
    fill(fresh, own)
    const folder = join(versions, `${VERSION}-${digestOf(fresh)}`)
    if (!isWhole(folder)) {
      addNode(fresh)
      finish(fresh, folder)
    }
    return copyIn(folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** Whether a package is a copy that `init` keeps already. */
export const isCopy = (home: Pick<Home, 'programs'>, { folder }: Package): boolean =>
  dirname(folder) === versionsIn(home)

/** Gives a filled folder its script and its name. */
export function finish(fresh: string, folder: string): void {
  writeFileSync(scriptOf({ folder: fresh }), scriptText(copyIn(folder)), { mode: 0o755 })
  replace(fresh, folder)
}

/** A clone is built anew, because nobody knows how old its last build is. */
function fill(fresh: string, { folder, isClone }: Package): void {
  if (!isClone) {
    for (const name of packedFiles(folder))
      cpSync(join(folder, name), join(fresh, name), { recursive: true, dereference: true })
    return
  }
  const words = [join(folder, 'scripts', 'assemble.ts'), fresh]
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: folder, encoding: 'utf8' })
  if (status === 0) return
  const why = stderr.split('\n').find((line) => /error/i.test(line)) ?? stderr.trim()
  throw new EngineError('unavailable', `The program cannot be built in ${folder}: ${why}`, {
    hint: `npm --prefix ${shellWord(folder)} install`,
  })
}

/** Names a copy by its content, so that a changed clone gets another folder than the version before. */
export function digestOf(folder: string): string {
  const digest = createHash('sha256').update(`${process.version} ${process.platform} ${process.arch}\n`)
  const files = packedFiles(folder).flatMap((name) => filesBelow(folder, name))
  for (const file of files.toSorted()) digest.update(`${file}\n`).update(readFileSync(join(folder, file)))
  return digest.digest('hex').slice(0, 12)
}

function filesBelow(folder: string, name: string): readonly string[] {
  const path = join(folder, name)
  if (statSync(path).isFile()) return [name]
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(folder.length + 1))
}

/** Whether a copy has every byte that its name promises. */
const isWhole = (folder: string): boolean =>
  existsSync(join(folder, 'package.json')) &&
  basename(folder) === `${VERSION}-${digestOf(folder)}` &&
  existsSync(scriptOf({ folder })) &&
  runs(folder)

/** A Node that needs libraries beside it does not run as a copy; then the copy links to it. */
function addNode(folder: string): void {
  const { node } = copyIn(folder)
  copyFileSync(process.execPath, node, constants.COPYFILE_FICLONE)
  chmodSync(node, 0o755)
  if (runs(folder)) return
  rmSync(node)
  symlinkSync(process.execPath, node)
  if (!runs(folder))
    throw new EngineError('unavailable', `The copy of holdfast in ${folder} does not run.`, {
      hint: 'holdfast doctor',
    })
}

function runs(folder: string): boolean {
  const { node, entry } = copyIn(folder)
  return spawnSync(node, [entry, '--version'], { encoding: 'utf8' }).stdout?.trim() === VERSION
}

/** An existing folder was damaged, because the name of a whole one is taken only once. */
function replace(fresh: string, folder: string): void {
  if (existsSync(folder)) renameSync(folder, `${fresh}.old`)
  syncAll(fresh)
  try {
    renameSync(fresh, folder)
    syncSync(dirname(folder))
  } catch (error) {
    // Another `init` finished first, with the same content.
    if (!isWhole(folder)) throw error
  } finally {
    rmSync(`${fresh}.old`, { recursive: true, force: true })
  }
}

/** Hooks run the copy from now on, so a power cut must not leave a part of it. */
function syncAll(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (!entry.isSymbolicLink()) syncSync(join(entry.parentPath, entry.name))
  syncSync(folder)
}

const scriptText = ({ node, entry }: Copy): string =>
  [
    '#!/bin/sh',
    '# Holdfast with its own Node; `holdfast uninstall --all` removes it.',
    // Options for the Node of the user may not suit ours.
    'unset NODE_OPTIONS',
    `exec ${shellWord(node)} ${shellWord(entry)} "$@"`,
    '',
  ].join('\n')
