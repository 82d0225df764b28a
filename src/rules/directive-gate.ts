import { readBy, type TouchedDirective } from '../model/directive.ts'
import type { HookEvent } from '../model/event.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'

/** A directive can ask to be read before anything is written where it is in force; whoever was told so once may go on. */
export const directiveGate = rule({
  name: 'directive-gate',
  summary: 'refuses once to write where a directive asks to be read first and was not',
  on: ['tool.before'],
  wakes: ({ event, directives, reads }, { session }) => isHeldUp(event, { session, directives, reads }),
  needs: ['directives', 'reads'],
  judge(event, facts) {
    const unread = unreadFor(event, facts)
    const [first] = unread
    if (first === undefined) return undefined
    const paths = unread.map(({ path }) => path)
    const reason = `${paths.join(' and ')} must be read before anything is written in ${first.folder}, and was not in this session. Next: read ${paths.join(' and ')}, then repeat this call.`
    return {
      block: { reason, skill: '', effort: facts.session.effort_id },
      changes: [{ kind: 'directives.told', told: paths.map((path) => ({ path, how: 'refused' as const })) }],
    }
  },
})

type Known = Pick<Facts, 'session' | 'directives' | 'reads'>

/** Those that must be read before a call may write, and were not. */
function unreadFor(event: HookEvent, { session, directives, reads }: Known): readonly TouchedDirective[] {
  if (event.kind !== 'tool.before') return []
  const hard = directives.filter((one) => one.isWritten && one.kind === 'hard')
  if (hard.length === 0) return []
  const known = new Map(session.told_directives.map(({ path, how }) => [path, how]))
  return hard.filter(
    (one) =>
      [undefined, 'named'].includes(known.get(one.path)) &&
      !session.loaded_files.includes(one.path) &&
      !readBy(one, reads),
  )
}

/** Also where there is nothing left to tell, because only the name was. */
export const isHeldUp = (event: HookEvent, known: Known): boolean => unreadFor(event, known).length > 0
