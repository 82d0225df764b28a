import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { callOf } from '../engine/call/moment.ts'
import type { Context } from '../engine/call/context.ts'
import { indexedRoot } from '../engine/session/text-index.ts'
import type { Embedder } from '../model/ai.ts'
import { aiUsedEntry } from '../engine/call/ai-used.ts'
import { timestamp } from '../model/clock.ts'
import type { Config } from '../model/config.ts'
import { EngineError } from '../model/error.ts'
import type { Tx } from '../store/query.ts'
import { deleteSomeVectors, deleteSpace, listSpaces, renameSpace, type Space } from '../store/space.ts'
import {
  insertVector,
  projectsWithPieces,
  type StoredVector,
  type Unembedded,
  vectorsOfTexts,
} from '../store/vector.ts'
import type { Problem } from './question-vectors.ts'
import { numbersIn, storedVector } from '../store/vector-bytes.ts'
import { spaceOf, switchTo } from './vector-space.ts'

/** So few that reading an answer does not hold up the hooks. */
const AT_ONCE = 32
/** So many refused pieces in a row mean that the model refuses everything. */
const MOST_REFUSED = 64

/** How far a fill is, in pieces of the project that it is at; 0 before the first one. */
export interface FillProgress {
  readonly project_id: number
  done: number
  /** In milliseconds of `performance.now()`. */
  readonly started: number
}

/** The next pieces without a vector, read beside the loop. */
export type ReadMissing = (asked: {
  readonly project_id: number
  readonly space_id: number
  readonly after: number
  readonly limit: number
}) => Promise<readonly Unembedded[]>

interface FillNeeds {
  readonly context: () => Context
  readonly missing: ReadMissing
  /** Called when the model has answered. */
  readonly worked: () => void
}

/** A project that is filled. */
interface Filling {
  readonly project_id: number
  readonly embedder: Embedder
  readonly config: Config
}

interface Piece {
  readonly id: number
  readonly text: string
  readonly digest: string
}

/** Gives vectors to the pieces that have none: one batch after the other, each stored before the next is asked for. */
export class VectorFill {
  readonly #context: () => Context
  readonly #missing: ReadMissing
  readonly #worked: () => void
  readonly #stopped = new AbortController()
  #running: Promise<void> | undefined
  #isWantedAgain = false
  #refused = 0
  progress: FillProgress | undefined
  problem: Problem | undefined

  constructor({ context, missing, worked }: FillNeeds) {
    this.#context = context
    this.#missing = missing
    this.#worked = worked
  }

  /** Begins a fill, or another one after that which is under way. Never throws. */
  start(): void {
    if (!this.isWanted) return
    this.progress ??= { project_id: 0, done: 0, started: performance.now() }
    this.#isWantedAgain = this.#running !== undefined
    this.#running ??= this.#fillAll()
      .catch((error: unknown) => this.#note(error))
      .finally(() => {
        this.#running = undefined
        this.progress = undefined
        if (this.#isWantedAgain && !this.#stopped.signal.aborted) this.start()
      })
  }

  /** Whether the user has chosen a model. */
  get isWanted(): boolean {
    const { ai, ai_embed: model } = this.#context().config('')
    return ai !== 'off' && model !== undefined
  }

  close(): void {
    this.#stopped.abort()
  }

  #note(error: unknown): void {
    if (this.#stopped.signal.aborted) return
    const message = error instanceof EngineError ? error.message : String(error)
    this.problem = { message, at: timestamp(this.#context().clock.now()) }
  }

  async #fillAll(): Promise<void> {
    const projects = await this.#projects()
    this.problem = undefined
    this.#refused = 0
    const [first] = projects
    if (first === undefined) return
    const embedder = this.#context().ai.embedder(first.config)
    for (const project of projects) await this.#fillProject({ ...project, embedder })
    await this.#write((tx) => switchTo(tx, embedder.id))
    await this.#deleteRetired()
  }

  /** The projects whose texts may go to the model; one whose config cannot be read here may not. */
  async #projects(): Promise<readonly Omit<Filling, 'embedder'>[]> {
    const context = this.#context()
    const found = await this.#read(async (tx) => {
      const known: { project_id: number; root: string }[] = []
      for (const { project_id } of await projectsWithPieces(tx, {}))
        known.push({ project_id, root: await indexedRoot(tx, context, project_id) })
      return known
    })
    return found
      .filter(({ root }) => existsSync(root))
      .map(({ project_id, root }) => ({ project_id, config: context.config(root) }))
      .filter(({ config }) => config.ai !== 'off' && config.ai_embed !== undefined)
  }

