import { NOTHING_OWED } from '../../model/plan/moves.ts'
import { currentOf, nextOf, standOf } from '../../model/chain/stored.ts'
import { nextCall, resumeOf } from '../../model/chain/told.ts'
import { type Effort, resumeCommand } from '../../model/effort.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import type { Called } from '../../model/plan/called.ts'
import { doneCommand, nextActions, showCommand } from '../../model/plan/next-action.ts'
import { nextStep } from '../../model/plan/pipeline.ts'
import type { Step } from '../../model/plan/plan.ts'
import { oneLine, quoted } from '../../model/text/line.ts'
import { needsNoMore } from '../../rules/spans.ts'
import { chainOfEffort } from '../../store/continuation.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import { knowsNext } from './chain-meant.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { toSkill } from '../../store/skill.ts'
import { callerOfEffort } from '../../store/span.ts'
import { followedBy } from '../plan/plan.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { skillCalled } from '../skill/called.ts'
import { framesOf } from './frames.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'
import { workOf } from './skill-facts.ts'

/** What follows a finished effort in the work that called its skill; nothing if nobody did. */
export async function nextInCaller(tx: Tx, called: Effort): Promise<readonly string[]> {
  const inChain = await nextInChain(tx, called)
  if (inChain.length > 0) return inChain
  const { effort_id: id = null } = (await callerOfEffort(tx, { effort_id: called.id })) ?? {}
  const row = id === null ? undefined : await findEffort(tx, { id })
  if (row?.lifecycle !== 'active') return []
  const effort = toEffort(row)
  const { plan, ...followed } = await followedBy(tx, effort)
  const now = plan === undefined ? undefined : nextStep(plan, followed.progress)
  const isCalled =
    now?.isBegun === true && now.step.runs?.kind === 'skill' && now.step.runs.name === called.skill
  return isCalled && plan !== undefined
    ? [doneCommand(effort.id, plan, now.step, { owed: NOTHING_OWED })]
    : nextActions(effort, { plan, ...followed })
}

/** What follows a finished effort in its chain: the next call, or the command that lets it go on. */
export async function nextInChain(
  tx: Tx,
  { id: effort_id, workplace_id }: Effort,
): Promise<readonly string[]> {
  const row = await chainOfEffort(tx, { effort_id })
  const frames = row === undefined ? [] : await framesOf(tx, row.chain_id)
  if (standOf(frames) === 'parked') return [resumeOf(frames)]
  const current = currentOf(frames)
  const next = nextOf(frames)
  // A caller that is suspended goes on before.
  if (next === undefined || current !== undefined) return []
  return [nextCall(next, await knowsNext(tx, frames, workplace_id))]
}

/** Refuses to end a step as done while the skill that it calls has work left, or was never called. */
export async function checkCalled(
  tx: Tx,
  mover: Mover,
  step: Step,
  native_id: string | undefined,
): Promise<void> {
  const { effort, called, isAdvice } = mover
  if (step.runs?.kind !== 'skill' || !mover.progress.current.includes(step.id) || isAdvice) return
  const why =
    called === undefined
      ? await uncalled(tx, mover, { step, skill: step.runs.name, native_id })
      : await unfinished(tx, step, called)
  if (why === undefined) return
  const { message: reason, hint } = why
  const message = [reason, ...remarksOn([hint])].join(' ')
  throw refusedStep(effort, { step: step.id, rule: 'pipeline', reason, message, field: 'step', hint })
}

interface Why {
  readonly message: string
  readonly hint: string
}

/** Only the hooks of a session see calls, and only a plan that can refuse must have been carried out. */
async function uncalled(
  tx: Tx,
  { effort }: Mover,
  about: { readonly step: Step; readonly skill: string; readonly native_id: string | undefined },
): Promise<Why | undefined> {
  const { step, skill: name, native_id } = about
  const session = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  // Sub-agents call it in windows of their own.
  if (session === undefined || step.dispatch !== undefined) return undefined
  const row = await skillCalled(tx, { workplace_id: effort.workplace_id, name })
  const { plan, details } = row === undefined ? { plan: null, details: null } : toSkill(row)
  if (plan === null || details?.enforceable !== true) return undefined
  const call = `/${oneLine(name)}`
  return {
    message: `Step ${quoted(step.label)} calls ${call}, and nobody has called it yet. Call ${call} first.`,
    hint: showCommand(effort.id),
  }
}

async function unfinished(tx: Tx, step: Step, called: Called): Promise<Why | undefined> {
  const row = called.state === 'open' ? await findEffort(tx, { id: called.effort_id }) : undefined
  if (row === undefined) return undefined
  const work = await workOf(tx, { session: { effort_id: row.id }, digests: NO_DIGESTS })
  // What needs no more ends with the report.
  if (work?.plan === undefined || !work.enforceable || needsNoMore(work)) return undefined
  const effort = toEffort(row)
  const followed = await followedBy(tx, effort)
  const { status, reason = '' } = followed.progress
  const [action = resumeCommand(effort)] = nextActions(effort, followed)
  const about = `Step ${quoted(step.label)} has called /${oneLine(called.skill)}, and effort ${row.id}`
  return status === 'parked'
    ? { message: `${about} is parked: ${reason}`.trim(), hint: action }
    : { message: `${about} is not finished.`, hint: resumeCommand(effort) }
}
