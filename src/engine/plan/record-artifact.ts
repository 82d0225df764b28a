import type { ArtifactEvidence } from '../../model/artifact.ts'
import type { Effort } from '../../model/effort.ts'
import { demandOf, isDemanding, type Rank, recordCommand, type SeenRun } from '../../model/plan/evidence.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { leaveRecorded, nextSteps, owedBy } from '../../model/plan/visit.ts'
import { dropArtifact, putArtifact, toArtifact } from '../../store/artifact.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { stateOf } from './plan.ts'
import { storeProgress } from './progress.ts'
import { appliedSkill, type Digests, isStale } from './recorded.ts'

interface NewArtifact {
  readonly effort: Effort
  readonly name: string
  readonly rank: Rank
  readonly step?: string | undefined
  readonly span_id?: string | undefined
  readonly path?: string | undefined
  readonly digest?: string | null | undefined
  readonly evidence: ArtifactEvidence
}

/** Stores an artifact, and completes the steps that waited only for it. */
export async function recordArtifact(tx: Tx, given: NewArtifact, digests: Digests, call: Call) {
  const { effort, name, rank, evidence } = given
  const { root, skill } = await appliedSkill(tx, effort)
  const { plan } = await stateOf(tx, effort, skill, { root, digests })
  const row = await putArtifact(tx, {
    effort_id: effort.id,
    span_id: given.span_id ?? null,
    step: given.step ?? producerOf(plan, name) ?? null,
    name,
    path: given.path ?? null,
    evidence: JSON.stringify(evidence),
    rank,
    digest: given.digest ?? null,
    now: call.now,
  })
  if (row === undefined) throw new Error('The artifact was not stored.')
  const artifact = toArtifact(row)
  const { progress: before, recorded, digest } = await stateOf(tx, effort, skill, { root, digests })
  const carried = { effort_id: effort.id, digest }
  const after = plan === undefined ? undefined : leaveRecorded(plan, before, recorded)
  const completed = before.current.filter((id) => !(after?.current ?? []).includes(id))
  if (after !== undefined && after !== before) await storeProgress(tx, carried, { progress: after }, call)
  await call.record(tx, {
    event_type: 'artifact.recorded',
    skill: effort.skill,
    phase: artifact.step ?? '',
    effort_id: effort.id,
    payload: {
      name,
      rank,
      ...(artifact.path !== null && { path: artifact.path }),
      ...(evidence.command !== undefined && { command: evidence.command, exit_code: evidence.exit_code }),
      ...(completed.length > 0 && { completes: completed }),
    },
  })
  const owed = plan === undefined || after === undefined ? [] : owedBy(plan, after, recorded)
  const demand = demandOf(plan?.demands, name)
  return {
    ...artifact,
    stale: isStale(artifact, root, digests),
    /** Whether the record meets the demand of the plan. */
    counts: recorded.good.has(name),
    completed_steps: completed,
    next_steps: plan === undefined || after === undefined ? [] : nextSteps(plan, after, recorded),
    to_record: [
      ...new Set([...(isDemanding(demand) && !recorded.good.has(name) ? [name] : []), ...owed]),
    ].map((one) => recordCommand(effort.id, one, demandOf(plan?.demands, one))),
  }
}

/** Records a command that a hook observed, if the effort is still active. */
export async function recordSeen(tx: Tx, run: SeenRun, digests: Digests, call: Call): Promise<void> {
  const row = await lockEffort(tx, { id: run.effort_id })
  if (row?.lifecycle !== 'active') return
  const effort = toEffort(row)
  const { name, command, covers, digest, passed, expect } = run
  if (!passed) await takeBack(tx, effort, { name, command }, call)
  else
    await recordArtifact(
      tx,
      {
        effort,
        name,
        rank: 'observed',
        digest,
        evidence: { command, covers, ...(expect !== undefined && { expect }) },
      },
      digests,
      call,
    )
}

interface Failed {
  readonly name: string
  readonly command: string
  readonly exit_code?: number
  readonly duration_ms?: number
  readonly tail?: string
}

const LONGEST_TAIL = 2000

/** Revokes earlier records after a failed run, because the last run counts. */
export async function takeBack(tx: Tx, effort: Effort, failed: Failed, call: Call): Promise<void> {
  for (const rank of ['proved', 'observed'] as const)
    await dropArtifact(tx, { effort_id: effort.id, name: failed.name, rank })
  const { tail } = failed
  await call.record(tx, {
    event_type: 'evidence.failed',
    skill: effort.skill,
    effort_id: effort.id,
    payload: { ...failed, ...(tail !== undefined && { tail: tail.slice(-LONGEST_TAIL) }) },
  })
}

const producerOf = (plan: Plan | undefined, name: string): string | undefined =>
  plan?.steps.find(({ produces }) => produces.includes(name))?.id
