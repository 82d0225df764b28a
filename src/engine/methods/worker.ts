import * as z from 'zod'
import { EngineError } from '../../model/error.ts'
import { placeOfTask } from '../../model/task.ts'
import { quoted } from '../../model/text/line.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import {
  askToStop,
  endWorker,
  findWorker,
  insertWorker,
  markWorker,
  type WorkerRow,
  workersOf,
} from '../../store/worker.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { keepIgnores } from '../skill/our-folder.ts'
import { registerAgent } from '../effort/ownership.ts'
import { bodyMeant, bodyWish, whereFrom } from '../work/body.ts'

const worker = p.name.describe('The worker.')
const path = p.path.nullable().default(null)

export const start = method({
  name: 'worker.start',
  summary: 'Register a worker process of this machine for a body of work, with an agent of its own.',
  effect: 'durable',
  params: z.strictObject({ ...bodyWish, worker, pid: p.id, log: path.describe('Where it writes.') }),
  prepare: whereFrom,
  async run(tx, { worker: id, pid, log }, call) {
    const effort = await bodyMeant(tx, call.prepared)
    const { id: effort_id, task_id } = effort
    const project = await findProjectOfTask(tx, { dir_path: task_id })
    if (project === undefined) throw new Error('The body of work has no project.')
    await registerAgent(tx, { id, label: `worker of effort ${effort_id}` }, call)
    const { machine_id } = call.context.machine
    const about = { id, project_id: project.id, agent_id: id, task_id, effort_id, machine_id, pid, log }
    const row = await insertWorker(tx, { ...about, now: call.now })
    if (row === undefined)
      throw new EngineError('conflict', `There is a worker ${quoted(id, 80)} already.`, { field: 'worker' })
    await call.record(tx, { event_type: 'worker.started', effort_id, agent_id: id, payload: { pid } })
    return told(row, call.context.machine.machine_id)
  },
  async finish(context, result) {
    // Its worktrees lie in our folder, which git must not show.
    const place = placeOfTask(result.task_id ?? '')
    if (place !== result.task_id) await keepIgnores(context, place)
    return result
  },
})

export const beat = method({
  name: 'worker.beat',
  summary: 'A sign of life of a worker, with what it does; says whether the user wants it to stop.',
  effect: 'beat',
  params: z.strictObject({
    worker,
    item: p.name.nullable().default(null).describe('The item that it has.'),
    worktree: path,
    branch: p.name.nullable().default(null),
  }),
  async run(tx, { worker: id, ...now }, call) {
    const row = await markWorker(tx, { id, ...now, now: call.now })
    if (row !== undefined) return told(row, call.context.machine.machine_id)
    // One that has ended must not go on.
    return { ...told(await existing(tx, id), call.context.machine.machine_id), stop_asked: true }
  },
})

export const end = method({
  name: 'worker.end',
  summary: 'Say that a worker process has ended, and why.',
  effect: 'durable',
  params: z.strictObject({
    worker,
    status: z.enum(['stopped', 'failed']),
    reason: p.words(2000).optional(),
  }),
  async run(tx, { worker: id, status, reason }, call) {
    const row = await endWorker(tx, { id, status, reason: reason ?? null, now: call.now })
    if (row !== undefined)
      await call.record(tx, {
        event_type: 'worker.ended',
        agent_id: id,
        ...(row.effort_id !== null && { effort_id: row.effort_id }),
        payload: { status, ...(reason !== undefined && { reason }) },
      })
    return told(row ?? (await existing(tx, id)), call.context.machine.machine_id)
  },
})

export const stop = method({
  name: 'worker.stop',
  summary: 'Ask a worker to stop: it gives its item back, which costs no try.',
  effect: 'durable',
  params: z.strictObject({ worker }),
  async run(tx, { worker: id }, call) {
    const { stop_asked_at: asked, effort_id } = await existing(tx, id)
    const row = await askToStop(tx, { id, now: call.now })
    if (asked === null)
      await call.record(tx, {
        event_type: 'worker.stopping',
        agent_id: id,
        ...(effort_id !== null && { effort_id }),
      })
    return told(row ?? (await existing(tx, id)), call.context.machine.machine_id)
  },
})

export const list = method({
  name: 'worker.list',
  summary: 'List the workers of a body of work, with what each does and when it was last heard of.',
  effect: 'read',
  params: z.strictObject(bodyWish),
  prepare: whereFrom,
  async run(tx, _, { prepared, context }) {
    const { id: effort_id } = await bodyMeant(tx, prepared)
    return (await workersOf(tx, { effort_id })).map((row) => told(row, context.machine.machine_id))
  },
})

const told = (row: WorkerRow, machine_id: string) => ({
  worker: row.id,
  effort_id: row.effort_id,
  task_id: row.task_id,
  status: row.status,
  item: row.item,
  worktree: row.worktree,
  branch: row.branch,
  pid: row.pid,
  is_here: row.machine_id === machine_id,
  log: row.log,
  reason: row.reason,
  stop_asked: row.stop_asked_at !== null,
  seen_at: row.seen_at,
  ended_at: row.ended_at,
})

async function existing(tx: Tx, id: string): Promise<WorkerRow> {
  const row = await findWorker(tx, { id })
  if (row === undefined)
    throw new EngineError('not-found', `There is no worker ${quoted(id, 80)}.`, {
      field: 'worker',
      hint: 'holdfast worker list',
    })
  return row
}
