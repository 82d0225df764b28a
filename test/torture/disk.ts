import {
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Random } from './random.ts'

/** Something that a process did to its files, or told somebody; paths are absolute. */
export type Operation =
  | { readonly kind: 'create' | 'folder' | 'remove' | 'sync'; readonly path: string }
  /** Without `at`, at the end of the file. */
  | { readonly kind: 'write'; readonly path: string; readonly at?: number; readonly data: Buffer }
  | { readonly kind: 'truncate'; readonly path: string; readonly size: number }
  | { readonly kind: 'rename'; readonly from: string; readonly to: string }
  | { readonly kind: 'link'; readonly path: string; readonly target: string }
  | { readonly kind: 'tell'; readonly text: string }

/** When an operation began and ended, counted in steps of the recording. */
interface When {
  readonly begun: number
  readonly ended: number
}

export type Recorded = When & { readonly operation: Operation }

/** What a power cut does to operations that were not synced; `torn` also cuts writes at sectors. */
export const CUTS = ['drop', 'keep', 'some', 'torn'] as const
export type Cut = (typeof CUTS)[number]

const SECTOR_BYTES = 512

interface FileNode {
  readonly base: Buffer
  size: number
  readonly changes: (When & { readonly at: number; readonly data: Buffer | undefined })[]
  readonly syncs: When[]
}

interface FolderNode {
  readonly base: ReadonlyMap<string, Node>
  readonly entries: Map<string, Node>
  /** Each changes one or two names at once. */
  readonly changes: (When & { readonly names: ReadonlyMap<string, Node | undefined> })[]
  readonly syncs: When[]
}

/** A symbolic link never changes; only its name can be lost. */
interface LinkNode {
  readonly target: string
  readonly syncs: When[]
}

type Node = FileNode | FolderNode | LinkNode

const isFolder = (node: Node | undefined): node is FolderNode => node !== undefined && 'entries' in node
const isLink = (node: Node): node is LinkNode => 'target' in node

/** The files below a folder as a recording left them, and what a power cut at any step would leave. */
export class Disk {
  readonly #root: string
  readonly #top: FolderNode

  /** What stands below the folder now counts as synced. */
  constructor(root: string) {
    this.#root = root
    this.#top = folderOf(root)
  }

  /** Operations on other paths, and on what is no file, such as a socket, are left out. */
  replay(recorded: readonly Recorded[]): void {
    for (const { operation, ...when } of recorded.toSorted((a, b) => a.ended - b.ended))
      this.#apply(operation, when)
  }

