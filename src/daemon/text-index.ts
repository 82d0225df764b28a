import type { IndexedProject, IndexProgress, TextIndex } from '../engine/call/context.ts'
import type { TextSource } from '../files/text-sources.ts'
import type { FoundChunk, Wanted } from '../model/search/found.ts'
import type { Piece } from '../model/search/piece.ts'
import type { MemoryWish, Quote } from '../model/search/memory.ts'
import { kindOfFile } from '../model/search/source.ts'
import { piecesOfSpoken } from '../model/search/spoken.ts'
import { remembered } from '../store/memory.ts'
import {
  deleteSources,
  findChunks,
  knownSources,
  replaceSource,
  spokenIn,
  spokenSessions,
} from '../store/search.ts'
import type { Store } from '../store/store.ts'
import { IndexThread } from './index-thread.ts'

interface Running {
  readonly progress: IndexProgress
  readonly ended: Promise<void>
}

/** The index of this daemon: read in a thread or by the server, and written in short transactions. */
export class StoredTextIndex implements TextIndex {
  readonly #store: Store
  readonly #onFault: (project: IndexedProject, error: unknown) => void
  readonly #thread: IndexThread
  readonly #isEmbedded: boolean
  readonly #running = new Map<number, Running>()
  readonly #stopped = new AbortController()

  constructor(store: Store, onFault: (project: IndexedProject, error: unknown) => void) {
    this.#store = store
    this.#onFault = onFault
    this.#isEmbedded = store.database.kind === 'sqlite'
    this.#thread = new IndexThread(this.#isEmbedded ? store.database.location : undefined)
  }

  async find(wanted: Wanted): Promise<readonly FoundChunk[]> {
    return this.#isEmbedded
      ? await this.#thread.ask({ kind: 'find', wanted })
      : await this.#store.transact((tx) => findChunks(tx, wanted), { reads: true })
  }

  split(text: string, title: string): Promise<readonly Piece[]> {
    return this.#thread.ask({ kind: 'split', text, title })
  }

  async remember(wish: MemoryWish): Promise<readonly Quote[]> {
    return this.#isEmbedded
      ? await this.#thread.ask({ kind: 'remember', wish })
      : await this.#store.transact((tx) => remembered(tx, wish), { reads: true })
  }

  progress(project: number): Readonly<IndexProgress> | undefined {
    return this.#running.get(project)?.progress
  }

  refresh(project: IndexedProject): Promise<void> {
    const known = this.#running.get(project.id)
    if (known !== undefined) return known.ended
    const progress: IndexProgress = { done: 0, total: 0, changed: 0, started: performance.now() }
    const ended = this.#bringUpToDate(project, progress)
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.#onFault(project, error)
      })
      .finally(() => void this.#running.delete(project.id))
    this.#running.set(project.id, { progress, ended })
    return ended
  }

  close(): void {
    this.#stopped.abort()
    this.#thread.close()
  }

  async #bringUpToDate({ id: project_id, root }: IndexedProject, progress: IndexProgress): Promise<void> {
    const rows = await this.#store.transact((tx) => knownSources(tx, { project_id }), { reads: true })
    const known = new Map(rows.map((row) => [keyOf(row.source_type, row.source_path), row]))
    const gone = new Map(known)
    const files = await this.#thread.ask({ kind: 'files', root })
    const sessions = await this.#store.transact((tx) => spokenSessions(tx, { project_id }), { reads: true })
    progress.total = files.length + sessions.length
    const note = async (key: string, source: TextSource | 'same' | undefined) => {
      this.#stopped.signal.throwIfAborted()
      progress.done++
      if (source !== undefined) gone.delete(key)
      if (source === undefined || source === 'same') return
      const { chunks, ...about } = source
      await this.#store.transact((tx) => replaceSource(tx, { ...about, project_id }, chunks))
      progress.changed++
    }
    for (const path of files) {
      const key = keyOf(kindOfFile(path), path)
      const knownAt = known.get(key)?.updated_at
      await note(key, await this.#thread.ask({ kind: 'file', root, path, knownAt }))
    }
    for (const session of sessions) {
      const key = keyOf('message', session.native_id)
      const digest = `${session.newest}:${session.count}`
      await note(key, known.get(key)?.digest === digest ? 'same' : await this.#spoken(session, digest))
    }
    for (const { source_type, source_path } of gone.values())
      await this.#store.transact((tx) =>
        deleteSources(tx, { project_id, source_types: [source_type], source_path }),
      )
  }

  async #spoken({ native_id, at }: { native_id: string; at: string }, digest: string): Promise<TextSource> {
    const chunks = this.#isEmbedded
      ? await this.#thread.ask({ kind: 'said', native_id })
      : piecesOfSpoken(await this.#store.transact((tx) => spokenIn(tx, { native_id }), { reads: true }))
    return { source_type: 'message', source_path: native_id, digest, at, chunks }
  }
}

const keyOf = (type: string, path: string): string => `${type} ${path}`
