import { begin, type Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { NOTHING_RECORDED, type Recorded } from '../../model/plan/evidence.ts'
import { nextPhases, type Phase, phasesIn, proofToLeave, splitPhase } from '../../model/plan/phase.ts'
import { byLabels, planOfPhases } from '../../model/plan/phase-plan.ts'
import type { Plan } from '../../model/plan/plan.ts'
import type { Skill } from '../../model/skill.ts'
import { listPhases } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { progressOf, storedProgress } from './progress.ts'
import { NOTHING_SEEN, recordedOf, type SeenFiles } from './recorded.ts'

/** The plan of an effort. It is never copied: this is the current definition of the skill. */
export interface Followed {
  readonly plan: Plan | undefined
  readonly phases: readonly Phase[]
  readonly progress: Progress
  readonly recorded: Recorded
  readonly digest: string | null
}

/** Without digests of the files, no record counts as stale. */
export async function followedBy(tx: Tx, effort: Effort, files: SeenFiles = NOTHING_SEEN): Promise<Followed> {
  const row = await findSkill(tx, { workplace_id: effort.workplace_id, name: effort.skill })
  const skill = row === undefined ? undefined : toSkill(row)
  const plan = skill === undefined ? undefined : planIn(skill)
  const phases = plan === undefined ? [] : phasesIn(plan)
  const digest = skill?.digest ?? null
  return { plan, phases, digest, ...(await stateOf(tx, effort, { plan, digest }, files)) }
}

/** The progress and the records of an effort in a plan. */
export async function stateOf(
  tx: Tx,
  effort: Effort,
  { plan, digest }: Pick<Followed, 'plan' | 'digest'>,
  files: SeenFiles,
): Promise<Pick<Followed, 'progress' | 'recorded'>> {
  const asksForRecords = plan?.gate === 'produced' || plan?.demands !== undefined
  const recorded = asksForRecords ? await recordedOf(tx, effort.id, plan.demands, files) : NOTHING_RECORDED
  const progress =
    plan === undefined || plan.notation === 'phases'
      ? await phaseProgress(tx, effort, plan)
      : await progressOf(tx, plan, { effort_id: effort.id, digest }, recorded)
  return { progress, recorded }
}

/** Phases stored by a caller are a plan too, with or without a file. */
function planIn({ plan, phases, digest, details }: Skill): Plan | undefined {
  const isByHand = digest === null || plan === null
  if (isByHand && phases.length > 0) return planOfPhases(phases)
  if (plan?.notation !== 'phases') return plan ?? undefined
  // An advisory plan must not refuse a phase.
  return details?.enforceable === true ? byLabels(plan) : undefined
}

/** The stored phase decides; a changed plan does not move an effort. */
async function phaseProgress(tx: Tx, effort: Effort, plan: Plan | undefined): Promise<Progress> {
  const nowhere: Progress = { status: 'running', current: [], open: [], visits: {} }
  if (effort.current_phase === null) return plan === undefined ? nowhere : begin(plan)
  const { label } = splitPhase(effort.current_phase)
  return { ...nowhere, current: [label], visits: await visitsOf(tx, effort.id, label) }
}

/** Older efforts have no stored visits, only their history. */
async function visitsOf(tx: Tx, effortId: number, current: string): Promise<Progress['visits']> {
  const kept = await storedProgress(tx, effortId)
  if (kept !== undefined) return kept.progress.visits
  const labels = (await listPhases(tx, { effort_id: effortId })).map(
    (row) => splitPhase(row.phase_label).label,
  )
  const counted = Map.groupBy(labels, (label) => label)
  return Object.fromEntries(
    [...counted].map(([label, times]) => [
      label,
      { attempts: times.length, ...(label !== current && { outcome: 'ok' }) },
    ]),
  )
}

export async function historyOf(tx: Tx, effortId: number) {
  const rows = await listPhases(tx, { effort_id: effortId })
  return rows.map(({ phase_label, proof, created_at }) => ({
    phase_label,
    proof: proof === null ? null : (JSON.parse(proof) as Record<string, unknown>),
    created_at,
  }))
}

/** What an agent needs after each move: the next phases and the proof to leave this one. */
export const whatNext = ({ plan }: Pick<Followed, 'plan'>, current: string | null) => ({
  next_phases: plan?.notation === 'phases' ? nextPhases(plan, current) : [],
  proof_to_leave: proofToLeave(plan, current),
})
