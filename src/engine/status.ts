import * as z from 'zod'
import { type Project, projectOf } from '../model/project.ts'
import { shellWord } from '../model/shell.ts'
import { countActiveIn, findActiveEfforts, toEffort } from '../store/effort.ts'
import { refusalsOf } from '../store/ledger.ts'
import { listProjects } from '../store/project.ts'
import type { Tx } from '../store/query.ts'
import { countOpen } from '../store/queue.ts'
import { openSessionsIn, toSession } from '../store/session.ts'
import { defaultLevel } from '../store/setting.ts'
import { type AtWork, atWork } from './at-work.ts'
import { canonical } from './call-details.ts'
import { method } from './method.ts'
import * as p from './params.ts'

export const status = method({
  name: 'db.project.status',
  summary: 'What is going on in the project that a folder lies in, and what to do next.',
  effect: 'read',
  params: z.strictObject({
    path: p.path.describe('A folder in the project.'),
    limit: z.int().min(1).max(100).default(10).describe('How many efforts and sessions at most.'),
  }),
  prepare: (context, { path }) => canonical(context, 'path', path),
  async run(tx, { limit }, { context, prepared: path }) {
    const project = projectOf(await listProjects(tx, {}), path)
    if (project === undefined) return nowhere(path)
    const { volatile } = context.store
    const rows = await findActiveEfforts(tx, { projectId: project.id, limit })
    const efforts: (AtWork & Refusals)[] = []
    for (const row of rows) {
      const effort = await atWork(tx, toEffort(row), volatile)
      efforts.push({ ...effort, ...(await refusalsSince(tx, effort)) })
    }
    const sessions = (await openSessionsIn(tx, { project_id: project.id }))
      .map((row) => volatile.overlay(toSession(row)))
      .toSorted((a, b) => heard(b).localeCompare(heard(a)))
    const pause = context.pausedUntil()
    return {
      project: { ...project, level: project.level ?? (await defaultLevel(tx)) },
      efforts,
      efforts_active: (await countActiveIn(tx, { project_id: project.id }))?.count ?? 0,
      sessions: sessions.slice(0, limit),
      sessions_open: sessions.length,
      queue_open: (await countOpen(tx, { project_id: project.id }))?.count ?? 0,
      next: nextAction(efforts, path),
      paused: pause !== undefined,
    }
  },
})

interface Refusals {
  /** Since its newest window began. */
  readonly refusals: number
}

const heard = ({
  last_heartbeat,
  created_at,
}: {
  last_heartbeat: string | null
  created_at: string
}): string => last_heartbeat ?? created_at

async function refusalsSince(tx: Tx, { id, session }: AtWork): Promise<Refusals> {
  const row = await refusalsOf(tx, { effort_id: id, since: session?.created_at ?? '' })
  return { refusals: row?.count ?? 0 }
}

const nowhere = (path: string) => ({
  project: null as Project | null,
  efforts: [],
  efforts_active: 0,
  sessions: [],
  sessions_open: 0,
  queue_open: 0,
  next: `holdfast project upsert ${shellWord(path)}`,
  paused: false,
})

/** What is being worked on comes before what waits; of several the one that was heard of last. */
function nextAction(efforts: readonly AtWork[], path: string): string {
  const [effort] = efforts.toSorted((a, b) => since(b).localeCompare(since(a)))
  return effort === undefined
    ? `holdfast task upsert ${shellWord(path)} && holdfast effort start ${shellWord(path)} SKILL`
    : effort.next
}

const since = ({ session }: AtWork): string => (session === null ? '' : heard(session))
