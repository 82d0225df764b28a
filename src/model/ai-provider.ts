import { EngineError } from './error.ts'

/** What a model is used for. */
export type AiUse = 'embed' | 'generate'

/** How a provider is spoken to. */
export type AiShape = 'anthropic' | 'gemini' | 'openai' | 'voyage'

/** A service or program that runs models. */
export interface Provider {
  readonly shape: AiShape
  /** Undefined if the config must name it. */
  readonly url: string | undefined
  /** The environment variable with its key. */
  readonly variable: string
  readonly needsKey: boolean
  readonly can: readonly AiUse[]
}

const both = ['embed', 'generate'] as const

/** A program on this machine or in its network, which needs a key only if it is set up so. */
const own = (url: string | undefined, variable: string): Provider => ({
  shape: 'openai',
  url,
  variable,
  needsKey: false,
  can: both,
})

/** Every provider by its name in the config. */
export const PROVIDERS: Readonly<Record<string, Provider>> = {
  anthropic: {
    shape: 'anthropic',
    url: 'https://api.anthropic.com/v1',
    variable: 'ANTHROPIC_API_KEY',
    needsKey: true,
    can: ['generate'],
  },
  gemini: {
    shape: 'gemini',
    url: 'https://generativelanguage.googleapis.com/v1beta',
    variable: 'GEMINI_API_KEY',
    needsKey: true,
    can: both,
  },
  openai: {
    shape: 'openai',
    url: 'https://api.openai.com/v1',
    variable: 'OPENAI_API_KEY',
    needsKey: true,
    can: both,
  },
  voyage: {
    shape: 'voyage',
    url: 'https://api.voyageai.com/v1',
    variable: 'VOYAGE_API_KEY',
    needsKey: true,
    can: ['embed'],
  },
  ollama: own('http://127.0.0.1:11434/v1', 'OLLAMA_API_KEY'),
  lmstudio: own('http://127.0.0.1:1234/v1', 'LMSTUDIO_API_KEY'),
  vllm: own('http://127.0.0.1:8000/v1', 'VLLM_API_KEY'),
  'llama.cpp': own('http://127.0.0.1:8080/v1', 'LLAMA_API_KEY'),
  'openai-compatible': own(undefined, 'OPENAI_COMPATIBLE_API_KEY'),
}

/** A model as the config names it: `PROVIDER/MODEL`. */
export interface NamedModel {
  readonly name: string
  readonly provider: Provider
  readonly model: string
}

/** Undefined if the text names no model that can be used so. The name of a model may have slashes. */
export function namedModel(text: string, use: AiUse): NamedModel | undefined {
  const [, name = '', model = ''] = /^([a-z.-]{1,40})\/([\w.:@/+-]{1,200})$/.exec(text) ?? []
  const provider = Object.hasOwn(PROVIDERS, name) ? PROVIDERS[name] : undefined
  return provider?.can.includes(use) === true ? { name, provider, model } : undefined
}

/** The names of providers that can be used so. */
export const providersFor = (use: AiUse): readonly string[] =>
  Object.keys(PROVIDERS).filter((name) => PROVIDERS[name]?.can.includes(use))

/** A base URL without a password, query or fragment, which would be shown with the config. */
export function isBaseUrl(text: string): boolean {
  const url = URL.parse(text)
  if (url === null || text.length > 500) return false
  const isPlain = url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isPlain && (url.protocol === 'https:' || url.protocol === 'http:')
}

/** Dollars for a million tokens, of the prompt and of the answer: `0.02` or `1/5`. */
export interface Price {
  readonly input: number
  readonly output: number
}

export function priceIn(text: string): Price | undefined {
  const [, input, output] = /^(\d{1,6}(?:\.\d{1,6})?)(?:\/(\d{1,6}(?:\.\d{1,6})?))?$/.exec(text) ?? []
  return input === undefined ? undefined : { input: Number(input), output: Number(output ?? 0) }
}

/** The cost of a call in dollars; undefined without a price or a count. */
export const costOf = (
  price: string | undefined,
  tokens: { readonly input: number; readonly output: number } | undefined,
): number | undefined => {
  const known = price === undefined ? undefined : priceIn(price)
  if (known === undefined || tokens === undefined) return undefined
  return (known.input * tokens.input + known.output * tokens.output) / 1_000_000
}

const EXAMPLES = { embed: 'ollama/nomic-embed-text', generate: 'anthropic/MODEL' } as const

/** The refusal of a call for which the user has chosen no model. */
export const notConfigured = (use: AiUse, isOff: boolean) =>
  isOff
    ? new EngineError('not-configured', 'AI is off here: the setting ai says so. Nothing was sent.', {
        field: 'ai',
        hint: 'holdfast config get ai',
      })
    : new EngineError('not-configured', `No model is set in ai_${use}. Nothing was sent.`, {
        field: `ai_${use}`,
        hint: `holdfast config set ai_${use} ${EXAMPLES[use]}`,
      })
