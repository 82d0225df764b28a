import { isChild } from '../../model/child.ts'
import { AD_HOC_ORDINAL, type Effort, type OpenEffort, wordsOf } from '../../model/effort.ts'
import type { Project } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import type { OpenElsewhere } from '../../rules/told/open.ts'
import { shortPath } from '../../model/text/path.ts'
import { findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { newestSessionOf } from '../../store/session.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import { type Context, staleSince } from '../call/context.ts'
import { atWork } from './at-work.ts'
import { resumableBy } from './held.ts'
import { type Asker, askerOf, holderOf, holderOrSilent, holderText, takeCommand } from './holder.ts'

const MOST_EXAMINED = 1000
/** No text tells of more than five, and of three that are in use. */
const MOST_TOLD = 6
const MOST_IN_USE = 3

interface Asked {
  /** The session that asks; undefined for a terminal. */
  readonly session: Pick<Session, 'id' | 'native_id' | 'agent_id'> | undefined
  readonly project: Pick<Project, 'id'>
  /** The checkout of the asker, if known. */
  readonly root: string | undefined
  readonly skill?: string | undefined
  /** Only this one. */
  readonly effort?: number | undefined
}

/** Open efforts as a session hears of them: the free ones, and then those in use, each newest first. */
export async function openEfforts(tx: Tx, asked: Asked, context: Context): Promise<readonly OpenEffort[]> {
  const { project, skill, session, root } = asked
  const rows = await findActiveEfforts(tx, { projectId: project.id, skill, limit: MOST_EXAMINED })
  // The session that continues an effort finds its sub-agents there.
  const efforts = rows.map(toEffort).filter((one) => one.id === (asked.effort ?? one.id) && !isChild(one))
  if (efforts.length === 0) return []
  const { volatile } = context.store
  const since = staleSince(context)
  const scene = { projectId: project.id, window: session?.id, since, volatile }
  const resumable = await resumableBy(tx, efforts, { ...scene, agent_id: session?.agent_id ?? null })
  const free = resumable.slice(0, MOST_TOLD)
  const told: OpenEffort[] = []
  for (const effort of free) told.push({ ...(await shown(tx, effort, root, context)), holder: null })
  const inUse = efforts.filter((effort) => !resumable.includes(effort)).slice(0, MOST_IN_USE)
  for (const effort of inUse)
    told.push({
      ...(await shown(tx, effort, root, context)),
      ...(await holderIn(tx, effort, session, context)),
    })
  return told
}

/** An open effort of any project and skill, by its number. */
export async function namedEffort(
  tx: Tx,
  { effort: id, project, session, root: here }: Asked & { readonly effort: number },
  context: Context,
): Promise<readonly OpenEffort[]> {
  const row = await findEffort(tx, { id })
  if (row === undefined || row.ordinal === AD_HOC_ORDINAL || row.lifecycle === 'finished') return []
  const effort = toEffort(row)
  const place = await placeOfEffort(tx, effort)
  const isForeign = place !== undefined && place.id !== project.id
  const held = await holderIn(tx, effort, session, context)
  const told = await shown(tx, effort, isForeign ? undefined : here, context)
  return [{ ...told, ...held, root: isForeign ? place.root : undefined }]
}

async function shown(
  tx: Tx,
  effort: Effort,
  root: string | undefined,
  { store }: Context,
): Promise<Omit<OpenEffort, 'holder'>> {
  const { position, workplace } = await atWork(tx, effort, store.volatile)
  const last = await newestSessionOf(tx, { effort_id: effort.id })
  const stored = last?.ended_at ?? last?.last_heartbeat ?? last?.created_at ?? effort.created_at
  const isHere = root === undefined || workplace === null || workplace === root
  return {
    ...effort,
    position,
    heard_at: (last && store.volatile.heardAt(last.id)) ?? stored,
    elsewhere: isHere ? null : shortPath(workplace, root),
  }
}

async function holderIn(
  tx: Tx,
  effort: Effort,
  session: Asked['session'],
  context: Context,
): Promise<Pick<OpenEffort, 'holder' | 'owner' | 'isBelow'>> {
  const holder = await holderOf(tx, effort, askerOf(session), context)
  // A session also returns to the efforts of its suspended skills.
  if (holder === undefined) return { holder: 'another session' }
  const owner = holder.kind === 'agent' ? holder.id : undefined
  const above = holder.kind === 'session' ? holder.session.scope_of : null
  const isBelow = above !== null && above === session?.native_id
  return { holder: holderText(holder, context), owner, isBelow }
}

/** Says who has an effort; undefined if the caller may resume it by naming its skill. */
export async function openElsewhere(
  tx: Tx,
  effort: Effort,
  asker: Asker,
  context: Context,
): Promise<OpenElsewhere | undefined> {
  const holder = await holderOrSilent(tx, effort, asker, context)
  if (holder === undefined) return undefined
  const words = wordsOf(effort)
  return {
    effort_id: effort.id,
    skill: effort.skill,
    request: words === '' ? null : words,
    position: (await atWork(tx, effort, context.store.volatile)).position,
    by: holderText(holder, context),
    command: takeCommand(effort.id, holder) ?? null,
  }
}
