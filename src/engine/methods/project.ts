import * as z from 'zod'
import { parentOf } from '../../model/directive.ts'
import { EngineError, projectNotFound } from '../../model/error.ts'
import { LEVELS } from '../../model/level.ts'
import { tellProject } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import {
  findProjectByPath,
  listProjects,
  setGate,
  setProjectLevel,
  upsertProject,
} from '../../store/project.ts'
import { defaultLevel, keepSetting, LEVEL_SETTING } from '../../store/setting.ts'
import { refuseOurHome } from '../call/confine.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'

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
    return tellProject(project, await defaultLevel(tx))
  },
})

export const list = method({
  name: 'db.project.list',
  summary: 'List the registered projects.',
  effect: 'read',
  params: z.strictObject({}),
  async run(tx) {
    const level = await defaultLevel(tx)
    return (await listProjects(tx, {})).map((project) => tellProject(project, level))
  },
})

export const setLevel = method({
  name: 'db.project.setLevel',
  summary: 'Set the enforcement level of a project, or the default level.',
  effect: 'durable',
  params: z.strictObject({
    level: z
      .enum(LEVELS)
      .describe('observe: record only. enforce: refuse. strict: refuse also when the engine fails.'),
    path: p.path.optional().describe('The root folder of the project. Omit it to set the default.'),
  }),
  prepare: async ({ files }, { path }) => (path === undefined ? undefined : await files.canonical(path)),
  async run(tx, { level }, call) {
    const path = call.prepared
    const project = path === undefined ? undefined : await findProjectByPath(tx, { path })
    if (path !== undefined && project === undefined) throw projectNotFound(path, path)
    const before = project?.level ?? (await defaultLevel(tx))
    if (project === undefined) await keepSetting(tx, { name: LEVEL_SETTING, value: level })
    else await setProjectLevel(tx, { id: project.id, level })
    const payload = { level, before, path: path ?? null }
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
  prepare: ({ files }, { path }) => files.canonical(path),
  async run(tx, { on }, call) {
    const path = call.prepared
    const project = await findProjectByPath(tx, { path })
    if (project === undefined) throw projectNotFound(path, path)
    const isChange = (project.session_gate === 1) !== on
    call.context.store.volatile.openWindows.invalidate()
    if (isChange) await setGate(tx, { id: project.id, session_gate: on ? 1 : 0 })
    const payload = { session_gate: on, path }
    if (isChange) await call.record(tx, { event_type: 'project.gated', project_id: project.id, payload })
    return payload
  },
})

const upsertOf = (path: string): string => `holdfast project upsert ${shellWord(path)}`

const notAProject = (path: string, why: string, hint: string) =>
  new EngineError('invalid', `${path} ${why}, so it cannot be a project.`, { field: 'path', hint })
