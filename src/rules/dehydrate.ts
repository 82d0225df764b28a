import type { Dehydration } from '../model/dehydration.ts'
import { type Effort, isTracked } from '../model/effort.ts'
import type { OpenCall } from '../model/open-call.ts'
import { listed, oneLine } from '../model/text/line.ts'
import type { Traces } from './told/background.ts'
import type { SkillFacts } from './facts.ts'
import { rule } from './rule.ts'
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

const MOST_LATELY = 6
const MOST_SAID = 5
const LONGEST_SAID = 500

/** Deterministic: the same store gives the same note. */
export function dehydrationOf(
  work: SkillFacts & { readonly effort: Effort },
  { lately, messages, loadedFiles, artifacts, open }: Traces,
  openCalls: readonly OpenCall[],
): Dehydration {
  const [where = ''] = standing(work)
  const said = (role: string) => messages.filter((message) => message.role === role)
  const [lastSaid] = said('assistant')
  const underWay = openCalls.map(
    ({ tool, what }) => `Running: ${oneLine(tool)} ${oneLine(what, LONGEST_SAID)}`,
  )
  const happened = lately
    .slice(0, MOST_LATELY)
    .map(
      ({ event_type: event, phase, timestamp: at }) =>
        `${at} ${event}${phase === '' ? '' : ` ${oneLine(phase)}`}`,
    )
  return {
    summary: [
      where,
      ...(artifacts.length === 0 ? [] : [`Artifacts: ${listed(artifacts, LONGEST_SAID)}.`]),
    ].join('\n'),
    lastAction: [
      ...happened,
      ...(lastSaid === undefined ? [] : [`The agent said: ${oneLine(lastSaid.content, LONGEST_SAID)}`]),
    ].join('\n'),
    handoverInstructions: [...underWay, ...open.map((item) => oneLine(item, LONGEST_SAID))].join('\n'),
    userHistory: said('user')
      .slice(0, MOST_SAID)
      .toReversed()
      .map(({ content }) => oneLine(content, LONGEST_SAID))
      .join('\n'),
    requiredFiles: [...new Set([...filesOf(work), ...loadedFiles.toReversed()])],
  }
}

/** The files to read first: the skill itself and the started steps. */
function filesOf({ plan, progress, folder }: SkillFacts): readonly string[] {
  const begun = (plan?.steps ?? []).filter(({ id }) => progress?.current.includes(id) === true)
  return [...(folder === null ? [] : [`${folder}/SKILL.md`]), ...begun.map(({ place }) => place.file)]
}
