import { readBy } from '../model/directive.ts'
import type { Rule } from './rule.ts'

/** A directive can ask to be read before anything is written where it is in force; whoever was told so once may go on. */
export const directiveGate: Rule = {
  name: 'directive-gate',
  summary: 'refuses once to write where a directive asks to be read first and was not',
  on: ['tool.before'],
  judge(event, { session, directives, reads }) {
    const known = new Map(session.told_directives.map(({ path, how }) => [path, how]))
    const unread = directives.filter(
      (one) =>
        one.isWritten &&
        one.kind === 'hard' &&
        [undefined, 'named'].includes(known.get(one.path)) &&
        !session.loaded_files.includes(one.path) &&
        !readBy(one, reads),
    )
    const [first] = unread
    if (event.kind !== 'tool.before' || first === undefined) return undefined
    const paths = unread.map(({ path }) => path)
    const reason = `${paths.join(' and ')} must be read before anything is written in ${first.folder}, and was not in this session. Next: read ${paths.join(' and ')}, then repeat this call.`
    return {
      block: { reason, skill: '', effort: session.effort_id },
      changes: [{ kind: 'directives.told', told: paths.map((path) => ({ path, how: 'refused' as const })) }],
    }
  },
}
