import type { EmbedKind, Generated, Prompt, TokenCount } from '../model/ai.ts'
import { countAt } from './json.ts'

/** A request below the base URL of a provider. */
export interface Wire {
  readonly path: string
  readonly body: object
}

/** What an embedding model is asked in one request. */
export interface EmbedAsked {
  readonly model: string
  readonly dims: number | undefined
  readonly texts: readonly string[]
  readonly kind: EmbedKind
}

/** The lists of numbers of an answer, in the order of the texts; anything else is checked by its reader. */
export interface EmbedRead {
  readonly vectors: readonly unknown[]
  readonly tokens: number | undefined
}

/** How one provider spells requests and answers; pure. */
export interface Form {
  /** The headers that carry the key. */
  readonly headers: (key: string) => Readonly<Record<string, string>>
  readonly embed?: {
    /** The most texts of one request. */
    readonly most: number
    /** How the model tells questions from documents; a part of the identity of its vectors. */
    readonly scheme: (model: string) => string
    readonly wire: (asked: EmbedAsked) => Wire
    readonly read: (answer: unknown) => EmbedRead
  }
  readonly generate?: {
    readonly wire: (model: string, asked: Prompt) => Wire
    /** Undefined if the answer has no text where one belongs. */
    readonly read: (answer: unknown) => Generated | undefined
  }
}

/** Both counts of a `usage`; undefined unless both are there. */
export function tokensAt(usage: unknown, input: string, output: string): TokenCount | undefined {
  const [asked, answered] = [countAt(usage, input), countAt(usage, output)]
  return asked === undefined ? undefined : { input: asked, output: answered ?? 0 }
}
