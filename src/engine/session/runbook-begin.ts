import type { Effort } from '../../model/effort.ts'
import { ownName } from '../../model/skill.ts'
import type { ProjectPlace } from '../../model/project.ts'
import type { Runbook } from '../../model/runbook/runbook.ts'
import { giveEffort } from '../../store/continuation.ts'
import { listEfforts, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { openSpansOf } from '../../store/span.ts'
import { lockTask } from '../../store/task.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { openWindowFor } from './shell-window.ts'
import { takeOver } from './take-over.ts'
import { keepTask } from '../skill/arrival.ts'
import { keepPlan, skillOfEffort } from '../skill/kept-plan.ts'
import { followedBy } from '../plan/plan.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { startEffort } from '../effort/life.ts'
import { ORCHESTRATE } from '../../model/runbook/plan.ts'
import { asSkill, runbookPlanOf } from '../effort/runbook-plan.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { threadOf } from '../effort/thread.ts'
import type { Asker } from '../effort/holder.ts'

interface Who extends Asker {
  readonly client?: string | undefined
}

/** The efforts that carry out the runbook of a folder, oldest first. */
export async function runsOf(tx: Tx, task_id: string): Promise<readonly Effort[]> {
  const found: Effort[] = []
  for (const effort of (await listEfforts(tx, { task_id })).map(toEffort))
    if ((await runbookPlanOf(tx, effort)) !== undefined) found.push(effort)
  return found
}

/** Whether the runbook of a folder was carried out, and nobody has begun it again. */
export async function isCarriedOut(tx: Tx, task_id: string): Promise<boolean> {
  const last = (await runsOf(tx, task_id)).at(-1)
  return last?.lifecycle === 'finished' && (await followedBy(tx, last)).progress.status === 'completed'
}

/** Begins the effort of a runbook on the task of its folder, for the session of the caller. */
export async function beginRunbook(
  tx: Tx,
  {
    folder,
    place,
    runbook,
    who,
  }: { readonly folder: string; readonly place: ProjectPlace; readonly runbook: Runbook; readonly who: Who },
  call: Call,
): Promise<Effort> {
  const { asker } = await threadOf(tx, who, call.context)
  const { native_id, agent_id } = asker
  const { workplace_id } = place
  const skill = await callerSkill(tx, native_id)
  await keepTask(tx, { dir_path: folder, place }, call)
  // Two calls at once must not begin two efforts.
  await lockTask(tx, { dir_path: folder })
  const running = (await runsOf(tx, folder)).find(({ lifecycle }) => lifecycle === 'active')
  if (running !== undefined) return running
  const plan_digest = await keepPlan(tx, asSkill(runbook, { skill, workplace_id }))
  const row = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  // An agent owns what its session turns to; without one, it owns the effort from the start.
  const owner = row === undefined ? agent_id : undefined
  const wanted = { task_id: folder, skill, request: runbook.name, agent_id: owner, workplace_id, plan_digest }
  const effort = await startEffort(tx, wanted, call)
  await serveRunbook(tx, effort, { ...asker, client: who.client }, call)
  return effort
}

/** The skill in charge of a session, if it carries out runbooks under another name, as in a plugin. */
async function callerSkill(tx: Tx, native_id: string | undefined): Promise<string> {
  const spans = native_id === undefined ? [] : await openSpansOf(tx, { session_id: native_id })
  return spans.find(({ skill }) => ownName(skill) === ORCHESTRATE)?.skill ?? ORCHESTRATE
}

/** The session of the caller serves the effort from now on, with the frame of its chain. */
export async function serveRunbook(
  tx: Tx,
  effort: Effort,
  { client, ...asker }: Who,
  call: Call,
): Promise<void> {
  const { native_id, agent_id } = asker
  const row = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  if (row?.effort_id === effort.id) return
  const session = await openWindowFor(tx, { native_id, agent_id, client, effort }, call)
  const project = await placeOfEffort(tx, effort)
  const skill = await skillOfEffort(tx, effort)
  if (session === undefined || project === undefined || skill === undefined) return
  const work = await factsOf(tx, skill, effort, { root: project.root, digests: NO_DIGESTS })
  await takeOver(tx, { session, project, work, replaces: 'every' }, call)
  if (native_id !== undefined)
    await giveEffort(tx, { session_id: native_id, skill: effort.skill, effort_id: effort.id })
}
