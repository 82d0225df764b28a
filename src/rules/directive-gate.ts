import { readBy, type TouchedDirective } from '../model/directive.ts'
import type { HookEvent } from '../model/event.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'

/** A directive can require reading before a write in its folder; each is enforced once per context. */
export const directiveGate = rule({
  name: 'directive-gate',
  summary: 'refuses a write, once, if a directive of the folder must be read first and was not',
  on: ['tool.before'],
  wakes: ({ event, directives, reads }, { session }) => isHeldUp(event, { session, directives, reads }),
  needs: ['directives', 'reads'],
  judge(event, facts) {
    const unread = unreadFor(event, facts)
    const [first] = unread
    if (first === undefined) return undefined
    const paths = unread.map(({ path }) => path)
    const reason = `Writing in ${first.folder} requires reading ${paths.join(' and ')} first, and this session has not read it. Next: read ${paths.join(' and ')}, then repeat this call.`
    return {
      block: { reason, skill: '', effort: facts.session.effort_id },
      changes: [{ kind: 'directives.told', told: paths.map((path) => ({ path, how: 'refused' as const })) }],
    }
  },
})

type Known = Pick<Facts, 'session' | 'directives' | 'reads'>

/** Required directives that the session has not read. */
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

/** True also if the context has seen only the directive's name. */
export const isHeldUp = (event: HookEvent, known: Known): boolean => unreadFor(event, known).length > 0
