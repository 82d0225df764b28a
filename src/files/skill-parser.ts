import type { Worker } from 'node:worker_threads'
import type { LoadedModule, Parsed } from '../model/plan/definition.ts'
import type { Candidate } from '../skills/find.ts'
import { parse, type Texts } from './skill-texts.ts'
import { workerFile } from './worker-file.ts'

/** A skill as it is sent to the thread. */
export interface Question {
  readonly candidate: Candidate
  readonly texts: Texts
  readonly modules: ReadonlyMap<string, LoadedModule> | undefined
}

/** Starting the thread takes longer than parsing this much; the worst text of this size takes milliseconds. */
const SMALL = 8 * 1024
const LONGEST_MILLISECONDS = 10_000
/** The thread holds tens of megabytes that an idle daemon does not need. */
const IDLE_MILLISECONDS = 10_000
const MOST_MEGABYTES = 512

/** Parses skills so that no hook waits: small ones between events, others in a thread that starts when needed. */
export class SkillParser {
  readonly #longest: number
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  /** One at a time, so that a skill that fails takes no other with it. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(longest: number = LONGEST_MILLISECONDS) {
    this.#longest = longest
  }

  /** Whether the thread runs. */
  get isAwake(): boolean {
    return this.#worker !== undefined
  }

  /** Rejects if the skill takes too long or too much memory. */
  async parse(question: Question): Promise<Parsed> {
    const { candidate, texts, modules } = question
    const size = [...texts.values()].reduce((sum, text) => sum + text.length, 0)
    if (size <= SMALL) return await parse(candidate, texts, { modules })
    const answer = this.#turn.then(() => this.#ask(question))
    this.#turn = answer.catch(() => undefined)
    return await answer
  }

  close(): void {
    clearTimeout(this.#idle)
    void this.#worker?.terminate()
    this.#worker = undefined
  }

  async #ask(question: Question): Promise<Parsed> {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= await started())
    const timer = setTimeout(() => this.close(), this.#longest)
    try {
      return await answerOf(worker, question)
    } catch (error) {
      this.#worker = undefined
      throw error
    } finally {
      clearTimeout(timer)
      worker.removeAllListeners('message').removeAllListeners('exit')
      this.#idle = setTimeout(() => this.close(), IDLE_MILLISECONDS).unref()
    }
  }
}

const answerOf = (worker: Worker, question: Question): Promise<Parsed> =>
  new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('exit', () => reject(new Error('parsing takes too long or too much memory')))
    worker.postMessage(question)
  })

async function started(): Promise<Worker> {
  // Loaded at first use, because most daemons find no changed skill.
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(workerFile(import.meta.dirname, 'skill-worker'), {
    execArgv: [],
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEGABYTES },
  })
  worker.unref()
  // A failed thread also exits; without a listener, its failure would end the daemon.
  worker.on('error', () => undefined)
  return worker
}
