import * as z from 'zod'
import { parentOf } from '../../model/directive.ts'
import { EngineError, projectNotFound } from '../../model/error.ts'
import { LEVELS } from '../../model/level.ts'
import { type Project, rootOf } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listProjects, setGate, setProjectLevel, upsertProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { listRoots } from '../../store/workplace.ts'
import { defaultLevel, setDefaultLevel } from '../../store/setting.ts'
import { refuseOurHome } from '../call/confine.ts'
import type { Context } from '../call/context.ts'
import { type Here, hereAt, optionalHere, rootAround } from '../call/here.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { canonical } from '../call/paths.ts'
import { enter } from '../skill/entry.ts'
import { tellProjects } from '../skill/told-project.ts'

export const upsert = method({
  name: 'db.project.upsert',
  summary: 'Register a folder as a project, or rename it.',
  effect: 'durable',
  params: z.strictObject({
    path: p.path.describe('The root folder of the project.'),
    name: p.name.optional().describe('The display name of the project.'),
  }),
  async prepare(context, params) {
    const { files } = context
    const path = await files.canonical(params.path)
    await refuseOurHome(context, path)
    if (path === '/') throw notAProject(path, 'is the root of the file system', 'holdfast project upsert .')
    const kind = await files.kind(path)
    if (kind === 'missing')
      throw notAProject(path, 'does not exist', `mkdir -p ${shellWord(path)} && ${upsertOf(path)}`)
    if (kind !== 'folder') throw notAProject(path, 'is not a folder', upsertOf(parentOf(path)))
    return await hereAt(context, path)
  },
  async run(tx, params, call) {
    const here = call.prepared
    const { name = null } = params
    const itself = { path: here.folder, project: here.folder }
    const known = await listRoots(tx, call.context.machine)
    const root = rootOf([...known, itself], here)
    const { place } = await enter(tx, root, call, { name, known })
    const project = await upsertProject(tx, { path: root.project, name, now: call.now })
    if (project === undefined) throw new Error('The project was not stored.')
    const payload = { path: root.project, name: project.name }
    if (place.name !== project.name)
      await call.record(tx, { event_type: 'project.renamed', project_id: project.id, payload })
    call.context.skillFolders.want(place.root)
    return await told(tx, project, call.context)
  },
})

export const list = method({
  name: 'db.project.list',
  summary: 'List the registered projects with their workplaces, or the one around a folder.',
  effect: 'read',
  params: z.strictObject({
    path: p.path.optional().describe('A folder. Only the project that contains it is listed.'),
  }),
  prepare: (context, { path }) => optionalHere(context, 'path', path),
  async run(tx, _, { prepared: here, context }) {
    const around = here === undefined ? undefined : await rootAround(tx, here)
    const all = here === undefined ? await listProjects(tx, {}) : around === undefined ? [] : [around.of]
    return await tellProjects(tx, all, context.machine)
  },
})

export const setLevel = method({
  name: 'db.project.setLevel',
  summary: 'Set the enforcement level of a project, or the default level.',
  effect: 'durable',
  params: z.strictObject({
    level: z
      .enum(LEVELS)
      .describe(
        'observe: record only. enforce: refuse. strict: refuse also when the engine fails. locked: as strict, with the sandbox that holdfast init --locked sets up.',
      ),
    path: p.path.optional().describe('The root folder of the project. Omit it to set the default.'),
  }),
  prepare: (context, { path }) => optionalHere(context, 'path', path),
  async run(tx, { level }, call) {
    const here = call.prepared
    const project = here === undefined ? undefined : await projectAt(tx, here)
    const before = project?.level ?? (await defaultLevel(tx))
    const { volatile } = call.context.store
    if (project === undefined) await setDefaultLevel(tx, volatile, { level })
    else await setProjectLevel(tx, volatile, { id: project.id, level })
    const payload = { level, before, path: project?.path ?? null }
    if (before !== level)
      await call.record(tx, {
        event_type: 'project.level',
        payload,
        ...(project !== undefined && { project_id: project.id }),
      })
    return payload
  },
})

export const setSessionGate = method({
  name: 'db.project.setSessionGate',
  summary: 'Set whether agents need an active effort to change files of a project.',
  effect: 'durable',
  params: z.strictObject({
    path: p.path.describe('The root folder of the project.'),
    on: z.boolean().describe('Whether an active effort is required.'),
  }),
  prepare: async (context, { path }) => await hereAt(context, await canonical(context, 'path', path)),
  async run(tx, { on }, call) {
    const project = await projectAt(tx, call.prepared)
    const { path } = project
    const isChange = (project.session_gate === 1) !== on
    if (isChange) await setGate(tx, call.context.store.volatile, { id: project.id, session_gate: on ? 1 : 0 })
    const payload = { session_gate: on, path }
    if (isChange) await call.record(tx, { event_type: 'project.gated', project_id: project.id, payload })
    return payload
  },
})

/** The project whose root, or one of its workplaces, this folder is. */
async function projectAt(tx: Tx, here: Here): Promise<Project> {
  const found = await rootAround(tx, here)
  if (found?.path !== here.folder) throw projectNotFound(here.folder, here.folder)
  return found.of
}

async function told(tx: Tx, project: Project, { machine }: Context) {
  const [one] = await tellProjects(tx, [project], machine)
  if (one === undefined) throw new Error('The project was not told.')
  return one
}

const upsertOf = (path: string): string => `holdfast project upsert ${shellWord(path)}`

const notAProject = (path: string, why: string, hint: string) =>
  new EngineError('invalid', `${path} ${why}, so it cannot be a project.`, { field: 'path', hint })
