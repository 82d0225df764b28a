import * as z from 'zod'
import { type Effort, isUnfinished, resumeCommand } from '../../model/effort.ts'
import { type ChainView, viewOf } from '../../model/chain/view.ts'
import type { ToldProject } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { findChains } from '../../store/continuation.ts'
import { countActiveIn, findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import { refusalsIn } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import { countOpen } from '../../store/queue.ts'
import { openSessionsIn, toSession } from '../../store/session.ts'
import { type AtWork, atWork } from '../effort/at-work.ts'
import { beginningOf } from '../effort/beginning.ts'
import { type Asker, hasIdentity, isOthers } from '../effort/holder.ts'
import { knowsNext } from '../effort/chain-meant.ts'
import { framesOf } from '../effort/frames.ts'
import { candidatesFor } from '../effort/meant.ts'
import { threadOf } from '../effort/thread.ts'
import type { Context } from '../call/context.ts'
import { type Here, hereAt, rootAround } from '../call/here.ts'
import { canonical } from '../call/paths.ts'
import { registering } from '../call/repository.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { type KnownRoot, listRoots } from '../../store/workplace.ts'
import { waitingEdit } from '../skill/plan-edits.ts'
import { tellProjects } from '../skill/told-project.ts'

export const status = method({
  name: 'db.project.status',
  summary: 'Show the efforts and sessions of a project, and the next action.',
  effect: 'read',
  params: z.strictObject({
    path: p.path.describe('A folder inside the project.'),
    ...p.caller,
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of efforts and of sessions.'),
  }),
  async prepare(context, given, ask) {
    const path = await canonical(context, 'path', given.path)
    const here = await hereAt(context, path)
    const gone = await goneFrom(context, await ask((tx) => foldersOf(tx, here)))
    return { here, gone, next: await registering(context, path) }
  },
  async run(tx, { limit, ...given }, { context, prepared: { here, gone, next } }) {
    const found = await rootAround(tx, here)
    if (found === undefined) return nowhere(next)
    const { of: project } = found
    const [told = null] = await tellProjects(tx, [project], context.machine)
    const { volatile } = context.store
    const sessions = (await openSessionsIn(tx, { project_id: project.id }))
      .map((row) => volatile.overlay(toSession(row)))
      .toSorted((a, b) => heard(b).localeCompare(heard(a)))
    const refused = await refusalsIn(tx, { project_id: project.id })
    const efforts: (AtWork & Noticed)[] = []
    for (const shown of await effortsToShow(tx, { projectId: project.id, sessions, limit })) {
      const effort = backHere(await atWork(tx, shown, volatile), gone)
      const count = refused.find(({ effort_id }) => effort_id === effort.id)?.count ?? 0
      efforts.push({ ...effort, refusals: count, plan_edit: await waitingEdit(tx, shown) })
    }
    const pause = context.pausedUntil()
    const first = await nextFor(tx, efforts, given, context)
    return {
      project: told,
      efforts,
      refusals: refused.reduce((sum, { count }) => sum + count, 0),
      efforts_active: (await countActiveIn(tx, { project_id: project.id }))?.count ?? 0,
      sessions: sessions.slice(0, limit),
      sessions_open: sessions.length,
      chains: await openChains(tx, found),
      queue_open: (await countOpen(tx, { project_id: project.id }))?.count ?? 0,
      next: first?.next ?? (await beginningOf(tx, found, here.folder)).command,
      next_effort: first?.id ?? null,
      paused: pause !== undefined,
      workplaces_gone: gone,
    }
  },
})

/** The checkouts of the project around a caller, on this machine. */
async function foldersOf(tx: Tx, here: Here): Promise<readonly string[]> {
  const project = (await rootAround(tx, here))?.of
  const known = project === undefined ? [] : await listRoots(tx, here)
  return known.flatMap(({ of, workplace }) => (of.id === project?.id ? (workplace?.path ?? []) : []))
}

/** The checkouts that exist no longer, such as removed worktrees. */
async function goneFrom({ files }: Context, folders: readonly string[]): Promise<readonly string[]> {
  const gone: string[] = []
  for (const folder of folders) if ((await files.kind(folder)) === 'missing') gone.push(folder)
  return gone
}

/** An effort whose checkout is gone goes on where its next session works. */
const backHere = (effort: AtWork, gone: readonly string[]): AtWork =>
  effort.workplace !== null && gone.includes(effort.workplace)
    ? { ...effort, next: resumeCommand(effort) }
    : effort

/** The newest efforts; if there are too many, the ones in use come first. */
async function effortsToShow(
  tx: Tx,
  { projectId, sessions, limit }: { projectId: number; sessions: readonly Session[]; limit: number },
): Promise<readonly Effort[]> {
  const newest = (await findActiveEfforts(tx, { projectId, limit })).map(toEffort)
  if (newest.length < limit) return newest
  const served: Effort[] = []
  for (const id of new Set(sessions.map(({ effort_id }) => effort_id))) {
    if (served.length === limit) break
    const row = await findEffort(tx, { id })
    if (row !== undefined && isUnfinished(row)) served.push(toEffort(row))
  }
  const others = newest.filter(({ id }) => !served.some((effort) => effort.id === id))
  return [...served, ...others].slice(0, limit)
}

const MOST_CHAINS = 10

/** The chains of a project that run or are parked. */
async function openChains(tx: Tx, { of, workplace }: KnownRoot): Promise<readonly ChainView[]> {
  const chains: ChainView[] = []
  for (const { chain_id } of await findChains(tx, { project_id: of.id, open: true, limit: MOST_CHAINS })) {
    const frames = await framesOf(tx, chain_id)
    chains.push(viewOf(frames, await knowsNext(tx, frames, workplace?.id)))
  }
  return chains
}

interface Noticed {
  /** In its open sessions. */
  readonly refusals: number
  /** An edit of its plan that does not apply. */
  readonly plan_edit: string | null
}

const heard = ({
  last_heartbeat,
  created_at,
}: {
  last_heartbeat: string | null
  created_at: string
}): string => last_heartbeat ?? created_at

const nowhere = (next: string) => ({
  project: null as ToldProject | null,
  efforts: [],
  refusals: 0,
  efforts_active: 0,
  sessions: [],
  sessions_open: 0,
  chains: [],
  queue_open: 0,
  next,
  next_effort: null as number | null,
  paused: false,
  workplaces_gone: [],
})

/** For the user, the effort whose session was active last decides; a session never hears what another does next. */
async function nextFor(
  tx: Tx,
  efforts: readonly AtWork[],
  given: Asker,
  context: Context,
): Promise<Pick<AtWork, 'id' | 'next'> | undefined> {
  if (!hasIdentity(given)) return efforts.toSorted((a, b) => since(b).localeCompare(since(a)))[0]
  const { asker } = await threadOf(tx, given, context)
  const own = (await candidatesFor(tx, asker)).own.find(isUnfinished)
  if (own !== undefined) return await atWork(tx, own, context.store.volatile)
  for (const effort of efforts)
    if (!(await isOthers(tx, effort, asker))) return { id: effort.id, next: resumeCommand(effort) }
  return undefined
}

const since = ({ session, is_set_aside: isAside }: AtWork): string =>
  session === null || isAside ? '' : heard(session)
