import type { Effort } from './effort.ts'
import { oneLine } from './line.ts'
import { nextPhases, type Phase, splitPhase } from './phase.ts'
import { shellWord } from './shell.ts'

const MOST_NEXT = 3
const LONGEST_PHASE = 100

/** The commands that enter the phases which may come next, with a form for the proof; none where the last is entered. */
export function phaseCommands(
  { id, current_phase: current }: Pick<Effort, 'id' | 'current_phase'>,
  phases: readonly Phase[],
): readonly string[] {
  const label = current === null ? undefined : splitPhase(current).label
  const proof = phases.find((phase) => phase.label === label)?.proof ?? []
  const form = Object.fromEntries(proof.map((field) => [oneLine(field), '____']))
  const shown = proof.length === 0 ? '' : ` --proof ${shellWord(JSON.stringify(form))}`
  return nextPhases(phases, current)
    .slice(0, MOST_NEXT)
    .map((next) => `holdfast effort phase ${id} ${shellWord(oneLine(next, LONGEST_PHASE))}${shown}`)
}
