import { isChild } from '../../model/child.ts'
import type { Effort } from '../../model/effort.ts'
import {
  differenceOf,
  differenceText,
  judgedIn,
  losesAll,
  type PlanDifference,
} from '../../model/plan/edit.ts'
import type { Level } from '../../model/level.ts'
import type { ProjectPlace } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { distrustOf, type Skill } from '../../model/skill.ts'
import { lockEffort, toEffort } from '../../store/effort.ts'
import { fromJson } from '../../store/json.ts'
import {
  dropPlanNews,
  effortsFollowing,
  lastFollowing,
  PLAN_EDIT,
  putPlanNews,
  setEffortPlan,
  setMissingPlan,
} from '../../store/plan.ts'
import { WORK_SKILL } from '../../model/work/item.ts'
import type { Tx } from '../../store/query.ts'
import { levelInForce } from '../../store/setting.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { dropPlanState, findPlanState, PROGRESS, putPlanState } from '../../store/step.ts'
import type { Call } from '../call/method.ts'
import { wasByAgent } from './agent-calls.ts'
import { asKept, judgedDigest, keepPlan, type Kept, keptPlan, skillOfEffort } from './kept-plan.ts'

type By = 'agent' | 'user'

/** An edit of a plan that does not apply to an effort yet. */
interface StoredEdit {
  readonly digest: string | null
  readonly by: By
}

/** Why an edit cannot apply, even if the user wants it. */
export type Obstacle =
  | { readonly kind: 'gone' }
  | { readonly kind: 'untrusted' }
  | { readonly kind: 'errors'; readonly codes: readonly string[]; readonly folder: string }
  | { readonly kind: 'lost'; readonly visited: readonly string[] }

/** An edit of the plan of an effort. */
export interface PlanEdit {
  /** The skill as its files say now; undefined if they are gone. */
  readonly skill: Skill | undefined
  readonly difference: PlanDifference
  readonly from: string
  readonly to: string | null
  readonly obstacle: Obstacle | undefined
  /** Who edited it first, as far as that was seen. */
  readonly by: By | undefined
}

/** How the skill of an effort differs from the plan that the effort keeps; undefined if it does not. */
export async function editOf(tx: Tx, effort: Effort): Promise<PlanEdit | undefined> {
  const kept = effort.plan_digest === null ? undefined : await keptPlan(tx, effort.plan_digest)
  // The workflow of a sub-agent has no files of its own, and stays as it began; a runbook or a body of work is no file of a skill.
  if (kept === undefined || isChild(effort) || kept.plan?.runbook !== undefined) return undefined
  if (effort.skill === WORK_SKILL && kept.file === null && kept.plan === null) return undefined
  const row = await findSkill(tx, { workplace_id: effort.workplace_id, name: effort.skill })
  const skill = row === undefined ? undefined : toSkill(row)
  return await compare(tx, effort, { kept, skill })
}

/** How a runbook differs from the plan that an effort keeps of it; undefined if it does not. */
export async function editOfRunbook(tx: Tx, effort: Effort, skill: Skill): Promise<PlanEdit | undefined> {
  const kept = effort.plan_digest === null ? undefined : await keptPlan(tx, effort.plan_digest)
  return kept === undefined ? undefined : await compare(tx, effort, { kept, skill })
}

/** What was just taken up: how the plan that an effort has differs from the one that it had. */
export async function editBetween(tx: Tx, before: Effort, after: Effort): Promise<PlanEdit | undefined> {
  const kept = before.plan_digest === null ? undefined : await keptPlan(tx, before.plan_digest)
  const skill = await skillOfEffort(tx, after)
  return kept === undefined ? undefined : await compare(tx, after, { kept, skill })
}

async function compare(
  tx: Tx,
  effort: Effort,
  { kept, skill }: { readonly kept: Kept; readonly skill: Skill | undefined },
): Promise<PlanEdit | undefined> {
  const [from, to] = [judgedDigest(kept), skill === undefined ? null : judgedDigest(skill)]
  if (from === to) return undefined
  const stored = await findPlanState(tx, { effort_id: effort.id, name: PLAN_EDIT })
  const after = judgedIn(skill ?? { ...kept, plan: null, phases: [] })
  return {
    skill,
    difference: differenceOf(judgedIn(kept), after),
    from,
    to,
    obstacle: await obstacleTo(tx, effort, skill),
    by: stored === undefined ? undefined : (JSON.parse(stored.value) as StoredEdit).by,
  }
}

