import { missingProof, type Phase, phasesNotEntered, splitPhase } from '../model/phase.ts'

/** One thing that was looked at, and what was found. */
interface Check {
  readonly check: string
  readonly pass: boolean
  readonly detail: string
}

interface Subject {
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

function phasesEntered({ phases, history }: Subject): Check {
  const missed = phasesNotEntered(
    phases,
    history.map(({ phase_label }) => phase_label),
  )
  const detail = missed.length === 0 ? 'Every phase was entered.' : `Not entered: ${missed.join(', ')}.`
  return { check: 'phases-entered', pass: missed.length === 0, detail }
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
