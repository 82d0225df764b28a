import { callOf } from '../engine/call/moment.ts'
import type { Context } from '../engine/call/context.ts'
import type { Embedder } from '../model/ai.ts'
import { namedModel } from '../model/ai-provider.ts'
import { aiUsedEntry } from '../engine/call/ai-used.ts'
import { timestamp } from '../model/clock.ts'
import type { Config } from '../model/config.ts'
import { EngineError } from '../model/error.ts'
import { codeOf } from '../model/search/codes.ts'
import type { Wanted } from '../model/search/found.ts'
import { listSpaces, type Space } from '../store/space.ts'
import type { Meaning } from '../store/vector.ts'
import { numbersIn } from '../store/vector-bytes.ts'

/** After a failure, searches go by words at once for so long. */
const REST_MILLISECONDS = 15_000
const MOST_KNOWN = 200

/** What went wrong last, and when. */
export interface Problem {
  readonly message: string
  readonly at: string
}

/** Asks for the vectors of questions; without one, a search goes by words alone. */
export class QuestionVectors {
  readonly #context: () => Context
  readonly #known = new Map<string, Float32Array>()
  #restsUntil = 0
  problem: Problem | undefined

  constructor(context: () => Context) {
    this.#context = context
  }

  /** Forgets a failure, because the model has answered since. */
  forgive(): void {
    this.#restsUntil = 0
    this.problem = undefined
  }

  /** Never rejects; undefined if there is no model, no space, or no answer in time. */
  async meaningOf({ question, project_id }: Wanted): Promise<Meaning | undefined> {
    if (question === undefined || performance.now() < this.#restsUntil) return undefined
    try {
      const { store, config, ai } = this.#context()
      const settings = config(question.root ?? '')
      if (settings.ai === 'off' || settings.ai_embed === undefined) return undefined
      const spaces = await store.transact((tx) => listSpaces(tx, {}), { reads: true })
      const space = spaces.find(({ state }) => state === 'active')
      const asking = space === undefined ? undefined : configFor(space, settings)
      if (space === undefined || asking === undefined) return undefined
      const vector = await this.#vectorOf(ai.embedder(asking), question.text, asking, project_id)
      if (vector.length !== space.dims) return undefined
      this.problem = undefined
      return { space_id: space.id, vector, code: codeOf(vector, numbersIn(space.center)) }
    } catch (error) {
      this.#restsUntil = performance.now() + REST_MILLISECONDS
      const message = error instanceof EngineError ? error.message : String(error)
      this.problem = { message, at: timestamp(this.#context().clock.now()) }
      return undefined
    }
  }

  async #vectorOf(
    embedder: Embedder,
    text: string,
    config: Config,
    project_id: number | undefined,
  ): Promise<Float32Array> {
    const key = `${embedder.id}\n${text}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const context = this.#context()
    const late = AbortSignal.timeout(context.questionMilliseconds)
    const { vectors, tokens } = await embedder.embed([text], 'query', late)
    const [vector] = vectors
    if (vector === undefined) throw new TypeError('A checked answer has a vector for each text.')
    if (this.#known.size >= MOST_KNOWN) this.#known.delete(this.#known.keys().next().value ?? '')
    this.#known.set(key, vector)
    const counted = tokens === undefined ? undefined : { input: tokens, output: 0 }
    const entry = aiUsedEntry({
      use: 'embed',
      purpose: 'search',
      of: embedder,
      tokens: counted,
      config,
      project_id,
    })
    await context.store.transact((tx) => callOf(context, undefined).record(tx, entry))
    return vector
  }
}

/** Settings that ask the model of a space; undefined if the config has chosen another provider since. */
function configFor({ provider, model, asked_dims: dims }: Space, settings: Config): Config | undefined {
  const { ai_embed_dims: _, ...others } = settings
  if (namedModel(settings.ai_embed ?? '', 'embed')?.name !== provider) return undefined
  return {
    ...others,
    ai_embed: `${provider}/${model}`,
    ...(dims !== null && { ai_embed_dims: String(dims) }),
  }
}
