import * as z from 'zod'
import type { Effort } from '../model/effort.ts'
import { EngineError } from '../model/error.ts'
import { demandOf, type Demands, isDemanding, satisfies } from '../model/evidence.ts'
import { phaseCommand } from '../model/next-action.ts'
import { splitPhase } from '../model/phase.ts'
import { enterPhase, judgePhase, type PhaseVerdict } from '../model/phase-judge.ts'
import type { Plan } from '../model/plan.ts'
import { insertApproval } from '../store/approval.ts'
import { artifactsOf, toArtifact } from '../store/artifact.ts'
import { setPhase } from '../store/effort.ts'
import { toJson } from '../store/json.ts'
import { insertPhase } from '../store/phase.ts'
import type { Tx } from '../store/query.ts'
import { type Call, method } from './method.ts'
import { activeEffort } from './ownership.ts'
import * as p from './params.ts'
import { followedBy, whatNext } from './plan.ts'
import { storeProgress, useApproval } from './progress.ts'
import { digestsOfEffort, isStale, type SeenFiles, toEvidence } from './recorded.ts'
import { resetHeartbeats } from './session-window.ts'

export const phase = method({
  name: 'db.effort.phase',
  summary: 'Enter a phase, in order and with the proof of the phase that is left.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    label: p.name.describe('The phase, as `3.A` or `3.A: Build Loop`.'),
    proof: p.object.optional().describe('What the phase that is left must show, by the names of its fields.'),
    reason: p.reason.optional(),
  }),
  prepare: (context, { effort_id: effortId }) => digestsOfEffort(context, effortId),
  async run(tx, params, call) {
    const effort = await activeEffort(tx, params.effort_id, 'moved through phases')
    const followed = await followedBy(tx, effort, call.prepared)
    const { plan, progress, digest } = followed
    const asked = { effort, demands: plan?.demands, said: params.proof ?? {} }
    const { proof, stale } = await withEvidence(tx, asked, call.prepared)
    const move = { plan, progress, current: effort.current_phase, requested: params.label }
    const verdict = judgePhase({ ...move, proof })
    if (verdict.kind === 'same')
      return { ...effort, entered: false, ...whatNext(followed, effort.current_phase) }
    const wish = { label: params.label, proof, plan, stale }
    if (verdict.kind === 'unknown') throw refusal(effort, wish, verdict)
    if (verdict.kind === 'refuse') {
      const escape = { effort, subject: verdict.phase, missing: verdict.missing, reason: params.reason }
      if (!(await isApproved(tx, escape, call))) throw refusal(effort, wish, verdict)
    }
    const moved = enterPhase(move, true)
    const { label: begun } = splitPhase(verdict.phase)
    if (moved !== undefined)
      await storeProgress(tx, { effort_id: effort.id, digest }, { progress: moved, begun }, call)
    const shown = Object.keys(proof).length === 0 ? params.proof : proof
    const entered = await enter(tx, { effort, phase: verdict.phase, proof: shown }, call)
    return { ...entered, entered: true, ...whatNext(followed, verdict.phase) }
  },
})

/** Where the plan asks for evidence, what is recorded stands in the place of what is said. */
async function withEvidence(
  tx: Tx,
  given: { readonly effort: Effort; readonly demands: Demands | undefined; readonly said: Proof },
  { root, digests }: SeenFiles,
): Promise<{ readonly proof: Proof; readonly stale: ReadonlySet<string> }> {
  const { effort, demands, said } = given
  const demanding = Object.entries(demands ?? {}).filter(([, demand]) => isDemanding(demand))
  const stale = new Set<string>()
  if (demanding.length === 0) return { proof: said, stale }
  const records = (await artifactsOf(tx, { effort_id: effort.id })).map(toArtifact)
  const proof = { ...said }
  for (const [name, demand] of demanding) {
    delete proof[name]
    const enough = records.filter(
      (one) => one.name === name && satisfies(toEvidence(one, root, digests), demand),
    )
    const record = enough.find((one) => !isStale(one, root, digests))
    if (record !== undefined)
      proof[name] = { rank: record.rank, command: demand.command, at: record.created_at }
    else if (enough.length > 0) stale.add(name)
  }
  return { proof, stale }
}

