import { relativeLines } from '../../model/text/time.ts'
import { shellWord } from '../../model/shell/word.ts'
import { headLines, items, section, tailSections, type WorkView } from './work-text.ts'

/** What one session leaves for the next. */
export interface Handover {
  readonly dehydration: unknown
  readonly required_files: { readonly present: readonly string[]; readonly missing: readonly string[] }
  readonly resume: string | null
}

/** What a recap of the same effort also shows. */
interface Kept {
  readonly artifacts: readonly string[]
  readonly approvals: readonly string[]
}

interface Told {
  readonly now: string
  readonly kept: Kept
}

/** The answer to `session continue`: the state of the effort and the handover note. */
export function continuedText(view: WorkView, handover: Handover, told: Told): string {
  const { resume: command } = handover
  return textOf(view, handover, told, {
    title: 'Session continued',
    below: command === null ? [] : [`To reopen the last session with its full context: ${command}`],
  })
}

/** Who has a shown effort, and the command that takes it. */
export interface ShownHolder {
  readonly held_by: string | null
  readonly take: string
}

/** The same for a terminal, which takes nothing over: how to resume the client, and how to take the effort. */
export function shownText(view: WorkView, handover: Handover, told: Told & ShownHolder): string {
  const { held_by, take } = told
  const reopen = handover.resume === null ? '' : `reopen its session: ${handover.resume}; or `
  const who = held_by === null ? '' : `; ${held_by} has it`
  return textOf(view, handover, told, {
    title: 'Effort',
    below: [`Holdfast: shown only, nothing changed${who}. To resume it, ${reopen}take it over here: ${take}`],
  })
}

function textOf(
  view: WorkView,
  { dehydration, required_files }: Handover,
  { now, kept }: Told,
  { title, below }: { readonly title: string; readonly below: readonly string[] },
): string {
  const { task_id, id, artifact_prefix } = view.effort
  const { present, missing } = required_files
  return [
    [`${title}: ${task_id} (effort ${id}, ${artifact_prefix})`, ...headLines(view)].join('\n'),
    ...below,
    ...section('DEHYDRATED_CONTEXT', payloadLines(dehydration, Date.parse(now))),
    ...section('REQUIRED_FILES', [...items(present), ...items(missing.map((path) => `${path} (missing)`))]),
    ...section('RECORDED', kept.artifacts),
    ...section('APPROVALS', kept.approvals),
    ...tailSections(view),
  ].join('\n\n')
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const LONGEST = 16_000

function payloadLines(payload: unknown, now: number): readonly string[] {
  if (payload === null) return []
  const text = isRecord(payload)
    ? Object.entries(payload)
        .filter(([key]) => key !== 'requiredFiles')
        .map(([key, value]) => `${inWords(key)}:${Array.isArray(value) ? '' : ' '}${shown(value, now)}`)
        .join('\n')
    : shown(payload, now)
  return [text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text]
}

/** `nextSteps` as `next steps`. */
const inWords = (key: string): string => key.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

const shown = (value: unknown, now: number): string =>
  Array.isArray(value)
    ? value.map((one) => `\n- ${shown(one, now)}`).join('')
    : typeof value === 'string'
      ? relativeLines(value, now)
      : JSON.stringify(value)

/** The answer to `session continue` if the last effort is finished. */
export function finishedText(view: WorkView): string {
  const { task_id, id, skill } = view.effort
  const next = view.next_skills.map(
    (name) => `holdfast effort start ${shellWord(task_id)} ${name.replace(/^\//, '')}`,
  )
  return [
    `Nothing to continue: the last effort of ${task_id} (effort ${id}, ${skill}) is finished.`,
    next.length === 0
      ? `To start again: holdfast effort start ${shellWord(task_id)} ${shellWord(skill)}`
      : `Next: ${next.join(' or ')}`,
    ...tailSections(view),
  ].join('\n\n')
}
