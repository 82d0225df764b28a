import { byClock } from '../../model/clock.ts'
import { parentOf } from '../../model/directive.ts'
import { type BodyLine, bodyOf } from '../../model/plan/shown.ts'
import type { Context } from '../call/context.ts'
import { digestOf } from '../call/digest.ts'

interface Body {
  readonly digest: string
  readonly lines: readonly BodyLine[]
}

const LARGEST_STEP = 262_144
const MOST_KEPT = 500
/** A disk tells times in ticks, so a newer file may change again without another time. */
const SETTLED_MILLISECONDS = 2000

/** By what a file is and when it changed. */
const kept = new Map<string, Body>()

/** The body of a step file, kept while its file stays as it is; undefined if it cannot be read as a whole. */
export async function bodyIn({ files, clock }: Context, file: string): Promise<Body | undefined> {
  const known = await files.identity(file)
  if (known === undefined) return undefined
  const key = `${known.id} ${known.changedAt}`
  const before = kept.get(key)
  if (before !== undefined) return before
  const text = await files
    .canonical(file)
    .then((path) => files.read({ path, root: parentOf(path), offset: 0, limit: LARGEST_STEP }))
    .catch(() => undefined)
  if (text === undefined || text.next_offset !== null) return undefined
  const lines = bodyOf(text.content)
  const body = { digest: digestOf(lines), lines }
  if (kept.size >= MOST_KEPT) kept.clear()
  if (clock.now() - byClock(clock, known.changedAt) > SETTLED_MILLISECONDS) kept.set(key, body)
  return body
}
