import * as z from 'zod'
import { effortNotFound, EngineError, projectIdNotFound, projectNotFound } from '../../model/error.ts'
import { findEffort } from '../../store/effort.ts'
import { findProject, findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findItem, insertItem, listItems, resolveItem } from '../../store/queue.ts'
import { type Here, optionalHere, rootAround } from '../call/here.ts'
import type { Context } from '../call/context.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

const whose = {
  project_id: p.id.optional(),
  effort_id: p.id.optional().describe('The effort of the item. Its project is used.'),
  path: p.path.optional().describe('A folder. The project that contains it is used.'),
}

type Whose = z.output<z.ZodObject<typeof whose>>

const placeMeant = (context: Context, { path }: Whose): Promise<Here | undefined> =>
  optionalHere(context, 'path', path)

const kind = p.name.describe('The kind of item, such as observation, question or follow-up.')

export const add = method({
  name: 'queue.add',
  summary: 'Add an item to the queue of a project.',
  effect: 'durable',
  params: z.strictObject({
    content: p.words(10_000).describe('The text of the item.'),
    kind: kind.default('observation'),
    ...whose,
  }),
  prepare: placeMeant,
  async run(tx, params, call) {
    const projectId = await projectMeant(tx, params, call.prepared)
    if (projectId === undefined)
      throw new EngineError('invalid', 'Name the project: pass project_id, effort_id or path.', {
        field: 'path',
        hint: 'holdfast queue add TEXT',
      })
    const item = await insertItem(tx, {
      project_id: projectId,
      effort_id: params.effort_id ?? null,
      kind: params.kind,
      content: params.content,
      now: call.now,
    })
    if (item === undefined) throw new Error('The item was not stored.')
    await call.record(tx, { event_type: 'queue.added', ...about(item) })
    return item
  },
})

export const list = method({
  name: 'queue.list',
  summary: 'List the open or the resolved items of the queue, newest first.',
  effect: 'read',
  params: z.strictObject({
    ...whose,
    kind: kind.optional(),
    resolved: z.boolean().default(false).describe('List resolved items instead of open ones.'),
    limit: p.limit,
  }),
  prepare: placeMeant,
  async run(tx, params, { prepared: here }) {
    const { effort_id, kind: wanted, resolved, limit } = params
    const project_id = await projectMeant(tx, params, here)
    return await listItems(tx, { project_id, effort_id, kind: wanted, open: !resolved, limit })
  },
})

export const resolve = method({
  name: 'queue.resolve',
  summary: 'Resolve an item of the queue. The first resolution is final.',
  effect: 'durable',
  params: z.strictObject({
    id: p.id,
    resolution: p.words(10_000).describe('How the item was resolved.'),
  }),
  async run(tx, params, call) {
    const item = await resolveItem(tx, { ...params, now: call.now })
    if (item === undefined) return await itemOf(tx, params.id)
    const payload = { item: item.id, resolution: item.resolution }
    await call.record(tx, { event_type: 'queue.resolved', ...about(item), payload })
    return item
  },
})

/** The most specific parameter wins; undefined if none is given. */
async function projectMeant(
  tx: Tx,
  { effort_id, project_id }: Whose,
  here: Here | undefined,
): Promise<number | undefined> {
  if (effort_id !== undefined) {
    const effort = await findEffort(tx, { id: effort_id })
    const project =
      effort === undefined ? undefined : await findProjectOfTask(tx, { dir_path: effort.task_id })
    if (project === undefined) throw effortNotFound(effort_id)
    return project.id
  }
  if (project_id !== undefined) {
    const project = await findProject(tx, { id: project_id })
    if (project === undefined) throw projectIdNotFound(project_id)
    return project.id
  }
  if (here === undefined) return undefined
  const found = await rootAround(tx, here)
  if (found === undefined) throw projectNotFound(here.folder, here.folder)
  return found.of.id
}

async function itemOf(tx: Tx, id: number) {
  const item = await findItem(tx, { id })
  if (item === undefined)
    throw new EngineError('not-found', `The queue has no item ${id}.`, {
      field: 'id',
      hint: 'holdfast queue list',
    })
  return item
}

const about = (item: { id: number; project_id: number; effort_id: number | null; kind: string }) => ({
  project_id: item.project_id,
  ...(item.effort_id !== null && { effort_id: item.effort_id }),
  payload: { item: item.id, kind: item.kind },
})
