import * as z from 'zod'
import { EngineError } from '../model/error.ts'
import { findProjectByPath, listProjects, upsertProject } from '../store/project.ts'
import { refuseOurHome } from './call-details.ts'
import { method } from './method.ts'
import * as p from './params.ts'

export const upsert = method({
  name: 'db.project.upsert',
  summary: 'Register a folder as a project, or rename it.',
  effect: 'durable',
  params: z.strictObject({
    path: p.path.describe('The root folder of the project.'),
    name: p.name.optional().describe('What people call the project.'),
  }),
  async prepare(context, params) {
    const { files } = context
    const path = await files.canonical(params.path)
    await refuseOurHome(context, path)
    if (path === '/') throw notAProject(params.path, 'is the root of everything')
    if ((await files.kind(path)) !== 'folder') throw notAProject(params.path, 'is not a folder')
    return path
  },
  async run(tx, params, call) {
    const path = call.prepared
    const known = await findProjectByPath(tx, { path })
    const project = await upsertProject(tx, { path, name: params.name ?? null, now: call.now })
    if (project === undefined) throw new Error('The project was not stored.')
    const payload = { path, name: project.name }
    if (known === undefined)
      await call.record(tx, { event_type: 'project.registered', project_id: project.id, payload })
    else if (known.name !== project.name)
      await call.record(tx, { event_type: 'project.renamed', project_id: project.id, payload })
    call.context.skillFolders.want(path)
    return project
  },
})

export const list = method({
  name: 'db.project.list',
  summary: 'List the registered projects.',
  effect: 'read',
  params: z.strictObject({}),
  run: (tx) => listProjects(tx, {}),
})

const notAProject = (path: string, why: string) =>
  new EngineError('invalid', `${path} ${why}, so it cannot be a project.`, {
    field: 'path',
    hint: 'holdfast project upsert FOLDER',
  })
