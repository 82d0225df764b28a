import type { Effort } from '../model/effort.ts'
import { missingProof, type Phase, remainingPhases, splitPhase } from '../model/phase.ts'

/** One thing that was looked at, and what was found. */
interface Check {
  readonly check: string
  readonly pass: boolean
  readonly detail: string
}

interface Subject {
  readonly effort: Effort
  readonly phases: readonly Phase[]
  readonly history: readonly {
    readonly phase_label: string
    readonly proof: Readonly<Record<string, unknown>> | null
  }[]
}

/** What the database alone can say of an effort; the checks of its files join this list. */
export function checkEffort(subject: Subject): readonly Check[] {
  return [phasesEntered(subject), phasesProven(subject)]
}

function phasesEntered({ effort, phases }: Subject): Check {
  const remaining = remainingPhases(phases, effort.current_phase)
  const detail = remaining.length === 0 ? 'No phase is left.' : `Not entered yet: ${remaining.join(', ')}.`
  return { check: 'phases-entered', pass: remaining.length === 0, detail }
}

function phasesProven({ phases, history }: Subject): Check {
  const unproven = history.flatMap((entry, index) => {
    const left = history[index - 1]
    if (left === undefined) return []
    const declared = phases.find(({ label }) => label === splitPhase(left.phase_label).label)
    const missing = missingProof(declared?.proof ?? [], entry.proof ?? {})
    return missing.length === 0 ? [] : [`${left.phase_label} (${missing.join(', ')})`]
  })
  const detail =
    unproven.length === 0
      ? 'Every phase was left with its proof.'
      : `Left without proof: ${unproven.join('; ')}.`
  return { check: 'phases-proven', pass: unproven.length === 0, detail }
}
