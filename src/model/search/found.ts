/** What a search looks through. */
export const SOURCES = ['session', 'doc', 'directive', 'skill', 'message'] as const

export type Source = (typeof SOURCES)[number]

/** A piece of the index that has words of a question. */
export interface FoundChunk {
  readonly id: number
  readonly project_id: number | null
  readonly source_type: string
  readonly source_path: string
  readonly heading: string
  readonly line: number
  readonly chunk_text: string
  readonly updated_at: string
  /** How well its words fit, from 0 to 1; comparable only within one answer. */
  readonly score: number
  /** The words of the question that it has. */
  readonly has: readonly string[]
  /** Those among them that are in its heading. */
  readonly in_heading: readonly string[]
  /** How near its meaning is, from -1 to 1; undefined if it has no vector. */
  readonly meaning?: number
}

/** What a search looks for. */
export interface Wanted {
  /** As `wordsOf` reads them from a question: letters and digits only, which no index takes for syntax. */
  readonly words: readonly string[]
  readonly project_id?: number | undefined
  readonly source_types?: readonly string[] | undefined
  /** Only what was written or said since then. */
  readonly since?: string | undefined
  readonly limit: number
  /** The whole question, for models of meaning; without it, only words count. */
  readonly question?: Question | undefined
}

/** A question and the project that it is asked in, whose settings decide whether a model may see it. */
export interface Question {
  readonly text: string
  /** Undefined for a search of all projects. */
  readonly root: string | undefined
}
