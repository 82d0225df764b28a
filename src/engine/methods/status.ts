import * as z from 'zod'
import { AD_HOC_ORDINAL, type Effort } from '../../model/effort.ts'
import type { ToldProject } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { countActiveIn, findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import { refusalsIn } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import { countOpen } from '../../store/queue.ts'
import { openSessionsIn, toSession } from '../../store/session.ts'
import { type AtWork, atWork } from '../effort/at-work.ts'
import { beginningOf } from '../effort/beginning.ts'
import { hereAt, rootAround } from '../call/here.ts'
import { canonical } from '../call/paths.ts'
import { registering } from '../call/repository.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { tellProjects } from '../skill/told-project.ts'

export const status = method({
  name: 'db.project.status',
  summary: 'Show the efforts and sessions of a project, and the next action.',
  effect: 'read',
  params: z.strictObject({
    path: p.path.describe('A folder inside the project.'),
    limit: z.int().min(1).max(100).default(10).describe('Maximum number of efforts and of sessions.'),
  }),
  async prepare(context, given) {
    const path = await canonical(context, 'path', given.path)
    return { here: await hereAt(context, path), next: await registering(context, path) }
  },
  async run(tx, { limit }, { context, prepared: { here, next } }) {
    const found = await rootAround(tx, here)
    if (found === undefined) return nowhere(next)
    const { of: project, workplace } = found
    const [told = null] = await tellProjects(tx, [project], context.machine)
    const begins = { dir: here.folder, workplace_id: workplace?.id }
    const { volatile } = context.store
    const sessions = (await openSessionsIn(tx, { project_id: project.id }))
      .map((row) => volatile.overlay(toSession(row)))
      .toSorted((a, b) => heard(b).localeCompare(heard(a)))
    const refused = await refusalsIn(tx, { project_id: project.id })
    const efforts: (AtWork & Refusals)[] = []
    for (const shown of await effortsToShow(tx, { projectId: project.id, sessions, limit })) {
      const effort = await atWork(tx, shown, volatile)
      const count = refused.find(({ effort_id }) => effort_id === effort.id)?.count ?? 0
      efforts.push({ ...effort, refusals: count })
    }
    const pause = context.pausedUntil()
    return {
      project: told,
      efforts,
      refusals: refused.reduce((sum, { count }) => sum + count, 0),
      efforts_active: (await countActiveIn(tx, { project_id: project.id }))?.count ?? 0,
      sessions: sessions.slice(0, limit),
      sessions_open: sessions.length,
      queue_open: (await countOpen(tx, { project_id: project.id }))?.count ?? 0,
      next: nextAction(efforts) ?? (await beginningOf(tx, begins)).command,
      paused: pause !== undefined,
    }
  },
})

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
    if (row?.lifecycle === 'active' && row.ordinal !== AD_HOC_ORDINAL) served.push(toEffort(row))
  }
  const others = newest.filter(({ id }) => !served.some((effort) => effort.id === id))
  return [...served, ...others].slice(0, limit)
}

interface Refusals {
  /** In its open sessions. */
  readonly refusals: number
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
  queue_open: 0,
  next,
  paused: false,
})

/** The effort whose session was active last decides. */
const nextAction = (efforts: readonly AtWork[]): string | undefined =>
  efforts.toSorted((a, b) => since(b).localeCompare(since(a)))[0]?.next

const since = ({ session }: AtWork): string => (session === null ? '' : heard(session))
