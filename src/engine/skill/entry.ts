import { LEVELS, type Level } from '../../model/level.ts'
import type { ProjectPlace, Project, Root, Workplace } from '../../model/project.ts'
import { findProject, lockProject, setGate, setProjectLevel, upsertProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { defaultLevel } from '../../store/setting.ts'
import {
  insertWorkplace,
  type KnownRoot,
  listRoots,
  mergeProject,
  setWorkplace,
} from '../../store/workplace.ts'
import type { Call } from '../call/method.ts'

/** A place, whether its workplace is new, and what the user should hear of a merge. */
interface Entered {
  readonly place: ProjectPlace
  readonly isNew: boolean
  readonly told?: string | undefined
}

/** Finds or registers the project and the workplace of a root. */
export async function enter(
  tx: Tx,
  root: Root,
  call: Call,
  {
    name = null,
    known: given,
  }: { readonly name?: string | null; readonly known?: readonly KnownRoot[] } = {},
): Promise<Entered> {
  const roots = given ?? (await listRoots(tx, call.context.machine))
  const known = roots.find(({ of }) => of.path === root.project)?.of
  const former = roots.find(({ of }) => of.path === root.path)?.of
  const wanted = { path: root.project, name: name ?? former?.name ?? null }
  const project = known ?? (await register(tx, wanted, call))
  const isWorktree = former !== undefined && former.id !== project.id
  const { into, told } = isWorktree
    ? await merge(tx, { from: former, into: project, isNew: known === undefined }, call)
    : { into: project }
  const { workplace, isNew } = await workAt(tx, { path: root.path, project: into, roots }, call)
  const { path: _, ...rest } = into
  return { place: { ...rest, workplace_id: workplace.id, root: workplace.path }, isNew, told }
}

async function register(tx: Tx, wanted: { path: string; name: string | null }, call: Call): Promise<Project> {
  const project = await upsertProject(tx, { ...wanted, now: call.now })
  if (project === undefined) throw new Error('The project was not stored.')
  await call.record(tx, { event_type: 'project.registered', project_id: project.id, payload: wanted })
  return project
}

/** The workplace at a path; one that no machine has yet becomes ours. */
async function workAt(
  tx: Tx,
  { path, project, roots }: { path: string; project: Project; roots: readonly KnownRoot[] },
  { context: { machine }, now }: Call,
): Promise<{ readonly workplace: Workplace; readonly isNew: boolean }> {
  const known = roots.find((root) => root.path === path && root.workplace !== undefined)?.workplace
  const wanted = { project_id: project.id, machine_id: machine.machine_id, machine: machine.label }
  if (known === undefined) {
    const workplace = await insertWorkplace(tx, { ...wanted, path, now })
    if (workplace === undefined) throw new Error('The workplace was not stored.')
    return { workplace, isNew: true }
  }
  const isSame =
    known.project_id === project.id &&
    known.machine_id === machine.machine_id &&
    known.machine === machine.label
  const workplace = isSame ? known : await setWorkplace(tx, { ...wanted, id: known.id })
  return { workplace: workplace ?? known, isNew: false }
}

/** Makes a worktree that was a project of its own a workplace of its repository; the stricter level wins. */
async function merge(
  tx: Tx,
  { from, into, isNew }: { readonly from: Project; readonly into: Project; readonly isNew: boolean },
  call: Call,
): Promise<{ readonly into: Project; readonly told?: string }> {
  // Of two callers at once, the second finds it merged.
  await lockProject(tx, { id: from.id })
  if ((await findProject(tx, { id: from.id }))?.id !== from.id)
    return { into: (await findProject(tx, { id: into.id })) ?? into }
  const { volatile } = call.context.store
  const usual = await defaultLevel(tx)
  const [before, other] = [into.level ?? usual, from.level ?? usual]
  // A repository that nobody has registered has no level of its own.
  const level = isNew ? other : stricter(before, other)
  const session_gate = Math.max(from.session_gate, into.session_gate)
  if (level !== before) await setProjectLevel(tx, volatile, { id: into.id, level })
  if (session_gate !== into.session_gate) await setGate(tx, volatile, { id: into.id, session_gate })
  await mergeProject(tx, volatile, { from: from.id, into: into.id })
  const payload = { from: from.id, path: from.path, into: into.path, level, before }
  await call.record(tx, { event_type: 'project.merged', project_id: into.id, payload })
  const merged = { ...into, level: level === before ? into.level : level, session_gate }
  return { into: merged, told: mergedText({ from: from.path, into: into.path, level }) }
}

/** Told once, because the level of a worktree may have changed. */
export const mergedText = ({ from, into, level }: { from: string; into: string; level: Level }): string =>
  `${from} is a worktree of ${into}. Both are now one project, with level ${level}, one queue and all efforts.`

const stricter = (a: Level, b: Level): Level => (LEVELS.indexOf(a) < LEVELS.indexOf(b) ? b : a)
