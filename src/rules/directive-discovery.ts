import { isTold, readBy, type ToldDirective, type TouchedDirective } from '../model/directive.ts'
import type { HookEvent } from '../model/event.ts'
import { oneLine } from '../model/text/line.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'
import { indented } from './told/content.ts'
import { directiveFor } from './told/words.ts'

/** Clients cut contexts at 10,000 characters, and other rules need room too. */
const MOST_CHARACTERS = 7000

/** Shows the directives of a folder when work first reaches it, once per context. */
export const directiveDiscovery = rule({
  name: 'directive-discovery',
  summary: 'shows the directives in force where a tool call works, each once per context window',
  setting: 'directives',
  on: ['tool.before', 'tool.after'],
  wakes: ({ event, directives, reads }, { session }) => {
    const known = { session, directives, reads }
    return event.kind === 'tool.after'
      ? readNow(known).length > 0
      : untold(event, known).length > 0 || heldOver(event, known).length > 0
  },
  needs: ['directives', 'reads'],
  judge(event, facts) {
    if (event.kind === 'tool.after') return seen(readNow(facts))
    const again = heldOver(event, facts)
    const { whole, named } = fitting(untold(event, facts))
    const wasRefused = new Set(
      facts.session.told_directives.flatMap(({ path, how }) => (how === 'refused' ? [path] : [])),
    )
    const told: ToldDirective[] = [
      ...whole.map(({ path }) => ({ path, how: 'told' as const })),
      ...named
        .filter(({ path }) => !wasRefused.has(path))
        .map(({ path }) => ({ path, how: 'named' as const })),
    ]
    if (told.length + again.length === 0) return undefined
    const changes = [{ kind: 'directives.told' as const, told: [...told, ...again] }]
    if (told.length === 0) return { changes }
    const contexts = [
      ...whole.map(({ path, folder, text }) =>
        [directiveFor(folder, path), ...indented(text ?? '')].join('\n'),
      ),
      ...named.map(
        ({ path, folder }) =>
          `Directive for ${oneLine(folder)}, too long to show here. Read it: ${oneLine(path)}`,
      ),
    ]
    return { contexts: [contexts.join('\n\n')], changes }
  },
})

/** A directive that the agent read itself counts as shown. */
function seen(read: readonly TouchedDirective[]) {
  return read.length === 0
    ? undefined
    : {
        changes: [
          {
            kind: 'directives.told' as const,
            told: read.map(({ path }) => ({ path, how: 'told' as const })),
          },
        ],
      }
}

type Known = Pick<Facts, 'session' | 'directives' | 'reads'>

/** Directives that this call read itself. */
const readNow = ({ session, directives, reads }: Known): readonly TouchedDirective[] =>
  directives.filter((one) => readBy(one, reads) && !isTold(one, session))

/** Directives that this context has not seen and that the call does not read itself. */
const untold = (event: HookEvent, { session, directives, reads }: Known): readonly TouchedDirective[] =>
  event.kind !== 'tool.before'
    ? []
    : directives.filter((one) => {
        const how = session.told_directives.find(({ path }) => path === one.path)?.how
        return (how === undefined || (how === 'refused' && one.text !== undefined)) && !readBy(one, reads)
      })

/** Directives that this context has seen for another effort: they apply to this one too, and are not sent again. */
function heldOver(event: HookEvent, { session, directives }: Known): readonly ToldDirective[] {
  if (event.kind !== 'tool.before') return []
  const paths = new Set(directives.map(({ path }) => path))
  return session.told_directives.filter(
    ({ path, how, effort }) => how !== 'refused' && effort !== session.effort_id && paths.has(path),
  )
}

function fitting(news: readonly TouchedDirective[]) {
  const [whole, named]: [TouchedDirective[], TouchedDirective[]] = [[], []]
  let left = MOST_CHARACTERS
  for (const one of news) {
    const length = one.text?.length ?? Infinity
    ;(length <= left ? whole : named).push(one)
    if (length <= left) left -= length
  }
  return { whole, named }
}
