import type { Effort } from './effort.ts'
import { splitPhase } from './phase.ts'

/** Where an effort stands, in the few columns of a status line: `[2:impl:P3]`, the ordinal only above 1. */
export function statusText(effort: Pick<Effort, 'ordinal' | 'skill' | 'current_phase'>): string {
  const phase = effort.current_phase === null ? [] : [`P${splitPhase(effort.current_phase).label}`]
  const ordinal = effort.ordinal > 1 ? [String(effort.ordinal)] : []
  return `[${[...ordinal, effort.skill, ...phase].join(':')}]`
}
