import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { packagedContents } from '../../daemon/packaged.ts'
import { chainLine } from '../../model/chain/stored.ts'
import type { ChainView } from '../../model/chain/view.ts'
import { BLANK } from '../../model/plan/action-words.ts'
import { shellWord } from '../../model/shell/word.ts'
import { counted, oneLine } from '../../model/text/line.ts'
import type { Io } from './io.ts'
import { cell } from './print.ts'
import { table } from './table.ts'

/** A chain in one line, with what follows. */
const chainRow = (view: ChainView): string => {
  const { id, state, frames, next, parked } = view
  const left = frames.filter(({ ended_at }) => ended_at === null).length
  const after = parked === null ? (next === null ? '' : `; next: /${cell(next.skill)}`) : `; ${parked.resume}`
  return `Chain ${id} (${state}, ${counted(left, 'skill')} left): ${cell(chainLine(frames))}${after}`
}

/** The same, and what to do if the next skill is missing. */
export const chainLines = (view: ChainView): readonly string[] => [chainRow(view), ...missingLines(view)]

function missingLines({ id, missing }: ChainView): readonly string[] {
  if (missing === null) return []
  const packaged = join(packagedContents(), 'skills', missing)
  const folder = existsSync(join(packaged, 'SKILL.md')) ? shellWord(packaged) : 'FOLDER'
  return [
    `  /${cell(missing)} is missing here. To add it: holdfast skill link ${folder}`,
    `  The user may run another skill instead: holdfast chain resume ${id} --as NAME`,
    `  The user may end the chain: holdfast chain drop ${id} --reason ${BLANK}`,
  ]
}

/** A chain with its frames and the next call. */
export function chainScreen(io: Io, view: ChainView): string {
  const { frames, next, parked } = view
  const rows = frames.map(({ skill, args, status, call, reason, effort_id, on_error, context }) => ({
    skill: `/${skill}`,
    args: oneLine(args ?? ''),
    status,
    call,
    effort: effort_id,
    else: on_error === null ? null : `/${on_error.skill} ${on_error.args ?? ''}`.trim(),
    context: oneLine(context ?? ''),
    reason,
  }))
  const why = parked === null ? [] : [`Parked: ${oneLine(parked.reason ?? '')}`, `To go on: ${parked.resume}`]
  const go = next === null ? [] : [`Next: ${next.call}`]
  const cut = { cut: ['args', 'context', 'reason'] } as const
  return [chainRow(view), table(io, rows, cut), ...missingLines(view), ...why, ...go].join('\n')
}