async function obstacleTo(tx: Tx, { id }: Effort, skill: Skill | undefined): Promise<Obstacle | undefined> {
  if (skill === undefined) return { kind: 'gone' }
  if (distrustOf(skill.details) !== undefined) return { kind: 'untrusted' }
  const errors = skill.diagnostics.filter(({ severity }) => severity === 'error')
  if (errors.length > 0)
    return {
      kind: 'errors',
      codes: [...new Set(errors.map(({ code }) => code))],
      folder: skill.folder ?? skill.file ?? skill.name,
    }
  const stored = await findPlanState(tx, { effort_id: id, name: PROGRESS })
  const { visited } = fromJson<{ readonly visited: readonly string[] }>(stored?.value ?? null, {
    visited: [],
  })
  return losesAll(judgedIn(skill), visited) ? { kind: 'lost', visited } : undefined
}

/** Efforts of older versions keep no plan yet; called before the stored skill changes. */
export async function keepBefore(
  tx: Tx,
  { workplace_id, name }: { readonly workplace_id: number; readonly name: string },
  call: Call,
): Promise<void> {
  const row = await findSkill(tx, { workplace_id, name })
  if (row === undefined || (await effortsFollowing(tx, { workplace_id, skill: name })).length === 0) return
  const plan_digest = await keepPlan(tx, toSkill(row))
  await setMissingPlan(tx, call.context.store.volatile, { workplace_id, skill: name, plan_digest })
}

/** Takes up an edit of a skill in its efforts, or has it wait; called after the stored skill has changed. */
export async function heedEdit(
  tx: Tx,
  place: ProjectPlace,
  { name, changedAt }: { readonly name: string; readonly changedAt: readonly number[] },
  call: Call,
): Promise<void> {
  const level = await levelNow(tx, place.level, call)
  for (const { id } of await effortsFollowing(tx, { workplace_id: place.workplace_id, skill: name })) {
    const row = await lockEffort(tx, { id })
    if (row === undefined) continue
    const effort = toEffort(row)
    const edit = await editOf(tx, effort)
    if (edit === undefined) {
      await restore(tx, effort, call)
      continue
    }
    const folder = edit.skill?.folder ?? place.root
    const isAgents = changedAt.some((at) => wasByAgent(at, { root: place.root, folder }))
    const by = edit.by === 'agent' || isAgents ? 'agent' : 'user'
    const isFree = level === 'observe' || (level === 'enforce' && by === 'user')
    if (isFree && edit.obstacle === undefined) await takeUp(tx, effort, { ...edit, by }, call)
    else await hold(tx, effort, { ...edit, by }, call)
    // A project that only observes gets no message.
    if (level === 'observe') await dropPlanNews(tx, call.context.store.volatile, { effort_id: id })
  }
}

/** Whether the plan of an effort in progress counts for a new one, because an edit of its skill waits. */
export interface PlanAtStart {
  readonly plan_digest: string | null
  /** Who made the edit that waits. */
  readonly waitsBy?: By
}

type Starting = Readonly<{ workplace_id: number; skill: string }>

/** The plan for a new effort: a waiting edit must not come into force by another start. */
export async function planAtStart(
  tx: Tx,
  at: Starting & { readonly level: Level | null },
  call: Call,
): Promise<PlanAtStart> {
  const waiting = await waitingAtStart(tx, at, await levelNow(tx, at.level, call))
  if (waiting !== undefined) return { plan_digest: waiting.effort.plan_digest, waitsBy: waiting.by }
  const row = await findSkill(tx, { workplace_id: at.workplace_id, name: at.skill })
  return { plan_digest: row === undefined ? null : await keepPlan(tx, toSkill(row)) }
}

/** The effort whose plan new ones get, because an edit of the skill waits. */
async function waitingAtStart(tx: Tx, at: Starting, level: Level) {
  const last = level === 'observe' ? undefined : await lastFollowing(tx, at)
  const edit = last === undefined ? undefined : await editOf(tx, toEffort(last))
  if (last === undefined || edit === undefined) return undefined
  const { by = 'user' } = edit
  // An edit of the user's waits only for efforts in progress, and only at the strict levels.
  const waits = by === 'agent' || (level !== 'enforce' && last.lifecycle === 'active')
  return waits ? { effort: toEffort(last), by } : undefined
}

/** A skill as a call begins it: an edit that waits must not make a guide of its plan either. */
export async function skillAtStart(tx: Tx, skill: Skill, level: Level): Promise<Skill> {
  const waiting = await waitingAtStart(tx, { workplace_id: skill.workplace_id, skill: skill.name }, level)
  return (waiting === undefined ? undefined : await asKept(tx, waiting.effort, skill)) ?? skill
}

