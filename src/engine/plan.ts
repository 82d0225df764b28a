import type { Effort } from '../model/effort.ts'
import { nextPhases, type Phase, splitPhase } from '../model/phase.ts'
import { listPhases } from '../store/phase.ts'
import type { Tx } from '../store/query.ts'
import { findPhasesOfTask, phasesIn } from '../store/skill.ts'

/** Definitions are never copied into an effort: its phases are those of the skill as it is now. */
export async function phasesOf(tx: Tx, effort: Effort): Promise<readonly Phase[]> {
  const skill = await findPhasesOfTask(tx, { task_id: effort.task_id, name: effort.skill })
  return skill === undefined ? [] : phasesIn(skill)
}

export async function historyOf(tx: Tx, effortId: number) {
  const rows = await listPhases(tx, { effort_id: effortId })
  return rows.map(({ phase_label, proof, created_at }) => ({
    phase_label,
    proof: proof === null ? null : (JSON.parse(proof) as Record<string, unknown>),
    created_at,
  }))
}

/** What an agent must know after each move: where it may go, and what it must show to leave. */
export function whatNext(phases: readonly Phase[], current: string | null) {
  const label = current === null ? undefined : splitPhase(current).label
  return {
    next_phases: nextPhases(phases, current),
    proof_to_leave: phases.find((one) => one.label === label)?.proof ?? [],
  }
}
