import { type Effort, isUnfinished } from '../../model/effort.ts'
import type { HookEvent } from '../../model/event.ts'
import type { Session } from '../../model/session.ts'
import { findAgent } from '../../store/agent.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenOfAgent, newestSessionOf } from '../../store/session.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { heldBy, type Holder } from '../effort/holder.ts'
import { registerAgent } from '../effort/ownership.ts'

/** The agent of a window that opens. */
export interface ArrivedAgent {
  readonly id: string
  /** Its active effort in this project, with the last session of it. */
  readonly own:
    | { readonly id: number; readonly task_id: string; readonly last: number | undefined }
    | undefined
}

/** The agent that the client runs as; one that only its environment knows is registered on first sight. */
export async function arrivingAgent(
  tx: Tx,
  event: HookEvent,
  { last, taskId }: { readonly last: Session | undefined; readonly taskId: string },
  call: Call,
): Promise<ArrivedAgent | undefined> {
  const isNew = last === undefined || event.kind === 'session.started'
  const id = isNew ? event.agent : await stillAgent(tx, last)
  if (id === undefined) return undefined
  const known = await findAgent(tx, { id })
  const { effort_id } = known ?? (await registerAgent(tx, { id }, call))
  // Its work stays with the session that is at it; this one learns of it.
  if ((await busyAgent(tx, { id, native_id: event.session }, call.context)) !== undefined) return undefined
  return { id, own: isNew && effort_id !== null ? await workHere(tx, effort_id, taskId) : undefined }
}

/** An agent that works on its effort in another session that is live. */
export interface BusyAgent {
  readonly id: string
  readonly effort: Effort
  readonly holder: Holder
}

/** Whether an agent is at work in another live session. */
export async function busyAgent(
  tx: Tx,
  { id, native_id }: { readonly id: string; readonly native_id: string | undefined },
  context: Context,
): Promise<BusyAgent | undefined> {
  const own = (await findAgent(tx, { id }))?.effort_id ?? null
  const effort = own === null ? undefined : await findEffort(tx, { id: own })
  if (effort === undefined || !isUnfinished(effort)) return undefined
  const open = await findOpenOfAgent(tx, { agent_id: id })
  const holder = open
    .filter((row) => row.native_id !== null && row.native_id !== native_id)
    .map((row) => heldBy(row, context))
    .find(({ isSilent }) => !isSilent)
  return holder === undefined ? undefined : { id, effort: toEffort(effort), holder }
}

/** A window that comes back without a start is its agent's, unless a newer one is. */
async function stillAgent(tx: Tx, { agent_id }: Session): Promise<string | undefined> {
  if (agent_id === null || (await findOpenOfAgent(tx, { agent_id })).length > 0) return undefined
  return agent_id
}

async function workHere(tx: Tx, id: number, taskId: string): Promise<ArrivedAgent['own']> {
  const effort = await findEffort(tx, { id })
  if (effort === undefined || !isUnfinished(effort)) return undefined
  const [here, there] = [
    await findProjectOfTask(tx, { dir_path: taskId }),
    await findProjectOfTask(tx, { dir_path: effort.task_id }),
  ]
  if (here === undefined || here.id !== there?.id) return undefined
  return { id, task_id: effort.task_id, last: (await newestSessionOf(tx, { effort_id: id }))?.id }
}
