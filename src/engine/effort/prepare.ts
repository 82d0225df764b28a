import { type Directive, parentOf, typesInForce } from '../../model/directive.ts'
import { AD_HOC_ORDINAL } from '../../model/effort.ts'
import { projectNotFound } from '../../model/error.ts'
import { isInside, projectOf, rootOf, type Workplace } from '../../model/project.ts'
import { findActiveEfforts, listEfforts, toEffort } from '../../store/effort.ts'
import { listProjects } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { type Arrival, freshSkills, taskFolder, workplaceOf } from '../skill/arrival.ts'
import { canonical } from '../call/paths.ts'
import { refuseOurHome } from '../call/confine.ts'
import type { Context } from '../call/context.ts'
import { directivesFor, unlessRefused } from '../skill/directive-files.ts'
import { type Digests, digestsOfEfforts } from '../plan/recorded.ts'
import { artifactPaths, lookFor, type Seen } from './work-files.ts'

interface Given {
  readonly dir: string
  readonly skill: string
  readonly cwd?: string | undefined
  readonly metadata?: { readonly directoriesOfInterest?: readonly string[] | undefined } | undefined
}

/** What was found and made before the transaction. */
export interface Prepared {
  readonly dir: string
  readonly place: Arrival
  readonly directives: readonly Directive[]
  readonly seen: Seen
  readonly digests: Digests
  /** The folders that had to be made. */
  readonly made: readonly string[]
}

/** Where a task lies, or is to lie. */
export async function placeOfTask(
  context: Context,
  { path, field, cwd }: { readonly path: string; readonly field: string; readonly cwd: string | undefined },
) {
  const dir = await taskFolder(context, await canonical(context, field, path), field)
  await refuseOurHome(context, dir)
  return { dir, workplace: await placeOf(context, { dir, cwd }) }
}

/** All that is outside of the database: where the work lies, what is in force there, and the folder itself. */
export async function prepareStart(context: Context, given: Given): Promise<Prepared> {
  const { dir, workplace } = await placeOfTask(context, { path: given.dir, field: 'dir', cwd: given.cwd })
  const place = { ...workplace, skills: await freshSkills(context, workplace) }
  const { root, efforts, active, types } = await context.store.transact(
    (tx) => whatIsKnown(tx, { place, dir, skill: given.skill }),
    { reads: true },
  )
  const folders = [dir, ...(given.metadata?.directoriesOfInterest ?? []).map((path) => below(root, path))]
  const directives = await directivesOf(context, { root, folders, types })
  const seen = await lookFor(context, efforts.flatMap(artifactPaths))
  const digests = await digestsOfEfforts(context, active)
  const made = await context.files.makeFolders({ path: dir, root })
  return { dir, place, directives, seen, digests, made }
}

/** Who was refused takes away what it made, unless somebody else has begun to work there meanwhile. */
export async function unmake(
  { files, store }: Context,
  { dir, made }: Pick<Prepared, 'dir' | 'made'>,
): Promise<void> {
  if (made.length === 0) return
  // Where the store cannot say, an empty folder is the smaller harm, and what was refused is still to be told.
  const others = await store
    .transact((tx) => findActiveEfforts(tx, { task_id: dir, limit: 1 }), { reads: true })
    .catch(() => undefined)
  if (others?.length === 0) await files.removeFolders(made)
}

/** A task lies in the project of its caller, else in the one around it; a folder that is there may become one. */
async function placeOf(
  context: Context,
  { dir, cwd }: { readonly dir: string; readonly cwd: string | undefined },
): Promise<Workplace> {
  const projects = await context.store.transact((tx) => listProjects(tx, {}), { reads: true })
  const here = await workplaceOf(context, cwd)
  if (here !== undefined && isInside(rootOf(projects, here), dir)) return here
  const nearest = await nearestFolder(context, dir)
  const there = await workplaceOf(context, nearest)
  const isMeant = nearest === dir || there?.repository !== undefined || projectOf(projects, dir) !== undefined
  if (there === undefined || !isMeant) throw projectNotFound(dir)
  return there
}

async function nearestFolder({ files }: Context, path: string): Promise<string> {
  let place = path
  while (place !== '/' && (await files.kind(place)) === 'missing') place = parentOf(place)
  return place
}

const below = (root: string, path: string): string => (path.startsWith('/') ? path : `${root}/${path}`)

interface Subject {
  readonly place: Arrival
  readonly dir: string
  readonly skill: string
}

async function whatIsKnown(tx: Tx, { place, dir, skill }: Subject) {
  const projects = await listProjects(tx, {})
  const root = rootOf(projects, place)
  const project = projects.find(({ path }) => path === root)
  const row = project === undefined ? undefined : await findSkill(tx, { project_id: project.id, name: skill })
  const found = place.skills?.skills.find(({ id }) => id === skill)
  const declared = row === undefined ? found?.parsed?.definition.directives : toSkill(row).directives
  const efforts = (await listEfforts(tx, { task_id: dir })).map(toEffort)
  const next = { ordinal: (efforts.at(-1)?.ordinal ?? AD_HOC_ORDINAL) + 1, skill, task_id: dir }
  const active = efforts.filter((effort) => effort.skill === skill && effort.lifecycle === 'active')
  return { root, efforts: [...efforts, next], active, types: typesInForce(declared ?? []) }
}

async function directivesOf(
  context: Context,
  { root, folders, types }: { root: string; folders: readonly string[]; types: readonly string[] },
): Promise<readonly Directive[]> {
  const found = new Map<string, Directive>()
  for (const path of folders) {
    const folder = await unlessRefused(context.files.canonical(path))
    if (folder === undefined || !isInside(root, folder)) continue
    for (const directive of await directivesFor(context, { root, folder }, types))
      found.set(directive.path, directive)
  }
  return [...found.values()]
}
