import { isFailing, isForUser, isSkip } from '../../model/plan/action-words.ts'
import type { Io } from './io.ts'
import { cell, paint } from './print.ts'

/** The next actions, one per line: the way on first, then what else is possible, and who may do it. */
export function nextLines(
  io: Pick<Io, 'color'>,
  { next, optional = [] }: { readonly next: readonly string[]; readonly optional?: readonly string[] },
): readonly string[] {
  const ways = next.filter((one) => !optional.includes(one) && !isFailing(one))
  const labelOf = (action: string): string => {
    if (isForUser(action)) return 'only the user can run'
    if (isFailing(action)) return 'if it fails'
    if (optional.includes(action)) return isSkip(action) ? 'to leave it out' : 'optional'
    return action === ways[0] ? 'next' : 'or'
  }
  const rest = next.filter((one) => !ways.includes(one))
  return [...ways, ...rest].map((action) => `${labelOf(action)}: ${paint(io, 'cyan', cell(action))}`)
}
