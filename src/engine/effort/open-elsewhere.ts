import { type Effort, wordsOf } from '../../model/effort.ts'
import { quoted } from '../../model/text/line.ts'
import { effortOf } from '../../rules/told/words.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from '../call/context.ts'
import { atWork } from './at-work.ts'
import { type Asker, holderOrLast, holderText, takeCommand } from './holder.ts'

/** An effort of the same skill and task that was not resumed, and the command that resumes it. */
export interface OpenElsewhere {
  readonly effort_id: number
  readonly skill: string
  /** The words that the skill was called with. */
  readonly request: string | null
  readonly position: string
  readonly by: string
  /** Null if nobody may take it. */
  readonly command: string | null
}

/** Says who has an effort; undefined if the caller may resume it by naming its skill. */
export async function openElsewhere(
  tx: Tx,
  effort: Effort,
  asker: Asker,
  context: Context,
): Promise<OpenElsewhere | undefined> {
  const holder = await holderOrLast(tx, effort, asker, context)
  if (holder === undefined) return undefined
  const words = wordsOf(effort)
  return {
    effort_id: effort.id,
    skill: effort.skill,
    request: words === '' ? null : words,
    position: (await atWork(tx, effort, context.store.volatile)).position,
    by: holderText(holder, context),
    command: takeCommand(effort.id, holder) ?? null,
  }
}

const LONGEST = 100

/** The line that tells of it, and how to resume it. */
export const openLine = ({ effort_id, skill, request, position, by, command }: OpenElsewhere): string =>
  [
    `Open: ${effortOf(effort_id, skill)}${request === null ? '' : `, ${quoted(request, LONGEST)}`}, ${position}; ${by} has it.`,
    ...(command === null ? [] : [`To resume it, if the user asks: ${command}`]),
  ].join(' ')
