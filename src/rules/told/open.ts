import { shellWord } from '../../model/shell/word.ts'
import { forcedCommand, type OpenEffort, resumeCommand, wordsOf } from '../../model/effort.ts'
import { inOneLine, oneLine, quoted } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import { effortOf } from './words.ts'

const MOST_SHOWN = 3
const LONGEST_WORDS = 100
const LONGEST_PLACE = 200

/** An open effort: its request, how far it is and when somebody worked on it. */
export const openEffort = (effort: OpenEffort, now: string): string =>
  [
    described({ ...effort, words: wordsOf(effort) }),
    relativeTime(effort.heard_at, Date.parse(now)),
    ...placeOf(effort),
  ].join(', ')

const described = ({
  id,
  skill,
  position,
  words,
}: Pick<OpenEffort, 'id' | 'skill' | 'position'> & { readonly words: string }): string =>
  [
    effortOf(id, skill),
    ...(words === '' ? [] : [quoted(inOneLine(words), LONGEST_WORDS)]),
    oneLine(position, LONGEST_WORDS),
  ].join(', ')

/** Where an effort works, if that is another checkout. */
export const placeOf = ({ elsewhere }: Pick<OpenEffort, 'elsewhere'>): readonly string[] =>
  elsewhere === null ? [] : [`in ${oneLine(elsewhere, LONGEST_PLACE)}`]

/** Older work that a call could mean: how to resume it, or who has it; one line each. */
export function openLines(efforts: readonly OpenEffort[], now: string): readonly string[] {
  const free = efforts.filter(({ holder }) => holder === null)
  const shown = free
    .slice(0, MOST_SHOWN)
    .map((one) => `Open: ${openEffort(one, now)}. To resume it instead: ${resumeCommand(one)}`)
  const more = free.length > MOST_SHOWN ? ['More open efforts: holdfast effort find-active'] : []
  const lines = [...shown, ...more, ...inUse(efforts).map((line) => `Open: ${line}`)]
  return lines.length === 0 ? [] : [lines.join('\n')]
}

/** The efforts among these that somebody else works on, without a way to take them. */
export const inUse = (efforts: readonly OpenEffort[]): readonly string[] =>
  efforts.flatMap((one) => {
    if (one.holder === null || one.isBelow === true) return []
    const what = [described({ ...one, words: wordsOf(one) }), ...placeOf(one)].join(', ')
    return [`${what}; in use by ${oneLine(one.holder)}.`]
  })

/** An effort of the same skill and task that a start did not resume, and the command that resumes it. */
export interface OpenElsewhere {
  readonly effort_id: number
  readonly skill: string
  /** The words that the skill was called with. */
  readonly request: string | null
  readonly position: string
  /** Who has it. */
  readonly by: string
  /** Null if nobody may take it. */
  readonly command: string | null
}

/** The line that tells of it, and how to resume it. */
export const elsewhereLine = ({
  effort_id: id,
  skill,
  request,
  position,
  by,
  command,
}: OpenElsewhere): string =>
  [
    `Open: ${described({ id, skill, position, words: request ?? '' })}; ${oneLine(by)} has it.`,
    ...(command === null ? [] : [`To resume it, if the user asks: ${command}`]),
  ].join(' ')

/** Why a call resumed nothing; the commands that change that are for the agent. */
export interface NotResumed {
  readonly context: string
  readonly notice: string
}

const notResumed = (why: string, ways: string): NotResumed => {
  const notice = `Not resumed: ${why}. Nothing was started.`
  return { context: `${notice} ${ways}`, notice }
}

/** Says who works on an effort that a call wanted to resume. */
export const heldTexts = (effort: OpenEffort, now: string): NotResumed =>
  notResumed(
    `${openEffort(effort, now)}, because ${oneLine(effort.holder ?? 'another session')} works on it`,
    `To take it over, if the user asks: ${takingCommand(effort)}. To begin new work, call the skill with other words.`,
  )

/** An agent must release its effort first. */
const takingCommand = (effort: OpenEffort): string =>
  effort.owner === undefined
    ? forcedCommand(effort)
    : `holdfast agent release ${shellWord(effort.owner)} --take && ${forcedCommand(effort)}`

/** Says where an effort goes on that belongs to another project, or to another skill than the called one. */
export function foreignTexts(effort: OpenEffort, called: string, now: string): NotResumed {
  const { id, skill, root } = effort
  const what = openEffort(effort, now)
  const { context } =
    root === undefined
      ? notResumed(`${what}, is not an effort of ${called}`, `To resume it: ${resumeCommand(effort)}`)
      : notResumed(
          `${what}, belongs to another project`,
          `To resume it, start a session in ${root}: /${skill} --continue ${id}`,
        )
  return { context, notice: context }
}

/** Says that a call asked for an effort that is not open, or for any while none is. */
export function notOpen(id: number | undefined, skill: string): NotResumed {
  const what = id === undefined ? `no effort of ${skill} is open` : `${effortOf(id, skill)} is not open`
  return notResumed(
    what,
    'To see the open efforts: holdfast effort find-active. To begin new work, call the skill with words.',
  )
}
