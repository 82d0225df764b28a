import { keptTags, type Mode } from '../../model/mode.ts'
import { splitPhase } from '../../model/plan/phase.ts'
import { stepOf } from '../../model/plan/plan.ts'
import { runText } from '../../model/skill-run.ts'
import { declaredStage } from '../../model/stage.ts'
import type { Facts } from '../../rules/facts.ts'
import type { WorkPath } from '../../rules/told/background.ts'
import { listPhases } from '../../store/phase.ts'
import type { Tx } from '../../store/query.ts'
import { lastRunOfEffort, listRuns } from '../../store/skill-run.ts'
import { callerOfEffort } from '../../store/span.ts'
import { recallRun, runPath } from '../skill/skill-run.ts'

/** How the work came to where it is; without an effort only the run of the active skill. */
export async function workPathOf(
  tx: Tx,
  { work, modes }: { readonly work: Facts['work']; readonly modes: readonly Mode[] },
  native: string | null,
): Promise<WorkPath> {
  const recalled = native === null ? undefined : await recallRun(tx, native)
  if (work === undefined) return { visits: [], run: recalled?.told }
  const { effort } = work
  return {
    mode: effort.mode ?? undefined,
    modes: keptTags(effort.metadata).map((tag) => modes.find((mode) => mode.tag === tag) ?? { tag }),
    from: (await callerOfEffort(tx, { effort_id: effort.id }))?.skill,
    stage: declaredStage(effort.metadata['stage']),
    visits: await visitsOf(tx, work),
    run: recalled?.told ?? (await runOfEffort(tx, effort.id)),
  }
}

async function visitsOf(tx: Tx, work: NonNullable<Facts['work']>): Promise<WorkPath['visits']> {
  const { effort, plan, progress } = work
  if (plan !== undefined && plan.notation !== 'phases')
    return (progress?.current ?? []).map((id) => ({
      name: stepOf(plan, id)?.label ?? id,
      count: progress?.visits[id]?.attempts ?? 1,
    }))
  const { current_phase: current } = effort
  if (current === null) return []
  const label = splitPhase(current).label
  const entries = await listPhases(tx, { effort_id: effort.id })
  const count = entries.filter(({ phase_label: one }) => splitPhase(one).label === label).length
  return [{ name: current, count: Math.max(1, count) }]
}

async function runOfEffort(tx: Tx, effort_id: number): Promise<string | undefined> {
  const run = await lastRunOfEffort(tx, { effort_id })
  const [placed] = run === undefined ? [] : await listRuns(tx, { id: run.id, limit: 1 })
  return placed === undefined ? undefined : runText(placed.skill, runPath(placed))
}