/** Has the edit wait for a new effort too, which then tells how the user accepts it. */
export async function holdAtStart(tx: Tx, effort: Effort, { waitsBy }: PlanAtStart, call: Call) {
  const edit = waitsBy === undefined ? undefined : await editOf(tx, effort)
  if (edit !== undefined && waitsBy !== undefined) await hold(tx, effort, { ...edit, by: waitsBy }, call)
}

const levelNow = async (tx: Tx, level: Level | null, { context }: Call): Promise<Level> =>
  await levelInForce(tx, level, context.pausedUntil() !== undefined)

/** Puts an edit in force; the progress of steps that still exist is carried over when it is next read. */
export async function takeUp(tx: Tx, effort: Effort, edit: PlanEdit, call: Call): Promise<void> {
  if (edit.skill === undefined) throw new Error('A skill that is gone has no plan.')
  const { volatile } = call.context.store
  const plan_digest = await keepPlan(tx, edit.skill)
  await setEffortPlan(tx, volatile, { id: effort.id, plan_digest })
  await dropPlanState(tx, { effort_id: effort.id, name: PLAN_EDIT })
  const value = `The plan of ${effort.skill} was edited: the edit ${differenceText(edit.difference)}. It now applies to effort ${effort.id}.`
  await putPlanNews(tx, volatile, { effort_id: effort.id, value, now: call.now })
  await tell(tx, 'plan.accepted', { effort, edit }, call)
}

async function hold(tx: Tx, effort: Effort, edit: PlanEdit & { readonly by: By }, call: Call): Promise<void> {
  const about = { effort_id: effort.id, name: PLAN_EDIT }
  const value = JSON.stringify({ digest: edit.to, by: edit.by } satisfies StoredEdit)
  if ((await findPlanState(tx, about))?.value === value) return
  await putPlanState(tx, { ...about, value, now: call.now })
  const news = { effort_id: effort.id, value: waitingText(effort, edit), now: call.now }
  await putPlanNews(tx, call.context.store.volatile, news)
  await tell(tx, 'plan.edited', { effort, edit }, call)
}

/** The files say again what the effort keeps. */
async function restore(tx: Tx, effort: Effort, call: Call): Promise<void> {
  const about = { effort_id: effort.id, name: PLAN_EDIT }
  if ((await findPlanState(tx, about)) === undefined) return
  await dropPlanState(tx, about)
  await dropPlanNews(tx, call.context.store.volatile, { effort_id: effort.id })
  await call.record(tx, { event_type: 'plan.restored', skill: effort.skill, effort_id: effort.id })
}

async function tell(
  tx: Tx,
  event_type: 'plan.accepted' | 'plan.edited',
  { effort, edit }: { readonly effort: Effort; readonly edit: PlanEdit },
  call: Call,
): Promise<void> {
  const { from, to, by, difference, obstacle } = edit
  await call.record(tx, {
    event_type,
    skill: effort.skill,
    effort_id: effort.id,
    payload: { by, from, to, ...difference, ...(obstacle !== undefined && { obstacle: obstacle.kind }) },
  })
}

/** What waits for an effort, in one line; null if no edit does. */
export async function waitingEdit(tx: Tx, effort: Effort): Promise<string | null> {
  const edit = effort.lifecycle === 'active' ? await editOf(tx, effort) : undefined
  return edit === undefined ? null : waitingText(effort, edit)
}

/** One line about an edit that waits: what it changes, and who can put it in force. */
function waitingText({ id, skill }: Effort, { difference, obstacle }: PlanEdit): string {
  const kept = `Effort ${id} keeps the plan that it has.`
  switch (obstacle?.kind) {
    case 'gone':
      return `The files of skill ${skill} are gone. ${kept} Restore them, or let the user give it up: holdfast effort finish ${id} --abandon WHY`
    case 'untrusted':
      return `The code of the workflow of ${skill} is not trusted as it is now. ${kept} Only the user can trust it: holdfast skill trust ${shellWord(skill)}`
    case 'errors':
      return `The plan of ${skill} was edited and has errors (${obstacle.codes.join(', ')}). ${kept} To see the errors: holdfast skill check ${shellWord(obstacle.folder)}`
    case 'lost':
      return `The plan of ${skill} was edited and has none of the steps done so far. ${kept} For the edited plan, start another effort; the user accepts the edit for that one.`
    case undefined:
      return `The plan of ${skill} was edited: the edit ${differenceText(difference)}. ${kept} Only the user can put the edit in force: holdfast effort accept ${id}`
    default:
      return obstacle satisfies never
  }
}
