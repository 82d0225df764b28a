import { tooMuch } from '../../model/result.ts'
import { type Io, readValue, usage } from './io.ts'

/** The typed result of an effort: JSON, `@file` or `-`. Its size and depth are checked before it is parsed. */
export function resultFrom(io: Io, typed: string | undefined): unknown {
  if (typed === undefined) return undefined
  const text = readValue(typed, io).trim()
  const limit = tooMuch(text)
  if (limit !== undefined) throw usage(`--result ${limit}.`)
  const value = parsed(text)
  if (value !== null) return value
  throw usage('--result must not be null. Without a result, leave out --result.')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw usage(`--result must be JSON such as '{"url": "https://example.com"}': ${why}.`)
  }
}
