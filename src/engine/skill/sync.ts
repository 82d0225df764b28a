import type { Project } from '../../model/project.ts'
import { isInside } from '../../model/project.ts'
import { detailsOf } from '../../model/skill.ts'
import type { FoundSkill, FoundSkills } from '../../model/skill-folders.ts'
import { toJson } from '../../store/json.ts'
import { lockProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { deleteSkill, listSkills, putSkill, toEntry } from '../../store/skill.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'

/** The digests of the skills that are stored, by their names. */
export async function knownDigests(tx: Tx, projectId: number): Promise<ReadonlyMap<string, string>> {
  const rows = await listSkills(tx, { project_id: projectId })
  return new Map(rows.flatMap(({ name, digest }) => (digest === null ? [] : [[name, digest] as const])))
}

/** What the files of a project say. */
export interface Reading {
  readonly found: FoundSkills
  /** Its number among all readings, so that an older one is never stored last. */
  readonly nth: number
  /** Whether it differs from what was stored when it was made. */
  readonly isNews: boolean
}

let readings = 0
const lastStored = new Map<string, number>()

/** Reads the files of a project for whoever stores them; what is stored with the same digest is not parsed. */
export async function readFiles(
  { skillFolders }: Context,
  root: string,
  known: ReadonlyMap<string, string>,
): Promise<Reading> {
  const nth = ++readings
  const found = await skillFolders.read(root, known)
  const there = new Set(found.skills.map(({ id }) => id))
  const isChanged = found.skills.some(({ parsed }) => parsed !== undefined)
  return { nth, found, isNews: isChanged || [...known.keys()].some((name) => !there.has(name)) }
}

/** Stores a reading, unless a later one was stored before it: an older one is never stored last. */
export async function storeReading(tx: Tx, project: Project, { found, nth }: Reading, call: Call) {
  const { id, path } = project
  const before = lastStored.get(path) ?? 0
  if (before < nth) {
    lastStored.set(path, nth)
    tx.onRollback(() => void (lastStored.get(path) === nth && lastStored.set(path, before)))
  }
  const rows = await listSkills(tx, { project_id: id })
  const { changed, gone } = newsIn(found, rows)
  if (changed.length + gone.length === 0) return { skills: rows.map(toEntry), changed: [], deleted: [] }
  // Two that have news come one after the other, and the second finds what the first has stored.
  await lockProject(tx, { id })
  const isLatest = lastStored.get(path) === nth
  return await storeSkills(tx, project, isLatest ? found : NOTHING_FOUND, call)
}

/** As if nobody had looked, so that nothing is new and nothing gone. */
const NOTHING_FOUND: FoundSkills = { skills: [], problems: [], unread: ['/'] }

/** Stores what was read, and forgets what is gone; part of whatever transaction it is in. */
async function storeSkills(tx: Tx, project: Project, found: FoundSkills, call: Call) {
  const before = await listSkills(tx, { project_id: project.id })
  const { changed, gone } = newsIn(found, before)
  for (const skill of changed) await store(tx, project, skill, call)
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

/** What others have read and stored meanwhile is not news. */
function newsIn(found: FoundSkills, rows: Awaited<ReturnType<typeof listSkills>>) {
  const known = new Map(rows.map(({ name, digest }) => [name, digest]))
  const there = new Set(found.skills.map(({ id }) => id))
  return {
    changed: found.skills.filter(
      ({ id, parsed, digest }) => parsed !== undefined && known.get(id) !== digest,
    ),
    gone: rows.filter((row) => !there.has(row.name) && isGone(row.file, found)),
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
