import { isInside, type ProjectPlace } from '../../model/project.ts'
import { detailsOf, type SkillDetails, trustNow } from '../../model/skill.ts'
import type { FoundSkill, FoundSkills } from '../../model/skill-folders.ts'
import { toJson } from '../../store/json.ts'
import { lockProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { deleteSkill, listSkills, putSkill, toEntry } from '../../store/skill.ts'
import type { Context } from '../call/context.ts'
import type { Call } from '../call/method.ts'
import { heedEdit, keepBefore } from './plan-edits.ts'

/** The digests of the stored skills, by name. */
export async function knownDigests(
  tx: Tx,
  workplaceId: number | undefined,
): Promise<ReadonlyMap<string, string>> {
  if (workplaceId === undefined) return new Map()
  const rows = await listSkills(tx, { workplace_id: workplaceId })
  return new Map(rows.flatMap(({ name, digest }) => (digest === null ? [] : [[name, digest] as const])))
}

/** The skill files of a workplace, as read at one moment. */
export interface Reading {
  readonly found: FoundSkills
  /** The sequence number, so that an older reading never overwrites a newer one. */
  readonly nth: number
  /** Whether it differs from the stored skills at that moment. */
  readonly isNews: boolean
}

let readings = 0
const lastStored = new Map<string, number>()

/** Reads the skill files of a workplace; files with a known digest are not parsed. */
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

/** Stores a reading, unless a newer one was stored before. */
export async function storeReading(tx: Tx, place: ProjectPlace, { found, nth }: Reading, call: Call) {
  const rows = await listSkills(tx, place)
  const { changed, gone } = newsIn(found, rows)
  const isNews = changed.length + gone.length > 0
  // Concurrent changes run one after the other, and the second sees the first.
  if (isNews) await lockProject(tx, { id: place.id })
  const isLatest = claimNewest(tx, place.root, nth)
  if (!isNews) return { skills: rows.map(toEntry), changed: [], deleted: [] }
  return await storeSkills(tx, place, isLatest ? found : NOTHING_FOUND, call)
}

/** Marks a reading as the newest stored one, or returns false. Called under the lock: a waiting one has stored nothing. */
function claimNewest(tx: Tx, path: string, nth: number): boolean {
  const before = lastStored.get(path) ?? 0
  if (before > nth) return false
  lastStored.set(path, nth)
  tx.onRollback(() => void (lastStored.get(path) === nth && lastStored.set(path, before)))
  return true
}

/** An empty reading that changes and deletes nothing. */
const NOTHING_FOUND: FoundSkills = { skills: [], problems: [], unread: ['/'] }

/** Stores changed skills and deletes missing ones, in the caller's transaction. */
async function storeSkills(tx: Tx, place: ProjectPlace, found: FoundSkills, call: Call) {
  const before = await listSkills(tx, place)
  const { changed, gone } = newsIn(found, before)
  const { workplace_id } = place
  const rows = new Map(before.map((row) => [row.name, toEntry(row)]))
  for (const name of [...changed.map(({ id }) => id), ...gone.map((row) => row.name)])
    await keepBefore(tx, { workplace_id, name }, call)
  for (const skill of changed) {
    await store(tx, place, { ...skill, before: rows.get(skill.id)?.details ?? null }, call)
    await heedEdit(tx, place, { name: skill.id, changedAt: [skill.changedAt ?? 0] }, call)
  }
  for (const { name, file } of gone) {
    await deleteSkill(tx, call.context.store.volatile, { workplace_id, name })
    await call.record(tx, {
      event_type: 'skill.deleted',
      skill: name,
      project_id: place.id,
      payload: { file },
    })
    await heedEdit(tx, place, { name, changedAt: found.goneAt ?? [] }, call)
  }
  const after = changed.length + gone.length === 0 ? before : await listSkills(tx, place)
  return {
    skills: after.map(toEntry),
    changed: changed.map(({ id }) => id),
    deleted: gone.map(({ name }) => name),
  }
}

/** Compares with the rows as they are now, which another call may have updated. */
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

/** A skill is gone only if it came from a file whose folder could be read. */
function isGone(file: string | null, { problems, unread }: FoundSkills): boolean {
  if (file === null) return false
  return !unread.some((folder) => isInside(folder, file)) && !problems.some((one) => one.file === file)
}

/** A skill that was read, with what was stored of it. */
type Read = FoundSkill & { readonly before: SkillDetails | null }

async function store(tx: Tx, place: ProjectPlace, found: Read, call: Call): Promise<void> {
  const { id: name, scope, file, folder, digest, parsed, code, before } = found
  if (parsed === undefined) return
  const { definition, diagnostics } = parsed
  const trust = code && { code: code.digest, trust: trustNow(code.digest, code.isTrusted, before) }
  const details = { ...detailsOf(parsed), ...trust }
  await putSkill(tx, call.context.store.volatile, {
    project_id: place.id,
    workplace_id: place.workplace_id,
    name,
    // An advisory plan must not refuse a phase.
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
  await call.record(tx, { event_type: 'skill.changed', skill: name, project_id: place.id, payload })
}