async function enter(
  tx: Tx,
  move: { effort: Effort; phase: string; proof: unknown },
  call: Call,
): Promise<Effort> {
  const { effort, phase: label, proof } = move
  await setPhase(tx, { id: effort.id, phase: label })
  await insertPhase(tx, { effort_id: effort.id, phase_label: label, proof: toJson(proof), now: call.now })
  await resetHeartbeats(tx, effort.id, call)
  await call.record(tx, {
    event_type: 'phase.entered',
    skill: effort.skill,
    phase: label,
    effort_id: effort.id,
    payload: { from: effort.current_phase, ...(proof !== undefined && { proof }) },
  })
  return { ...effort, current_phase: label }
}

/** Whether the user allows it: said now, or in an approval that waits to be used; the ledger says why. */
async function isApproved(
  tx: Tx,
  escape: { effort: Effort; subject: string; missing: readonly string[]; reason: string | undefined },
  call: Call,
): Promise<boolean> {
  const { effort, subject, missing, reason } = escape
  const about = { kind: 'phase', subject } as const
  const times = { created_at: call.now, used_at: call.now }
  const approval =
    reason === undefined
      ? await useApproval(tx, { effortId: effort.id, ...about }, call)
      : await insertApproval(tx, { effort_id: effort.id, ...about, reason, ...times })
  if (approval === undefined) return false
  await call.record(tx, {
    event_type: 'phase.skipped',
    skill: effort.skill,
    phase: subject,
    effort_id: effort.id,
    payload: { from: effort.current_phase, reason: approval.reason, proof_missing: missing },
  })
  return true
}

type Refused = Extract<PhaseVerdict, { kind: 'refuse' }>
type Proof = Readonly<Record<string, unknown>>

interface Wish {
  readonly label: string
  readonly proof: Proof
  readonly plan: Plan | undefined
  /** What was proved before what it covers has changed. */
  readonly stale: ReadonlySet<string>
}

function refusal(
  effort: Effort,
  wish: Wish,
  verdict: Extract<PhaseVerdict, { message: string }>,
): EngineError {
  const isRefused = verdict.kind === 'refuse'
  const isElsewhere = isRefused && !verdict.allowed.includes(verdict.phase)
  const unproved = isRefused ? whyUnproved(verdict.missing, wish) : ''
  const escape = isElsewhere ? ' The user may allow it with --reason.' : ''
  const message = `${verdict.message}${unproved}${escape}`
  return new EngineError(isRefused ? 'refused' : 'not-found', message, {
    field: isRefused && verdict.missing.length > 0 ? 'proof' : 'label',
    hint: isRefused ? commandThatPasses(effort, verdict, wish) : `holdfast effort get ${effort.id}`,
    record: {
      event_type: 'phase.refused',
      skill: effort.skill,
      phase: wish.label,
      effort_id: effort.id,
      payload: { from: effort.current_phase, reason: message },
    },
  })
}

const whyUnproved = (missing: readonly string[], { plan, stale }: Wish): string =>
  missing
    .map((field) => ({ field, demand: demandOf(plan?.demands, field) }))
    .filter(({ demand }) => isDemanding(demand))
    .map(({ field, demand }) =>
      stale.has(field)
        ? ` The files that ${field} covers have changed since it was proved.`
        : ` A word is not enough for ${field}: the plan wants ${demand.command} run.`,
    )
    .join('')

/** The nearest move that the plan allows from here, with the form of the proof that it asks for. */
function commandThatPasses(effort: Effort, { phase: wanted, allowed, missing }: Refused, wish: Wish): string {
  const target = allowed.includes(wanted) ? wanted : allowed[0]
  if (target === undefined) return `holdfast effort finish ${effort.id}`
  return phaseCommand(effort.id, target, { plan: wish.plan, missing, said: wish.proof })
}