  /** Makes the folder what it would be after a power cut before a step. */
  restore(step: number, cut: Cut, random: Random): void {
    for (const name of readdirSync(this.#root))
      rmSync(join(this.#root, name), { recursive: true, force: true })
    write(this.#root, this.#top, { step, cut, random })
  }

  #apply(operation: Operation, when: When): void {
    switch (operation.kind) {
      case 'create':
      case 'folder': {
        const fresh: Node =
          operation.kind === 'folder'
            ? { base: new Map(), entries: new Map(), changes: [], syncs: [] }
            : { base: Buffer.alloc(0), size: 0, changes: [], syncs: [] }
        if (this.#find(operation.path) === undefined) this.#name([[operation.path, fresh]], when)
        return
      }
      case 'link':
        return this.#name([[operation.path, { target: operation.target, syncs: [] }]], when)
      case 'remove':
        return this.#name([[operation.path, undefined]], when)
      case 'rename': {
        const moved = this.#find(operation.from)
        if (moved === undefined) return
        return this.#name(
          [
            [operation.from, undefined],
            [operation.to, moved],
          ],
          when,
        )
      }
      case 'sync':
        return void this.#find(operation.path)?.syncs.push(when)
      case 'write':
      case 'truncate':
        return change(this.#find(operation.path), operation, when)
      case 'tell':
        return
    }
  }

  /** A rename between folders may reach the disk in one of them only, which is more than a file system with a log does. */
  #name(names: readonly (readonly [string, Node | undefined])[], when: When): void {
    for (const [path, changed] of Map.groupBy(names, ([one]) => dirname(one))) {
      const folder = this.#find(path)
      if (!isFolder(folder)) continue
      const given = new Map(changed.map(([one, node]) => [basename(one), node]))
      folder.changes.push({ ...when, names: given })
      rename(folder.entries, given)
    }
  }

  #find(path: string): Node | undefined {
    if (path === this.#root) return this.#top
    if (!path.startsWith(`${this.#root}/`)) return undefined
    let at: Node | undefined = this.#top
    for (const name of path.slice(this.#root.length + 1).split('/'))
      at = isFolder(at) ? at.entries.get(name) : undefined
    return at
  }
}

function folderOf(path: string): FolderNode {
  const entries = new Map<string, Node>()
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const below = join(path, entry.name)
    if (entry.isDirectory()) entries.set(entry.name, folderOf(below))
    if (entry.isSymbolicLink()) entries.set(entry.name, { target: readlinkSync(below), syncs: [] })
    if (!entry.isFile()) continue
    const base = readFileSync(below)
    entries.set(entry.name, { base, size: base.length, changes: [], syncs: [] })
  }
  return { base: new Map(entries), entries, changes: [], syncs: [] }
}

function rename(entries: Map<string, Node>, names: ReadonlyMap<string, Node | undefined>): void {
  for (const [name, node] of names)
    if (node === undefined) entries.delete(name)
    else entries.set(name, node)
}

function change(
  node: Node | undefined,
  operation: Extract<Operation, { kind: 'write' | 'truncate' }>,
  when: When,
): void {
  if (node === undefined || isFolder(node) || isLink(node)) return
  if (operation.kind === 'truncate') {
    node.size = operation.size
    node.changes.push({ ...when, at: operation.size, data: undefined })
    return
  }
  const { at = node.size, data } = operation
  node.size = Math.max(node.size, at + data.length)
  node.changes.push({ ...when, at, data })
}

interface Chance {
  readonly step: number
  readonly cut: Cut
  readonly random: Random
}

function write(path: string, folder: FolderNode, chance: Chance): void {
  for (const [name, node] of entriesAfter(folder, chance)) {
    const below = join(path, name)
    if (isFolder(node)) {
      mkdirSync(below)
      write(below, node, chance)
    } else if (isLink(node)) symlinkSync(node.target, below)
    else writeFileSync(below, contentAfter(node, chance), { mode: 0o600 })
  }
}

const isSynced = ({ syncs }: Node, { ended }: When, { step }: Chance): boolean =>
  syncs.some((sync) => sync.begun > ended && sync.ended < step)

/** File systems log names in order, so a power cut keeps the first changes of a folder and loses the others. */
function entriesAfter(folder: FolderNode, chance: Chance): ReadonlyMap<string, Node> {
  const { step, cut, random } = chance
  const begun = folder.changes.filter((one) => one.begun < step)
  const synced = begun.findLastIndex((one) => isSynced(folder, one, chance)) + 1
  const open = begun.length - synced
  const kept = cut === 'drop' ? 0 : cut === 'keep' ? open : random.below(open + 1)
  const entries = new Map(folder.base)
  for (const { names } of begun.slice(0, synced + kept)) rename(entries, names)
  return entries
}

function contentAfter(file: FileNode, chance: Chance): Buffer {
  const { cut, random, step } = chance
  const content = new Content(file)
  for (const one of file.changes) {
    if (one.begun >= step) continue
    if (cut === 'keep' || isSynced(file, one, chance)) content.change(one.at, one.data)
    else if (cut === 'some' && random.chance(0.5)) content.change(one.at, one.data)
    else if (cut === 'torn') content.tear(one.at, one.data, random)
  }
  return content.whole
}

/** The content of a file, in a buffer that its largest size fits. */
class Content {
  readonly #bytes: Buffer
  #size: number

  constructor({ base, changes }: FileNode) {
    this.#bytes = Buffer.alloc(
      Math.max(base.length, ...changes.map(({ at, data }) => at + (data?.length ?? 0))),
    )
    this.#size = base.copy(this.#bytes)
  }

  get whole(): Buffer {
    return this.#bytes.subarray(0, this.#size)
  }

  /** Without data, the file ends there. */
  change(at: number, data: Buffer | undefined): void {
    if (data === undefined && at < this.#size) this.#bytes.fill(0, at)
    data?.copy(this.#bytes, at)
    this.#size = data === undefined ? at : Math.max(this.#size, at + data.length)
  }

  /** Keeps any of the sectors that a write touched. */
  tear(at: number, data: Buffer | undefined, random: Random): void {
    if (data === undefined) return random.chance(0.5) ? this.change(at, data) : undefined
    for (let from = at; from < at + data.length;) {
      const to = Math.min(at + data.length, (Math.floor(from / SECTOR_BYTES) + 1) * SECTOR_BYTES)
      if (random.chance(0.5)) this.change(from, data.subarray(from - at, to - at))
      from = to
    }
  }
}
