import type { Dehydration } from '../model/dehydration.ts'
import { type Effort, isTracked } from '../model/effort.ts'
import { ourPrompt } from '../model/in-client.ts'
import type { OpenCall } from '../model/open-call.ts'
import { isOnlyOurs } from '../model/shell/our-calls.ts'
import { inOneLine, listed, oneLine } from '../model/text/line.ts'
import type { Traces } from './told/background.ts'
import type { SkillFacts } from './facts.ts'
import { rule } from './rule.ts'
import { startedFiles } from './told/sections.ts'
import { standing } from './told/standing.ts'

/** Before a context is lost, saves what the store knows of it for the next session of the effort. */
export const dehydrate = rule({
  name: 'dehydrate',
  summary: 'saves a handover note for the next session of the effort when this one is compacted or ends',
  on: ['compact.before', 'session.ended'],
  wakes: () => true,
  needs: ['work', 'traces'],
  judge(event, { work, traces, session }) {
    if (work === undefined || !isTracked(work) || traces === undefined) return undefined
    // A compaction ends no call: the next context still has it.
    const payload = dehydrationOf(work, traces, event.kind === 'compact.before' ? [] : session.open_calls)
    return { changes: [{ kind: 'dehydrated', effort: work.effort.id, payload }] }
  },
})

const MOST_DONE = 4
/** All words of the user together. */
const MOST_ASKED = 4000
const LONGEST_SAID = 500
const LONGEST_DONE = 200

/** Deterministic: the same store gives the same note. */
export function dehydrationOf(
  work: SkillFacts & { readonly effort: Effort },
  { messages, asked, loadedFiles, artifacts, open }: Traces,
  openCalls: readonly OpenCall[],
): Dehydration {
  const [where = ''] = standing(work)
  const said = (role: string) => messages.filter((message) => message.role === role)
  const [lastSaid] = said('assistant')
  const underWay = openCalls
    .filter(({ what }) => !isOnlyOurs(what))
    .map(({ tool, what }) => `Running: ${oneLine(tool)} ${inOneLine(what, LONGEST_SAID)}`)
  const done = said('tool')
    .slice(0, MOST_DONE)
    .toReversed()
    .map(({ tool_name, content }) => `${oneLine(tool_name ?? 'tool')}: ${brief(content)}`)
  return {
    summary: [
      where,
      ...(artifacts.length === 0 ? [] : [`Artifacts: ${listed(artifacts, LONGEST_SAID)}.`]),
    ].join('\n'),
    lastAction: [
      ...(lastSaid === undefined ? [] : [`The agent said: ${inOneLine(lastSaid.content, LONGEST_SAID)}`]),
      ...done,
    ].join('\n'),
    handoverInstructions: [...underWay, ...open.map((item) => inOneLine(item, LONGEST_SAID))].join('\n'),
    userHistory: wordsOfUser(asked).toReversed().join('\n'),
    requiredFiles: [...new Set([...startedFiles(work), ...loadedFiles.toReversed()])],
  }
}

/** Each text once and newest first, as far as they fit: a repeated "go on" displaces no instruction. */
function wordsOfUser(asked: readonly string[]): readonly string[] {
  let left = MOST_ASKED
  return [...new Set(asked.map((text) => inOneLine(text, LONGEST_SAID)))].filter((text) => {
    if (text.length > left || ourPrompt(text) !== undefined) return false
    left -= text.length
    return true
  })
}

/** A call and its result are long, and their beginning says what was done. */
function brief(text: string): string {
  const line = inOneLine(text)
  return line.length <= LONGEST_DONE ? line : `${line.slice(0, LONGEST_DONE).toWellFormed()}…`
}
