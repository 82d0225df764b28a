import * as z from 'zod'
import { EngineError, projectIdNotFound, projectNotFound } from '../../model/error.ts'
import { findProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findTasks } from '../../store/task.ts'
import { keepTask, taskFolder } from '../skill/arrival.ts'
import { enter } from '../skill/entry.ts'
import { type Here, hereAt, optionalHere, rootAround } from '../call/here.ts'
import { canonical } from '../call/paths.ts'
import type { Context } from '../call/context.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

const workspaceName = p.name.describe('The part of the project that the task belongs to, such as apps/web.')

export const upsert = method({
  name: 'db.task.upsert',
  summary: 'Create or update the task of a folder. Omitted fields keep their values.',
  effect: 'durable',
  params: z.strictObject({
    dir_path: p.taskId,
    workspace: workspaceName.optional(),
    title: p.name.optional().describe('The title of the task.'),
    description: p.text.optional().describe('The description of the task.'),
  }),
  async prepare(context, params) {
    const real = await canonical(context, 'dir_path', params.dir_path)
    return await hereAt(context, await taskFolder(context, real, 'dir_path'))
  },
  async run(tx, params, call) {
    const here = call.prepared
    const found = await rootAround(tx, here)
    if (found === undefined) throw projectNotFound(here.folder)
    const { place } = await enter(tx, found, call)
    const { workspace, title, description } = params
    const task = await keepTask(tx, { dir_path: here.folder, place, workspace, title, description }, call)
    call.context.skillFolders.want(place.root)
    return task
  },
})

/** A project, by id or folder. */
const project = z
  .union([p.id, p.path], 'must be the id or the folder of a project')
  .describe('The id or the folder of a project.')

const page = { limit: p.limit, offset: p.offset }

export const find = method({
  name: 'db.task.find',
  summary: 'Search tasks by folder, title, description and keywords.',
  effect: 'read',
  params: z.strictObject({
    query: p.textUpTo(1000).describe('The words to find; all must match.'),
    workspace: workspaceName.optional(),
    project: project.optional(),
    ...page,
  }),
  prepare: wantedProject,
  run: async (tx, { query: text, workspace, limit, offset }, { prepared }) =>
    findTasks(tx, { text, workspace, projectId: await projectIdOf(tx, prepared), limit, offset }),
})

const isActive = z.boolean().describe('true: only tasks with an active effort. false: only tasks without.')

export const list = method({
  name: 'db.task.list',
  summary: 'List the tasks of all projects or of one, with a summary of their efforts.',
  effect: 'read',
  params: z.strictObject({ project: project.optional(), active: isActive.optional(), ...page }),
  prepare: wantedProject,
  run: async (tx, { active, limit, offset }, { prepared }) =>
    findTasks(tx, { active, projectId: await projectIdOf(tx, prepared), limit, offset }),
})

async function wantedProject(context: Context, params: { project?: number | string | undefined }) {
  return typeof params.project === 'string'
    ? await optionalHere(context, 'project', params.project)
    : params.project
}

async function projectIdOf(tx: Tx, wanted: number | Here | undefined): Promise<number | undefined> {
  if (wanted === undefined) return undefined
  if (typeof wanted === 'object') {
    const found = await rootAround(tx, wanted)
    if (found?.path !== wanted.folder) throw notRegistered(wanted.folder)
    return found.of.id
  }
  const found = await findProject(tx, { id: wanted })
  if (found === undefined) throw projectIdNotFound(wanted)
  return found.id
}

const notRegistered = (path: string) =>
  new EngineError('not-found', `${path} is not a registered project.`, {
    field: 'project',
    hint: 'holdfast project list',
  })
