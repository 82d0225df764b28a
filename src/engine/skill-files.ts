import * as z from 'zod'
import { EngineError, projectIdNotFound } from '../model/error.ts'
import type { Project } from '../model/project.ts'
import { isInside } from '../model/project.ts'
import { detailsOf, type SkillEntry } from '../model/skill.ts'
import type { FoundSkill, FoundSkills } from '../model/skill-folders.ts'
import { toJson } from '../store/json.ts'
import { findProject } from '../store/project.ts'
import type { Tx } from '../store/query.ts'
import { deleteSkill, listSkills, putSkill, toEntry } from '../store/skill.ts'
import { callOf, confine, inTurn } from './call-details.ts'
import type { Context } from './context.ts'
import { type Call, directMethod } from './method.ts'
import * as p from './params.ts'

export const parse = directMethod({
  name: 'agent.skills.parse',
  summary: 'Parse the skill in a folder or file to its plan and what is wrong with it; stores nothing.',
  effect: 'none',
  params: z.strictObject({
    path: p.path.describe('The folder of the skill, or its main file.'),
    run_modules: z.boolean().default(false).describe('Whether to run its workflow module, which is code.'),
  }),
  async call(context, { path, run_modules: runsModule }) {
    const real = await whereSkillsAre(context, path)
    const parsed = await context.skillFolders.readOne(real, runsModule)
    if (parsed !== undefined) return parsed
    throw new EngineError('not-found', `${real} holds no SKILL.md, command or agent file.`, {
      field: 'path',
      hint: 'holdfast skill list',
    })
  },
})

export const list = directMethod({
  name: 'agent.skills.list',
  summary: 'List the skills that clients find in a project, and bring what is stored in step with the files.',
  effect: 'none',
  params: z.strictObject({ project_id: p.id }),
  async call(context, { project_id }) {
    // One after the other, so that what was read first is never stored last.
    return await inTurn(`skills ${project_id}`, () => keepInStep(context, project_id))
  },
})

/** Skills are read where fs.* may read, and where clients keep what is not of one project. */
async function whereSkillsAre(context: Context, path: string): Promise<string> {
  const { user, files } = context
  const real = await files.canonical(path)
  const own = await Promise.all([user.claude, `${user.home}/.agents`].map((one) => files.canonical(one)))
  const isPersonal = own.some((folder) =>
    ['skills', 'commands', 'agents', 'plugins'].some((name) => isInside(`${folder}/${name}`, real)),
  )
  const confined = isPersonal ? real : (await confine(context, path)).path
  if ((await files.kind(confined)) !== 'missing') return confined
  throw new EngineError('not-found', `${confined} does not exist.`, { field: 'path' })
}

async function keepInStep(context: Context, id: number) {
  const { project, known } = await context.store.transact((tx) => whatIsKnown(tx, id), { reads: true })
  const found = await context.skillFolders.read(project.path, known)
  const changes = await context.store.transact((tx) =>
    storeChanges(tx, project, found, callOf(context, undefined)),
  )
  return { project_id: id, ...changes, problems: found.problems }
}

async function whatIsKnown(tx: Tx, id: number) {
  const project = await findProject(tx, { id })
  if (project === undefined) throw projectIdNotFound(id)
  const rows = await listSkills(tx, { project_id: id })
  const known = rows.flatMap(({ name, digest }) => (digest === null ? [] : [[name, digest] as const]))
  return { project, known: new Map(known) }
}

async function storeChanges(tx: Tx, project: Project, found: FoundSkills, call: Call) {
  const before = await listSkills(tx, { project_id: project.id })
  const changed = found.skills.filter(({ parsed }) => parsed !== undefined)
  for (const skill of changed) await store(tx, project, skill, call)
  const there = new Set(found.skills.map(({ id }) => id))
  const gone = before.filter((row) => !there.has(row.name) && isGone(row.file, found))
  for (const { name, file } of gone) {
    await deleteSkill(tx, { project_id: project.id, name })
    await call.record(tx, {
      event_type: 'skill.deleted',
      skill: name,
      project_id: project.id,
      payload: { file },
    })
  }
  const after = changed.length + gone.length === 0 ? before : await listSkills(tx, { project_id: project.id })
  return {
    skills: after.map(toEntry).map(summaryOf),
    changed: changed.map(({ id }) => id),
    deleted: gone.map(({ name }) => name),
  }
}

/** Only what was read from a file can go with it, and only where we could look. */
function isGone(file: string | null, { problems, unread }: FoundSkills): boolean {
  if (file === null) return false
  return !unread.some((folder) => isInside(folder, file)) && !problems.some((one) => one.file === file)
}

async function store(tx: Tx, project: Project, found: FoundSkill, call: Call): Promise<void> {
  const { id: name, scope, file, folder, digest, parsed } = found
  if (parsed === undefined) return
  const { definition, diagnostics } = parsed
  const details = detailsOf(parsed)
  await putSkill(tx, {
    project_id: project.id,
    name,
    // A plan that only advises must not refuse a phase.
    phases: toJson(details.enforceable ? definition.phases : []),
    modes: toJson(definition.modes),
    templates: toJson(definition.templates),
    cmd_dependencies: toJson(definition.commands),
    next_skills: toJson(definition.nextSkills),
    directives: toJson(definition.directives),
    kind: definition.kind,
    scope,
    file,
    folder: definition.kind === 'skill' ? folder : null,
    digest,
    description: definition.description,
    plan: toJson(definition.plan),
    details: toJson(details),
    diagnostics: toJson(diagnostics),
    now: call.now,
  })
  const payload = { file, digest, errors: details.errors }
  await call.record(tx, { event_type: 'skill.changed', skill: name, project_id: project.id, payload })
}

const summaryOf = ({ name, kind, scope, file, description, details }: SkillEntry) => ({
  name,
  kind,
  scope,
  file,
  description,
  plan: details?.notation ?? null,
  steps: details?.steps ?? 0,
  enforceable: details?.enforceable ?? false,
  errors: details?.errors ?? 0,
  warnings: details?.warnings ?? 0,
})
