import type { Effort } from './effort.ts'
import { splitPhase } from './plan/phase.ts'

/** The state of an effort for a status line: `[2:impl:P3]`; the ordinal only above 1. */
export function statusText(
  effort: Pick<Effort, 'ordinal' | 'skill' | 'current_phase'> & {
    /** The started step, if the plan has steps and no phases. */
    readonly step?: string | undefined
    readonly isParked?: boolean
  },
): string {
  const { ordinal, skill, current_phase: phase, step, isParked = false } = effort
  const place = phase === null ? step : `P${splitPhase(phase).label}`
  const parts = [
    ...(ordinal > 1 ? [String(ordinal)] : []),
    skill,
    ...(place === undefined ? [] : [place]),
    ...(isParked ? ['parked'] : []),
  ]
  return `[${parts.join(':')}]`
}

/** The same with the context usage, if known: `[2:impl:P3] 62%`. */
export const statusLine = (text: string, contextUsage: number | null): string =>
  contextUsage === null ? text : `${text} ${Math.round(contextUsage * 100)}%`
