import type { Effort } from '../../model/effort.ts'
import { scopeId } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import type { Above } from '../plan/rounds.ts'
import { isFor, subagentsRunning } from '../skill/agent-calls.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { endOthers, startSession } from './session-window.ts'
import { takeOver } from './take-over.ts'

/**
 * Has the scope of the sub-agent that runs the command serve its effort. Where no hook says which sub-agent that is, the
 * effort has no session: every command that it is told names it.
 */
export async function openChildWindow(
  tx: Tx,
  about: { readonly effort: Effort; readonly above: Above; readonly native_id: string | undefined },
  call: Call,
): Promise<void> {
  const { effort, above, native_id } = about
  const main = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  if (native_id === undefined || main === undefined) return
  const isBegin = isFor({ parent: above.effort, child: above.child })
  const [agent, ...others] = subagentsRunning(native_id, isBegin)
  const skill = await skillOfEffort(tx, effort)
  const project = await placeOfEffort(tx, effort)
  if (agent === undefined || others.length > 0 || skill === undefined || project === undefined) return
  const { id: effort_id, task_id } = effort
  const { client, workplace_id } = main
  const scope = scopeId(native_id, agent)
  await endOthers(tx, { effortId: effort_id, native_id: scope }, call)
  const opening = { task_id, effort_id, native_id: scope, scope_of: native_id, workplace_id }
  const session = await startSession(tx, { ...opening, ...(client !== null && { client }) }, call)
  // The window of the main thread says whether it has scopes.
  call.context.store.volatile.openWindows.invalidate(main.id)
  const work = await factsOf(tx, skill, effort, { root: project.root, digests: NO_DIGESTS })
  await takeOver(tx, { session, project, work, replaces: 'none', isResumed: true }, call)
}
