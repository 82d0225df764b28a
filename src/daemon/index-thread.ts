import type { Worker } from 'node:worker_threads'
import { workerFile } from '../files/worker-file.ts'
import type { TextSource } from '../files/text-sources.ts'
import type { FoundChunk, Wanted } from '../model/search/found.ts'
import type { Piece } from '../model/search/piece.ts'
import type { Coverage, Meaning, Unembedded } from '../store/vector.ts'
import type { ReadMissing } from './vector-fill.ts'
import type { MemoryWish, Quote } from '../model/search/memory.ts'

/** What the thread can be asked. */
export type Asked =
  | { readonly kind: 'split'; readonly text: string; readonly title: string }
  | { readonly kind: 'find'; readonly wanted: Wanted; readonly meaning: Meaning | undefined }
  | { readonly kind: 'missing'; readonly of: Parameters<ReadMissing>[0] }
  | { readonly kind: 'coverage'; readonly project_id: number; readonly space_id: number }
  | { readonly kind: 'remember'; readonly wish: MemoryWish }
  | { readonly kind: 'said'; readonly native_id: string }
  | { readonly kind: 'files'; readonly root: string }
  | {
      readonly kind: 'file'
      readonly root: string
      readonly path: string
      readonly knownAt: string | undefined
    }

interface Answers {
  readonly find: readonly FoundChunk[]
  readonly split: readonly Piece[]
  readonly said: readonly Piece[]
  readonly missing: readonly Unembedded[]
  readonly coverage: Coverage | undefined
  readonly remember: readonly Quote[]
  readonly files: readonly string[]
  readonly file: TextSource | 'same' | undefined
}

/** The thread holds tens of megabytes that an idle daemon does not need. */
const IDLE_MILLISECONDS = 10_000

/** Asks the thread that reads for the index, which starts when needed. */
export class IndexThread {
  readonly #database: string | undefined
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown> & { readonly worker: Worker }>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #last = 0

  /** With the path of an embedded database, which it reads. */
  constructor(database: string | undefined) {
    this.#database = database
  }

  async ask<K extends Asked['kind']>(asked: Extract<Asked, { kind: K }>): Promise<Answers[K]> {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#start())
    const id = ++this.#last
    const answer = Promise.withResolvers<unknown>()
    this.#waiting.set(id, { ...answer, worker })
    worker.postMessage({ id, asked })
    try {
      return (await answer.promise) as Answers[K]
    } finally {
      this.#waiting.delete(id)
      if (this.#waiting.size === 0) this.#idle = setTimeout(() => this.close(), IDLE_MILLISECONDS).unref()
    }
  }

  close(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  #start(): Worker {
    // Loaded at first use, because most daemons are never asked.
    const { Worker } = process.getBuiltinModule('node:worker_threads')
    const worker = new Worker(workerFile(import.meta.dirname, 'index-worker'), {
      execArgv: [],
      workerData: { database: this.#database },
    })
    worker.unref()
    worker.on('message', ({ id, result, error }: { id: number; result: unknown; error?: string }) => {
      if (error === undefined) this.#waiting.get(id)?.resolve(result)
      else this.#waiting.get(id)?.reject(new Error(error))
    })
    const fail = (error: Error) => {
      if (this.#worker === worker) this.#worker = undefined
      // A new thread may have started before this one has ended.
      for (const { worker: of, reject } of this.#waiting.values()) if (of === worker) reject(error)
    }
    // A failed thread also exits; without a listener, its failure would end the daemon.
    worker.on('error', (error) => fail(error instanceof Error ? error : new Error(String(error))))
    worker.on('exit', () => fail(new Error('The thread of the index has ended.')))
    return worker
  }
}
