import type { FoundChunk } from './found.ts'

import { snippetOf } from './snippet.ts'

/** What a call is told of: documents, what efforts left, and what was said. */
export const REMEMBERED = ['doc', 'session', 'message'] as const

/** What to look for in the memory of a project. */
export interface MemoryWish {
  readonly project_id: number
  /** The subjects of the request. */
  readonly words: readonly string[]
  /** Sources that the caller knows: sessions by the id of the client, others by path. */
  readonly except: readonly string[]
}

/** A place in an earlier session or in a document that is about a request; all of it is data. */
export interface Quote extends Pick<
  FoundChunk,
  'source_type' | 'source_path' | 'heading' | 'line' | 'updated_at'
> {
  readonly text: string
  /** The words of the request that it has. */
  readonly has: readonly string[]
  /** What the agent said next, if it is a prompt. */
  readonly answer?: string | undefined
}

/** What a call is told of the memory of its project. */
export interface Memory {
  readonly quotes: readonly Quote[]
  /** The subjects of the request. */
  readonly words: readonly string[]
  /** Why nothing was found in time. */
  readonly missed?: string | undefined
}

const MOST_QUOTES = 3
const LONGEST_ANSWER = 240

export const isMessage = ({ source_type: type }: Pick<FoundChunk, 'source_type'>): boolean =>
  type === 'message'

/** True for a source that the caller knows: it is named, or lies in a folder that is. */
export const isKnownSource = (
  { source_path: path }: Pick<FoundChunk, 'source_path'>,
  except: readonly string[],
): boolean => except.some((known) => path === known || (known.endsWith('/') && path.startsWith(known)))

/** The best piece of each source, best first: a few of sessions and a few of documents. */
export function bestOf(found: readonly FoundChunk[]): readonly FoundChunk[] {
  const seen = new Set<string>()
  const first = found.filter(({ source_type: type, source_path: path }) => {
    const key = `${type} ${path}`
    return !seen.has(key) && seen.add(key)
  })
  const isDoc = ({ source_type: type }: FoundChunk) => type === 'doc'
  return [
    ...first.filter((one) => !isDoc(one)).slice(0, MOST_QUOTES),
    ...first.filter(isDoc).slice(0, MOST_QUOTES),
  ]
}

/** A piece as it is quoted. */
export function quoteOf(
  { source_type, source_path, heading, line, updated_at, has, chunk_text: text }: FoundChunk,
  answer: string | undefined,
): Quote {
  const about = { source_type, source_path, heading, line, updated_at, has }
  const said = answer === undefined ? undefined : snippetOf(answer.slice(0, LONGEST_ANSWER * 4), has).text
  return { ...about, text: snippetOf(text, has).text, ...(said !== undefined && { answer: said }) }
}
