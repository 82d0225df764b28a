import { projectIdNotFound } from '../../model/error.ts'
import type { Project } from '../../model/project.ts'
import { isInside } from '../../model/project.ts'
import { detailsOf } from '../../model/skill.ts'
import type { FoundSkill, FoundSkills } from '../../model/skill-folders.ts'
import { toJson } from '../../store/json.ts'
import { findProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { deleteSkill, listSkills, putSkill, toEntry } from '../../store/skill.ts'
import { callOf } from '../call/moment.ts'
import { inTurn } from '../call/turn.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'

/** What is stored becomes what the files say, one reading after the other, so that an older one is never stored last. */
export const syncSkills = (context: Context, projectId: number) =>
  inTurn(`skills ${projectId}`, () => keepInStep(context, projectId))

async function keepInStep(context: Context, id: number) {
  const { project, found } = await readSkills(context, id)
  const changes = await context.store.transact((tx) =>
    storeSkills(tx, project, found, callOf(context, undefined)),
  )
  return { project_id: id, ...changes, problems: found.problems }
}

/** What the files say now, for whoever stores it in a transaction of their own. */
export async function readSkills(context: Context, id: number) {
  const { project, known } = await context.store.transact((tx) => whatIsKnown(tx, id), { reads: true })
  return { project, found: await context.skillFolders.read(project.path, known) }
}

async function whatIsKnown(tx: Tx, id: number) {
  const project = await findProject(tx, { id })
  if (project === undefined) throw projectIdNotFound(id)
  const rows = await listSkills(tx, { project_id: id })
  const known = rows.flatMap(({ name, digest }) => (digest === null ? [] : [[name, digest] as const]))
  return { project, known: new Map(known) }
}

/** Stores what was read, and forgets what is gone; part of whatever transaction it is in. */
export async function storeSkills(tx: Tx, project: Project, found: FoundSkills, call: Call) {
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
    skills: after.map(toEntry),
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
