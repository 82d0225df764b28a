import type { Progress } from '../../model/plan/advance.ts'
import type { Effort } from '../../model/effort.ts'
import { NOTHING_RECORDED, type Recorded } from '../../model/plan/evidence.ts'
import { compareLabels, type Phase, phasesIn, proofToLeave, splitPhase } from '../../model/plan/phase.ts'
import { nextPhases, progressIn } from '../../model/plan/phase-judge.ts'
import { joinPhase } from '../../model/plan/phase-plan.ts'
import type { ResultSchema } from '../../model/result-schema.ts'
import type { Called } from '../../model/plan/called.ts'
import { flagsIn } from '../../model/plan/flags.ts'
import { isPipeline, type Plan, stepOf } from '../../model/plan/plan.ts'
import {
  hasVariables,
  ownValues,
  planFor,
  type Values,
  valuesIn,
  withDefaults,
} from '../../model/plan/plan-for.ts'
import { isByHand, planIn, type Skill } from '../../model/skill.ts'
import { listPhases } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import { judgedDigest, skillOfEffort } from '../skill/kept-plan.ts'
import { calledIn } from './called.ts'
import { approvedSteps, carriedOver, storedProgress, type StoredProgress, variablesOf } from './progress.ts'
import { NOTHING_SEEN, recordedOf, type SeenFiles } from './recorded.ts'

/** The plan that an effort keeps, with its progress; an edit of the skill counts once it is accepted. */
export interface Followed {
  /** With all its steps, before the mode and the variables leave some out. */
  readonly declared: Plan | undefined
  readonly plan: Plan | undefined
  /** True if the plan only advises: it was guessed, or has errors. */
  readonly isAdvice: boolean
  readonly phases: readonly Phase[]
  readonly progress: Progress
  readonly recorded: Recorded
  /** The steps that the user approved and nobody has entered since; looked up for a parked plan only. */
  readonly approved: readonly string[]
  /** The skill that the current step of a pipeline has called. */
  readonly called: Called | undefined
  /** The values of its variables now. */
  readonly values: Values
  /** The form of the result that its skill asks for. */
  readonly resultSchema: ResultSchema | undefined
  readonly digest: string | null
}

/** Without digests of the files, no record counts as stale. A move that is only judged may bring values. */
export async function followedBy(
  tx: Tx,
  effort: Effort,
  files: SeenFiles = NOTHING_SEEN,
  values: Values = {},
): Promise<Followed> {
  return await stateOf(tx, effort, await skillOfEffort(tx, effort), files, values)
}

/** The same with the skill as the effort keeps it. */
export async function stateOf(
  tx: Tx,
  effort: Effort,
  skill: Skill | undefined,
  files: SeenFiles,
  brought: Values = {},
): Promise<Followed> {
  const digest = skill === undefined ? null : judgedDigest(skill)
  const declared = skill === undefined ? undefined : planIn(skill)
  const stored = await storedProgress(tx, effort.id)
  const values = declared === undefined ? {} : await valuesOf(tx, declared, { effort, brought })
  const plan =
    declared === undefined ? undefined : await planOfEffort(tx, declared, { effort, stored, values })
  const asksForRecords = plan?.gate === 'produced' || plan?.demands !== undefined
  const recorded = asksForRecords ? await recordedOf(tx, effort.id, plan.demands, files) : NOTHING_RECORDED
  const progress =
    plan === undefined || plan.notation === 'phases'
      ? await phaseProgress(tx, { effort, plan, stored })
      : carriedOver(plan, stored, [digest ?? '', skill?.digest ?? ''], recorded)
  const isParked = plan !== undefined && progress.status === 'parked'
  return {
    declared,
    plan,
    isAdvice: skill !== undefined && !isByHand(skill) && skill.details?.enforceable !== true,
    phases: plan === undefined ? [] : phasesIn(plan),
    progress,
    recorded,
    approved: isParked ? await approvedSteps(tx, effort.id, plan) : [],
    called:
      plan !== undefined && isPipeline(plan) ? await calledIn(tx, effort.id, plan, progress) : undefined,
    values: declared === undefined ? {} : withDefaults(declared, values),
    resultSchema: skill?.details?.result,
    digest,
  }
}

/** What an effort says of the variables of its plan, and what a move brings. */
async function valuesOf(
  tx: Tx,
  declared: Plan,
  { effort, brought }: { readonly effort: Effort; readonly brought: Values },
): Promise<Values> {
  const own = ownValues(declared, effort)
  if (!hasVariables(declared)) return own
  // No agent takes back what the user asked for by a flag, or moves its task.
  const { values: flags } = flagsIn(declared, effort.request ?? '')
  const metadata = valuesIn(declared, effort.metadata)
  return { ...metadata, ...(await variablesOf(tx, effort.id)), ...brought, ...flags, ...own }
}

/** The plan for the mode and variables of an effort, with the sub-phases that the effort added. */
async function planOfEffort(
  tx: Tx,
  declared: Plan,
  {
    effort,
    stored,
    values,
  }: {
    readonly effort: Effort
    readonly stored: StoredProgress | undefined
    readonly values: Values
  },
): Promise<Plan> {
  const begun = Object.keys(stored?.progress.visits ?? {})
  const plan = planFor(declared, { mode: effort.mode, variables: values, begun })
  if (plan.notation !== 'phases' || stored === undefined) return plan
  const known = new Set(plan.steps.map(({ label }) => label))
  const added = stored.visited.filter((label) => !known.has(label))
  if (added.length === 0) return plan
  const names = new Map(
    (await listPhases(tx, { effort_id: effort.id })).map(({ phase_label }) => {
      const { label, name } = splitPhase(phase_label)
      return [label, name]
    }),
  )
  return added.reduce((joined, label) => {
    const before = joined.steps.findLast((step) => compareLabels(step.label, label) < 0)
    const own = { label, name: names.get(label) ?? '' }
    return before === undefined ? joined : joinPhase(joined, before.label, own)
  }, plan)
}

/** The stored phase decides; a changed plan does not move an effort. */
async function phaseProgress(
  tx: Tx,
  {
    effort,
    plan,
    stored,
  }: {
    readonly effort: Effort
    readonly plan: Plan | undefined
    readonly stored: StoredProgress | undefined
  },
): Promise<Progress> {
  const label = effort.current_phase === null ? undefined : splitPhase(effort.current_phase).label
  const visits = stored?.progress.visits ?? (label === undefined ? {} : await visitsOf(tx, effort.id, label))
  if (plan === undefined)
    return { status: 'running', current: label === undefined ? [] : [label], open: [], visits }
  if (stored === undefined) return progressIn(plan, label, visits)
  const isKnown = (id: string) => stepOf(plan, id) !== undefined
  const { current, open, ...rest } = stored.progress
  const kept = { current: current.filter(isKnown), open: open.filter(isKnown) }
  const isLost = rest.status === 'running' && kept.current.length === 0 && kept.open.length === 0
  return isLost ? progressIn(plan, label, visits) : { ...rest, ...kept }
}

/** Older efforts have no stored visits, only their history. */
async function visitsOf(tx: Tx, effortId: number, current: string): Promise<Progress['visits']> {
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
export const whatNext = (
  { plan, progress }: Pick<Followed, 'plan' | 'progress'>,
  current: string | null,
) => ({
  next_phases: plan?.notation === 'phases' ? nextPhases(plan, progress) : [],
  proof_to_leave: proofToLeave(plan, current),
})
