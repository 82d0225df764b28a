import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea'
import { type Copy, copyIn, finish, UNFINISHED, versionsIn } from '../../src/cli/program/copy.ts'
import { programsFolder } from '../../src/daemon/standard-folder.ts'
import { VERSION } from '../../src/daemon/version.ts'

/** The asset with the name of the copy; the others are the files of the package. */
const NAME = 'name'

/** Joined here, because this file would otherwise contain the text that marks it a second time. */
const FUSE = ['NODE_SEA_FUSE', 'fce680ab2cc467b6e072b8b5df1996b2'].join('_')

/** The copy of the program that this executable holds; unpacked on its first start. */
function unpacked(): Copy {
  const programs = programsFolder(process.env)
  mkdirSync(join(programs, 'versions'), { recursive: true, mode: 0o700 })
  const versions = versionsIn({ programs })
  const copy = copyIn(join(versions, getAsset(NAME, 'utf8')))
  if (!existsSync(copy.node)) unpack(versions, copy.folder)
  return copy
}

function unpack(versions: string, folder: string): void {
  const fresh = mkdtempSync(join(versions, UNFINISHED))
  try {
    for (const key of getAssetKeys().filter((one) => one !== NAME)) {
      mkdirSync(dirname(join(fresh, key)), { recursive: true })
      writeFileSync(join(fresh, key), new Uint8Array(getRawAsset(key)))
    }
    writeFileSync(copyIn(fresh).node, plainNode(), { mode: 0o755 })
    finish(fresh, folder)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

/** This executable is a Node that runs what it holds, until one byte says that it holds nothing. */
function plainNode(): Buffer {
  const bytes = readFileSync(process.execPath)
  const at = bytes.indexOf(`${FUSE}:1`)
  if (at === -1) throw new Error(`${process.execPath} is not whole`)
  bytes.write('0', at + FUSE.length + 1)
  return bytes
}

function start(words: readonly string[]): void {
  if (words.length === 1 && words[0] === '--version') return void process.stdout.write(`${VERSION}\n`)
  try {
    const { node, entry } = unpacked()
    // This process becomes that one, so that signals, input and output need no help.
    process.execve?.(node, [node, entry, ...words], process.env)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    process.stderr.write(`holdfast cannot unpack its program into ${programsFolder(process.env)}: ${why}\n`)
    process.exitCode = 69
  }
}

start(process.argv.slice(2))