  async #fillProject(of: Filling): Promise<void> {
    const { project_id, embedder } = of
    this.progress = { project_id, done: 0, started: performance.now() }
    for (let after = 0; ;) {
      this.#stopped.signal.throwIfAborted()
      const spaces = await this.#read((tx) => listSpaces(tx, {}))
      const space = spaces.find(({ identity }) => identity === embedder.id)
      const missing = await this.#missing({ project_id, space_id: space?.id ?? 0, after, limit: AT_ONCE })
      const last = missing.at(-1)
      if (last === undefined) return
      await this.#fillBatch(of, space, missing.map(toPiece))
      after = last.id
      this.progress.done += missing.length
    }
  }

  async #fillBatch(of: Filling, space: Space | undefined, pieces: readonly Piece[]): Promise<void> {
    const known = await this.#knownVectors(space, pieces)
    const asked = new Map(
      pieces.flatMap(({ digest, text }) => (known.has(digest) ? [] : [[digest, text] as const])),
    )
    const { vectors, tokens } = await this.#embed(of.embedder, asked, space !== undefined)
    if (vectors.size > 0) this.#worked()
    await this.#checkSize(space, vectors)
    await this.#write(async (tx) => {
      const into = await spaceOf(tx, of.embedder, [...vectors.values()])
      if (into === undefined) return
      const center = numbersIn(into.center)
      for (const { id, digest } of pieces) {
        const vector = vectors.get(digest)
        const stored =
          vector === undefined ? known.get(digest) : storedVector(tx.kind, vector, { digest, center })
        if (stored !== undefined) await insertVector(tx, { ...stored, space_id: into.id, piece_id: id })
      }
      if (vectors.size > 0) await this.#record(tx, of, tokens)
    })
  }

  /** A model that suddenly has other dimensions is another model, so its vectors need another space. */
  async #checkSize(space: Space | undefined, vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    const dims = vectors.values().next().value?.length ?? space?.dims
    if (space === undefined || dims === space.dims) return
    const { id, identity } = space
    await this.#write((tx) => renameSpace(tx, { id, identity: `${identity} #${id}` }))
    this.#isWantedAgain = true
    const now = `${identity} now has ${dims} dimensions instead of ${space.dims}`
    throw new EngineError('conflict', `${now}; every piece gets a new vector.`)
  }

  async #record(tx: Tx, { embedder, config, project_id }: Filling, count: number | undefined): Promise<void> {
    const tokens = count === undefined ? undefined : { input: count, output: 0 }
    const used = { use: 'embed', purpose: 'index', of: embedder, tokens, config, project_id } as const
    await callOf(this.#context(), undefined).record(tx, aiUsedEntry(used))
  }

  /** The vectors of texts by their digests; texts that the model refuses have none. */
  async #embed(embedder: Embedder, asked: ReadonlyMap<string, string>, hasWorked: boolean) {
    const vectors = new Map<string, Float32Array>()
    if (asked.size === 0) return { vectors, tokens: 0 }
    const ask = async (digests: readonly string[]): Promise<number | undefined> => {
      const texts = digests.map((digest) => asked.get(digest) ?? '')
      const found = await embedder.embed(texts, 'document', this.#stopped.signal)
      for (const [at, vector] of found.vectors.entries()) vectors.set(digests[at] ?? '', vector)
      return found.tokens
    }
    try {
      return { vectors, tokens: await ask([...asked.keys()]) }
    } catch (error) {
      if (!isRefused(error) || (asked.size === 1 && !hasWorked)) throw error
    }
    // One text that is refused must not keep the others from their vectors.
    let tokens: number | undefined = 0
    for (const digest of asked.keys())
      try {
        const count = await ask([digest])
        tokens = count === undefined || tokens === undefined ? undefined : tokens + count
        this.#refused = 0
      } catch (error) {
        if (!isRefused(error) || ++this.#refused >= MOST_REFUSED) throw error
        this.#note(error)
      }
    return { vectors, tokens }
  }

  /** The same text elsewhere has its vector already. */
  async #knownVectors(space: Space | undefined, pieces: readonly Piece[]) {
    if (space === undefined) return new Map<string, StoredVector>()
    const digests = pieces.map(({ digest }) => digest)
    const rows = await this.#read((tx) => vectorsOfTexts(tx, { space_id: space.id, digests }))
    return new Map(rows.map((row) => [row.digest, row]))
  }

  async #deleteRetired(): Promise<void> {
    const spaces = await this.#read((tx) => listSpaces(tx, {}))
    for (const { id } of spaces.filter(({ state }) => state === 'retired')) {
      while ((await this.#write((tx) => deleteSomeVectors(tx, { space_id: id }))).length > 0)
        this.#stopped.signal.throwIfAborted()
      await this.#write((tx) => deleteSpace(tx, { id }))
    }
  }

  #read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#context().store.transact(work, { reads: true })
  }

  #write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.#context().store.transact(work)
  }
}

/** The headings are a part of what a piece means. */
function toPiece({ id, heading, chunk_text: text }: Unembedded): Piece {
  const whole = `${heading}\n${text ?? ''}`
  return { id, text: whole, digest: hash('sha256', whole).slice(0, 32) }
}

const isRefused = (error: unknown): boolean =>
  error instanceof EngineError && (error.code === 'invalid' || error.code === 'too-large')
