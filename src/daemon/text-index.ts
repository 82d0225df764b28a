import { setTimeout as sleep } from 'node:timers/promises'
import type {
  Context,
  IndexedProject,
  IndexProgress,
  TextIndex,
  VectorStatus,
} from '../engine/call/context.ts'
import type { TextSource } from '../files/text-sources.ts'
import type { FoundChunk, Wanted } from '../model/search/found.ts'
import type { Piece } from '../model/search/piece.ts'
import type { MemoryWish, Quote } from '../model/search/memory.ts'
import { isPut, kindOfFile } from '../model/search/source.ts'
import { piecesOfSpoken } from '../model/search/spoken.ts'
import { remembered } from '../store/memory.ts'
import { findChunks } from '../store/find.ts'
import {
  deleteSources,
  knownSources,
  missingChanges,
  replaceSource,
  spokenIn,
  spokenSessions,
} from '../store/search.ts'
import type { Tx } from '../store/query.ts'
import type { Store } from '../store/store.ts'
import { listSpaces, type Space } from '../store/space.ts'
import { findByBoth, piecesWithoutVector, scanByServer, vectorCoverage } from '../store/vector.ts'
import { IndexThread } from './index-thread.ts'
import { errorDetails, type Log } from './log.ts'
import { QuestionVectors } from './question-vectors.ts'
import { type FillProgress, VectorFill } from './vector-fill.ts'

/** A source with more pieces is written in parts. */
const AT_ONCE = 5
/** How long a part may hold the loop of an embedded database; a server holds up nobody. */
const PART_MILLISECONDS = { sqlite: 2, postgres: 100 } as const

interface Running {
  readonly progress: IndexProgress
  readonly ended: Promise<void>
}

interface IndexNeeds {
  readonly store: Store
  readonly context: () => Context
  readonly log: Log
}

/** The index of this daemon: read in a thread or by the server, and written in short transactions. */
export class StoredTextIndex implements TextIndex {
  readonly #store: Store
  readonly #log: Log
  readonly #thread: IndexThread
  readonly #isEmbedded: boolean
  readonly #running = new Map<number, Running>()
  readonly #stopped = new AbortController()
  readonly #questions: QuestionVectors
  readonly #fill: VectorFill

