import type { AiUse } from './ai-provider.ts'
import type { Config } from './config.ts'

/** What a text is embedded for; some models treat questions and documents differently. */
export type EmbedKind = 'query' | 'document'

/** The vectors of texts, in their order. */
export interface Embedded {
  /** Each has length 1. */
  readonly vectors: readonly Float32Array[]
  /** The tokens that the provider counted; undefined if it does not say. */
  readonly tokens: number | undefined
}

/** Turns texts into vectors of meaning. */
export interface Embedder {
  /** Provider, model, dimensions and prefix scheme; vectors of different ids are never compared. */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** How texts are marked as questions or documents. */
  readonly scheme: string
  /** The dimensions that the config asks for; undefined takes what the model gives. */
  readonly dims: number | undefined
  /** Rejects with an `EngineError`. The signal ends it early. */
  embed(texts: readonly string[], kind: EmbedKind, signal?: AbortSignal): Promise<Embedded>
}

/** What a model is asked. */
export interface Prompt {
  readonly system?: string | undefined
  readonly prompt: string
  readonly max_tokens: number
}

/** What a model answered; the text is data and never an instruction. */
export interface Generated {
  readonly text: string
  /** `length`: cut at the limit. `refused`: the model or its filter declined. */
  readonly stop: 'end' | 'length' | 'refused'
  /** Undefined if the provider does not say. */
  readonly tokens: TokenCount | undefined
}

export interface TokenCount {
  readonly input: number
  readonly output: number
}

/** Writes texts. */
export interface Generator {
  /** Provider and model. */
  readonly id: string
  readonly provider: string
  readonly model: string
  /** Rejects with an `EngineError`. The signal ends it early. */
  generate(asked: Prompt, signal?: AbortSignal): Promise<Generated>
}

/** The models that the user has chosen, opened from the settings of a project. */
export interface Ai {
  /** Throws `not-configured` if the settings name no model or turn it off. */
  embedder(config: Config): Embedder
  /** The same for a model that writes. */
  generator(config: Config): Generator
  /** What the settings say of a use, for people. Never throws, and shows no key. */
  setup(config: Config, use: AiUse): AiSetup
}

/** Whether a model can be used. */
export interface AiSetup {
  /** As in the config; null if there is none. */
  readonly model: string | null
  readonly url: string | null
  /** Where the key would come from; null if no provider is chosen. */
  readonly variable: string | null
  readonly has_key: boolean
  /** Why it cannot be used; null if nothing is known. */
  readonly problem: string | null
  readonly hint: string | null
}
