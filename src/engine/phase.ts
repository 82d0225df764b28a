import * as z from 'zod'
import type { Effort } from '../model/effort.ts'
import { EngineError } from '../model/error.ts'
import { demandOf, type Demands, isDemanding, recordCommand, satisfies } from '../model/evidence.ts'
import { judgePhase, type PhaseVerdict } from '../model/phase.ts'
import { shellWord } from '../model/shell.ts'
import { artifactsOf, toArtifact } from '../store/artifact.ts'
import { setPhase } from '../store/effort.ts'
import { toJson } from '../store/json.ts'
import { insertApproval, insertPhase } from '../store/phase.ts'
import type { Tx } from '../store/query.ts'
import { type Call, method } from './method.ts'
import { activeEffort } from './ownership.ts'
import * as p from './params.ts'
import { phasesOf, whatNext } from './plan.ts'
import { appliedSkill, type Digests, digestsOfEffort, isStale, toEvidence } from './recorded.ts'
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
    const phases = await phasesOf(tx, effort)
    const demands = (await appliedSkill(tx, effort)).skill?.plan?.demands
    const said = params.proof ?? {}
    const { proof, stale } = await withEvidence(tx, { effort, demands, said }, call.prepared)
    const verdict = judgePhase({ phases, current: effort.current_phase, requested: params.label, proof })
    if (verdict.kind === 'same')
      return { ...effort, entered: false, ...whatNext(phases, effort.current_phase) }
    const wish = { label: params.label, proof, demands, stale }
    if (verdict.kind === 'unknown') throw refusal(effort, wish, verdict)
    if (verdict.kind === 'refuse' && params.reason === undefined) throw refusal(effort, wish, verdict)
    if (verdict.kind === 'refuse' && params.reason !== undefined)
      await approve(
        tx,
        { effort, phase: verdict.phase, missing: verdict.missing, reason: params.reason },
        call,
      )
    const shown = Object.keys(proof).length === 0 ? params.proof : proof
    const entered = await enter(tx, { effort, phase: verdict.phase, proof: shown }, call)
    return { ...entered, entered: true, ...whatNext(phases, verdict.phase) }
  },
})

/** Where the plan asks for evidence, what is recorded stands in the place of what is said. */
async function withEvidence(
  tx: Tx,
  given: { readonly effort: Effort; readonly demands: Demands | undefined; readonly said: Proof },
  { root, digests }: { readonly root: string; readonly digests: Digests },
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

async function approve(
  tx: Tx,
  escape: { effort: Effort; phase: string; missing: readonly string[]; reason: string },
  call: Call,
): Promise<void> {
  const { effort, phase: label, missing, reason } = escape
  await insertApproval(tx, { effort_id: effort.id, kind: 'phase', subject: label, reason, now: call.now })
  await call.record(tx, {
    event_type: 'phase.skipped',
    skill: effort.skill,
    phase: label,
    effort_id: effort.id,
    payload: { from: effort.current_phase, reason, proof_missing: missing },
  })
}

type Refused = Extract<PhaseVerdict, { kind: 'refuse' }>
type Proof = Readonly<Record<string, unknown>>

interface Wish {
  readonly label: string
  readonly proof: Proof
  readonly demands: Demands | undefined
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

const whyUnproved = (missing: readonly string[], { demands, stale }: Wish): string =>
  missing
    .map((field) => ({ field, demand: demandOf(demands, field) }))
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
  const isSaid = (field: string) => !isDemanding(demandOf(wish.demands, field))
  const said = Object.entries(wish.proof).filter(([field]) => isSaid(field))
  const form = Object.fromEntries([...said, ...missing.filter(isSaid).map((field) => [field, UNFILLED])])
  const shown = Object.keys(form).length === 0 ? '' : ` --proof ${shellWord(JSON.stringify(form))}`
  const proving = missing
    .filter((field) => !isSaid(field))
    .map((field) => `${recordCommand(effort.id, field, demandOf(wish.demands, field))} && `)
  return `${proving.join('')}holdfast effort phase ${effort.id} ${shellWord(target)}${shown}`
}

/** The blank line of a form, which does not pass as proof. */
const UNFILLED = '____'
