import { isTold, readBy, type ToldDirective, type TouchedDirective } from '../model/directive.ts'
import type { HookEvent } from '../model/event.ts'
import type { Facts } from './facts.ts'
import { rule } from './rule.ts'

/** Clients cut what is longer than 10,000 characters, and others have something to say too. */
const MOST_CHARACTERS = 7000

/** What is in force for a folder is told when the work comes there, once in each context. */
export const directiveDiscovery = rule({
  name: 'directive-discovery',
  summary: 'tells the directives in force where a tool call works, each once per context window',
  on: ['tool.before', 'tool.after'],
  wakes: ({ event, directives, reads }, { session }) => {
    const known = { session, directives, reads }
    return event.kind === 'tool.after' ? readNow(known).length > 0 : untold(event, known).length > 0
  },
  needs: ['directives', 'reads'],
  judge(event, facts) {
    if (event.kind === 'tool.after') return seen(readNow(facts))
    const news = untold(event, facts)
    if (news.length === 0) return undefined
    const { whole, named } = fitting(news)
    const wasRefused = new Set(
      facts.session.told_directives.flatMap(({ path, how }) => (how === 'refused' ? [path] : [])),
    )
    const told: ToldDirective[] = [
      ...whole.map(({ path }) => ({ path, how: 'told' as const })),
      ...named
        .filter(({ path }) => !wasRefused.has(path))
        .map(({ path }) => ({ path, how: 'named' as const })),
    ]
    if (told.length === 0) return undefined
    const contexts = [
      ...whole.map(({ path, folder, text }) => `In force for ${folder}, from ${path}:\n${text}`),
      ...named.map(
        ({ path, folder }) => `Also in force for ${folder}, and too long to be told here. Read it: ${path}`,
      ),
    ]
    return { contexts: [contexts.join('\n\n')], changes: [{ kind: 'directives.told', told }] }
  },
})

/** What an agent has read itself need not be told, and counts as read. */
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

/** Those that the call has read itself, and that count as told from now on. */
const readNow = ({ session, directives, reads }: Known): readonly TouchedDirective[] =>
  directives.filter((one) => readBy(one, reads) && !isTold(one, session))

/** Those that this context was not told of; what the call reads itself is not told beside it. */
const untold = (event: HookEvent, { session, directives, reads }: Known): readonly TouchedDirective[] =>
  event.kind !== 'tool.before'
    ? []
    : directives.filter((one) => {
        const how = session.told_directives.find(({ path }) => path === one.path)?.how
        return (how === undefined || (how === 'refused' && one.text !== undefined)) && !readBy(one, reads)
      })

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
