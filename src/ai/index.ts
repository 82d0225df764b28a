import type { Ai, AiSetup, Embedder, Generator } from '../model/ai.ts'
import { type AiShape, type AiUse, type NamedModel, namedModel, notConfigured } from '../model/ai-provider.ts'
import type { Config } from '../model/config.ts'
import { EngineError } from '../model/error.ts'
import { anthropic } from './anthropic.ts'
import { batchesOf } from './batches.ts'
import { AiFailure } from './failure.ts'
import type { Form, Wire } from './form.ts'
import { gemini } from './gemini.ts'
import { openai } from './openai.ts'
import { Pace } from './pace.ts'
import { type Patience, PATIENCE, patiently } from './patience.ts'
import { post } from './post.ts'
import { checkedVectors } from './vectors.ts'
import { voyage } from './voyage.ts'

/** Finds the key of a provider; undefined if there is none. Throws if its file is not private. */
export type FindKey = (provider: string) => string | undefined

const FORMS: Readonly<Record<AiShape, Form>> = { anthropic, gemini, openai: openai('max_tokens'), voyage }

const MOST_BYTES = 16_000_000

/** Opens the models that a config names. Nothing is sent before a call. */
export function openAi(findKey: FindKey, patience: Patience = PATIENCE): Ai {
  const paces = new Map<string, Pace>()
  const lineTo = (config: Config, use: AiUse): Line => {
    const meant = modelIn(config, use)
    const url = urlOf(config, use, meant)
    const pace = paces.get(url) ?? new Pace()
    paces.set(url, pace)
    // OpenAI itself refuses the older name of the limit for its newer models.
    const form = meant.name === 'openai' ? openai('max_completion_tokens') : FORMS[meant.provider.shape]
    return { ...meant, url, form, pace, patience, findKey, perMinute: countIn(config.ai_per_minute) }
  }
  return {
    embedder: (config) => embedderOf(lineTo(config, 'embed'), countIn(config.ai_embed_dims)),
    generator: (config) => generatorOf(lineTo(config, 'generate')),
    setup: (config, use) => setupOf(config, use, () => lineTo(config, use)),
  }
}

function setupOf(config: Config, use: AiUse, open: () => Line): AiSetup {
  const model = config[`ai_${use}`] ?? null
  const nothing = { model, url: null, variable: null, has_key: false, problem: null, hint: null }
  let line: Line | undefined
  try {
    line = open()
    return { ...nothing, url: line.url, variable: line.provider.variable, has_key: keyOf(line) !== undefined }
  } catch (error) {
    if (!(error instanceof EngineError)) throw error
    const known = line === undefined ? {} : { url: line.url, variable: line.provider.variable }
    return { ...nothing, ...known, problem: error.message, hint: error.hint ?? null }
  }
}

/** A model with everything that a call of it needs. */
interface Line extends NamedModel {
  readonly url: string
  readonly form: Form
  readonly pace: Pace
  readonly patience: Patience
  readonly perMinute: number | undefined
  readonly findKey: FindKey
}

const countIn = (text: string | undefined): number | undefined =>
  text === undefined ? undefined : Number(text)

function modelIn(config: Config, use: AiUse): NamedModel {
  const meant = namedModel(config[`ai_${use}`] ?? '', use)
  if (config.ai === 'off' || meant === undefined) throw notConfigured(use, config.ai === 'off')
  return meant
}

function urlOf(config: Config, use: AiUse, { name, provider }: NamedModel): string {
  const url = config[`ai_${use}_url`] ?? provider.url
  if (url !== undefined) return url.replace(/\/+$/, '')
  throw new EngineError('not-configured', `The provider ${name} needs a base URL.`, {
    field: `ai_${use}_url`,
    hint: `holdfast config set ai_${use}_url http://127.0.0.1:8080/v1`,
  })
}

/** The key of a provider, unless anybody on the way could read it. */
function keyOf({ name, provider, url, findKey }: Line): string | undefined {
  const key = findKey(name)
  if (key === undefined && provider.needsKey)
    throw new EngineError(
      'not-configured',
      `The provider ${name} has no key: ${provider.variable} is not set.`,
      {
        hint: 'holdfast ai status',
      },
    )
  if (key !== undefined && !isPrivateWay(url))
    throw new EngineError('forbidden', `The key of ${name} is not sent over http to another machine.`, {
      hint: 'holdfast ai status',
    })
  return key
}

function isPrivateWay(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return protocol === 'https:' || /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

/** One request, repeated as far as patience goes. */
async function ask<T>(
  line: Line,
  wire: Wire,
  read: (answer: unknown) => T,
  signal: AbortSignal | undefined,
): Promise<T> {
  const key = keyOf(line)
  const { name, url, form, pace, patience, perMinute } = line
  return await patiently({ who: name, pace, perMinute, patience, signal }, async () =>
    read(
      await post({
        who: name,
        url: `${url}${wire.path}`,
        headers: key === undefined ? {} : form.headers(key),
        body: wire.body,
        key,
        timeout: patience.timeout,
        mostBytes: MOST_BYTES,
        signal,
      }),
    ),
  )
}

function embedderOf(line: Line, dims: number | undefined): Embedder {
  const { name, model, form } = line
  const { embed } = form
  if (embed === undefined) throw notConfigured('embed', false)
  const scheme = embed.scheme(model)
  return {
    id: `${name}/${model} ${dims ?? 'default'} ${scheme}`,
    provider: name,
    model,
    scheme,
    dims,
    async embed(texts, kind, signal) {
      const vectors: Float32Array[] = []
      let tokens: number | undefined = 0
      for (const batch of batchesOf(texts, embed.most)) {
        const wire = embed.wire({ model, dims, texts: batch, kind })
        const read = (answer: unknown) => {
          const found = embed.read(answer)
          const of = { count: batch.length, dims: dims ?? vectors[0]?.length }
          return { tokens: found.tokens, vectors: checkedVectors(name, found.vectors, of) }
        }
        const found = await ask(line, wire, read, signal)
        vectors.push(...found.vectors)
        tokens = found.tokens === undefined || tokens === undefined ? undefined : tokens + found.tokens
      }
      return { vectors, tokens }
    },
  }
}

function generatorOf(line: Line): Generator {
  const { name, model, form } = line
  const { generate } = form
  if (generate === undefined) throw notConfigured('generate', false)
  return {
    id: `${name}/${model}`,
    provider: name,
    model,
    generate(asked, signal) {
      const read = (answer: unknown) => {
        const found = generate.read(answer)
        if (found === undefined) throw new AiFailure('unavailable', `${name} sent an answer without a text.`)
        return found
      }
      return ask(line, generate.wire(model, asked), read, signal)
    },
  }
}
