import type { Effort } from './effort.ts'
import { splitPhase } from './plan/phase.ts'

/** Where an effort stands, in the few columns of a status line: `[2:impl:P3]`, the ordinal only above 1. */
export function statusText(
  effort: Pick<Effort, 'ordinal' | 'skill' | 'current_phase'> & {
    /** The step that is begun, where the plan has steps and no phases. */
    readonly step?: string | undefined
  },
): string {
  const { ordinal, skill, current_phase: phase, step } = effort
  const place = phase === null ? step : `P${splitPhase(phase).label}`
  return `[${[...(ordinal > 1 ? [String(ordinal)] : []), skill, ...(place === undefined ? [] : [place])].join(':')}]`
}

/** The same with how full the context window is, as far as that is known: `[2:impl:P3] 62%`. */
export const statusLine = (text: string, contextUsage: number | null): string =>
  contextUsage === null ? text : `${text} ${Math.round(contextUsage * 100)}%`
