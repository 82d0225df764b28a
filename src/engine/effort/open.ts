import type { Effort, OpenEffort } from '../../model/effort.ts'
import type { Project } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import type { Tx } from '../../store/query.ts'
import { lastOfEffort } from '../../store/session.ts'
import { type Context, staleSince } from '../call/context.ts'
import { atWork } from './at-work.ts'
import { heldByOthers } from './held.ts'
import { holderOf, holderText } from './holder.ts'

/** The limit of open efforts to examine. */
export const MOST_OPEN = 20

/** Active efforts as a session hears of them: how far they are, and who works on them. */
export async function openEfforts(
  tx: Tx,
  efforts: readonly Effort[],
  about: {
    /** The session that asks; undefined for a terminal. */
    readonly session: Pick<Session, 'id' | 'native_id' | 'agent_id'> | undefined
    readonly project: Project
  },
  context: Context,
): Promise<readonly OpenEffort[]> {
  if (efforts.length === 0) return []
  const { session, project } = about
  const { volatile } = context.store
  const scene = { projectId: project.id, window: session?.id, since: staleSince(context), volatile }
  const held = await heldByOthers(tx, scene)
  const found: OpenEffort[] = []
  for (const effort of efforts) {
    const { position } = await atWork(tx, effort, volatile)
    found.push({
      ...effort,
      position,
      heard_at: await heardAt(tx, effort, context),
      holder: await whoHolds(tx, effort, { session, isHeld: held.has(effort.id) }, context),
    })
  }
  return found
}

async function whoHolds(
  tx: Tx,
  effort: Effort,
  {
    session,
    isHeld,
  }: {
    readonly session: { native_id: string | null; agent_id: string | null } | undefined
    readonly isHeld: boolean
  },
  context: Context,
): Promise<string | null> {
  const asker = { native_id: session?.native_id ?? undefined, agent_id: session?.agent_id ?? undefined }
  const holder = await holderOf(tx, effort, asker, context)
  if (holder !== undefined) return holderText(holder, context)
  // A session also returns to the efforts of its suspended skills.
  return isHeld ? 'another session' : null
}

async function heardAt(tx: Tx, effort: Effort, { store }: Context): Promise<string> {
  const last = await lastOfEffort(tx, { effort_id: effort.id })
  if (last === undefined) return effort.created_at
  return store.volatile.heardAt(last.id) ?? last.ended_at ?? last.last_heartbeat ?? last.created_at
}