  constructor({ store, context, log }: IndexNeeds) {
    this.#store = store
    this.#log = log
    this.#isEmbedded = store.database.kind === 'sqlite'
    this.#thread = new IndexThread(this.#isEmbedded ? store.database.location : undefined)
    this.#questions = new QuestionVectors(context)
    this.#fill = new VectorFill({
      context,
      missing: (of) =>
        this.#isEmbedded
          ? this.#thread.ask({ kind: 'missing', of })
          : store.transact((tx) => piecesWithoutVector(tx, of), { reads: true }),
      worked: () => this.#questions.forgive(),
    })
  }

  async find(wanted: Wanted): Promise<readonly FoundChunk[]> {
    const meaning = await this.#questions.meaningOf(wanted)
    if (this.#isEmbedded) return await this.#thread.ask({ kind: 'find', wanted, meaning })
    return await this.#store.transact(
      (tx) =>
        meaning === undefined ? findChunks(tx, wanted) : findByBoth(tx, wanted, meaning, scanByServer(tx)),
      { reads: true },
    )
  }

  async vectors(project_id: number): Promise<VectorStatus | null> {
    const spaces = await this.#store.transact((tx) => listSpaces(tx, {}), { reads: true })
    const [active, building] = (['active', 'building'] as const).map((state) =>
      spaces.find((space) => space.state === state),
    )
    const problem = this.#fill.problem ?? this.#questions.problem ?? null
    const { progress } = this.#fill
    if (active === undefined && !this.#fill.isWanted) return null
    return {
      active: active === undefined ? null : await this.#spaceStatus(active, project_id),
      building: building === undefined ? null : await this.#spaceStatus(building, project_id),
      running: progress === undefined ? null : runningOf(progress),
      problem,
    }
  }

  async #spaceStatus({ identity, provider, model, dims, id: space_id }: Space, project_id: number) {
    const of = { project_id, space_id }
    const found = this.#isEmbedded
      ? await this.#thread.ask({ kind: 'coverage', ...of })
      : await this.#store.transact((tx) => vectorCoverage(tx, of), { reads: true })
    return {
      space: identity,
      provider,
      model,
      dims,
      pieces: found?.pieces ?? 0,
      embedded: found?.embedded ?? 0,
    }
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

  /** Resolves when what is under way now has ended; whether there was something. */
  async settled(): Promise<boolean> {
    const running = [...this.#running.values()]
    await Promise.all(running.map(({ ended }) => ended))
    return running.length > 0
  }

  refresh(project: IndexedProject): Promise<void> {
    const known = this.#running.get(project.id)
    // A kind that is named is read again after what is under way, which may skip it.
    if (known !== undefined)
      return project.kind === undefined ? known.ended : known.ended.then(() => this.refresh(project))
    const progress: IndexProgress = { done: 0, total: 0, changed: 0, started: performance.now() }
    const ended = this.#bringUpToDate(project, progress)
      .catch((error: unknown) => {
        if (!this.#stopped.signal.aborted)
          this.#log.write('warn', 'not indexed', { project: project.root, ...errorDetails(error) })
      })
      .finally(() => {
        this.#running.delete(project.id)
        if (!this.#stopped.signal.aborted) this.#fill.start()
      })
    this.#running.set(project.id, { progress, ended })
    return ended
  }

  close(): void {
    this.#stopped.abort()
    this.#fill.close()
    this.#thread.close()
  }

  async #bringUpToDate(
    { id: project_id, root, kind }: IndexedProject,
    progress: IndexProgress,
  ): Promise<void> {
    const isMeant = (of: string) => kind === undefined || of === kind
    const all = await this.#store.transact((tx) => knownSources(tx, { project_id }), { reads: true })
    const rows = all.filter((row) => isMeant(row.source_type))
    const known = new Map(rows.map((row) => [keyOf(row.source_type, row.source_path), row]))
    // What somebody put there has no file that could be gone.
    const gone = new Map([...known].filter(([, { digest }]) => !isPut(digest)))
    const files = (await this.#thread.ask({ kind: 'files', root })).filter((path) =>
      isMeant(kindOfFile(path)),
    )
    const sessions = isMeant('message')
      ? await this.#store.transact((tx) => spokenSessions(tx, { project_id }), { reads: true })
      : []
    // A kind that is named is read again, whatever is known of it.
    const knownOf = (key: string) => (kind === undefined ? known.get(key) : undefined)
    progress.total = files.length + sessions.length
    const note = async (key: string, source: TextSource | 'same' | undefined) => {
      this.#stopped.signal.throwIfAborted()
      progress.done++
      if (source !== undefined) gone.delete(key)
      if (source === undefined || source === 'same') return
      const { chunks, ...about } = source
      await this.#replace({ ...about, project_id }, chunks)
      progress.changed++
    }
    for (const path of files) {
      const key = keyOf(kindOfFile(path), path)
      const knownAt = knownOf(key)?.updated_at
      await note(key, await this.#thread.ask({ kind: 'file', root, path, knownAt }))
    }
    for (const session of sessions) {
      const key = keyOf('message', session.native_id)
      const digest = `${session.newest}:${session.count}`
      await note(key, knownOf(key)?.digest === digest ? 'same' : await this.#spoken(session, digest))
    }
    for (const { source_type, source_path } of gone.values())
      await this.#store.transact((tx) =>
        deleteSources(tx, { project_id, source_types: [source_type], source_path }),
      )
  }

  /** A long source is written in parts, because hooks wait for each transaction; a crash leaves it as not yet read. */
  async #replace(source: Parameters<typeof replaceSource>[1], chunks: readonly Piece[]): Promise<void> {
    const read = { reads: true }
    const changes = await this.#store.transact((tx) => missingChanges(tx, source, chunks), read)
    if (changes.length > AT_ONCE)
      for (let from = 0; from < changes.length;) {
        this.#stopped.signal.throwIfAborted()
        const started = performance.now()
        from += await this.#store.transact((tx) => this.#part(tx, changes.slice(from)))
        // Hooks get at least half of the time.
        await sleep(performance.now() - started)
      }
    await this.#store.transact((tx) => replaceSource(tx, source, chunks))
  }

  /** Makes changes until the time of a part is over; returns how many. */
  async #part(tx: Tx, changes: readonly ((tx: Tx) => Promise<unknown>)[]): Promise<number> {
    const ends = performance.now() + PART_MILLISECONDS[tx.kind]
    let made = 0
    for (const change of changes) {
      await change(tx)
      made++
      if (performance.now() > ends) break
    }
    return made
  }

  async #spoken({ native_id, at }: { native_id: string; at: string }, digest: string): Promise<TextSource> {
    const chunks = this.#isEmbedded
      ? await this.#thread.ask({ kind: 'said', native_id })
      : piecesOfSpoken(await this.#store.transact((tx) => spokenIn(tx, { native_id }), { reads: true }))
    return { source_type: 'message', source_path: native_id, digest, at, chunks }
  }
}

const keyOf = (type: string, path: string): string => `${type} ${path}`

const runningOf = ({ project_id, done, started }: FillProgress) => ({
  project_id,
  done,
  seconds: (performance.now() - started) / 1000,
})
