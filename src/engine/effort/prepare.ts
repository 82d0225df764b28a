import { type Directive, typesInForce } from '../../model/directive.ts'
import { AD_HOC_ORDINAL } from '../../model/effort.ts'
import { projectNotFound } from '../../model/error.ts'
import type { Parsed } from '../../model/plan/definition.ts'
import type { Memory } from '../../model/search/memory.ts'
import { innermost, isInside, type Location, rootOf } from '../../model/project.ts'
import type { LookedUp } from '../../rules/told/background.ts'
import { findActiveEfforts, listEfforts, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { type KnownRoot, listRoots } from '../../store/workplace.ts'
import { refuseOurHome } from '../call/confine.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { canonical } from '../call/paths.ts'
import { coversOfEffort, type Cover, type Digests, digestsOf } from '../plan/recorded.ts'
import { locationOf, nearestExisting, taskFolder } from '../skill/arrival.ts'
import { contentsNamed, type NamedContents, readContents } from '../skill/contents.ts'
import { directivesFor, unlessRefused } from '../skill/directive-files.ts'
import { knownDigests, readFiles, type Reading } from '../skill/sync.ts'
import { memoryWish, remember } from './memory.ts'
import { artifactPaths, lookFor, type Seen } from './work-files.ts'
import { TASKS_FOLDER } from '../../model/task.ts'
import { keepIgnores } from '../skill/our-folder.ts'

interface Given {
  readonly dir: string
  readonly skill: string
  readonly mode?: string | undefined
  readonly cwd?: string | undefined
  readonly native_id?: string | undefined
  readonly title?: string | undefined
  readonly description?: string | undefined
  readonly metadata?:
    | {
        readonly taskSummary?: string | undefined
        readonly directoriesOfInterest?: readonly string[] | undefined
      }
    | undefined
}

/** What was found and created before the transaction. */
export interface Prepared {
  readonly dir: string
  readonly location: Location
  /** The current content of the skill files. */
  readonly reading: Reading
  readonly directives: readonly Directive[]
  readonly seen: Seen
  /** What the phases name that the effort may be in. */
  readonly contents: LookedUp['contents']
  readonly digests: Digests
  /** What the project knows about the request; undefined if nobody may be told. */
  readonly memory: Memory | undefined
  /** The folders that were created. */
  readonly made: readonly string[]
}

/** The folders around a task that exists or will be created. */
interface Surroundings {
  readonly dir: string
  /** The location of the caller. */
  readonly here: Location | undefined
  /** The nearest existing folder, and its location. */
  readonly nearest: string
  readonly there: Location | undefined
}

/** Examines the folders around the task that a parameter names. */
export async function lookAround(
  context: Context,
  { path, field, cwd }: { readonly path: string; readonly field: string; readonly cwd: string | undefined },
): Promise<Surroundings> {
  const dir = await taskFolder(context, await canonical(context, field, path), field)
  await refuseOurHome(context, dir)
  const { place: nearest } = await nearestExisting(context, dir)
  return {
    dir,
    here: await locationOf(context, cwd),
    nearest,
    there: await locationOf(context, nearest),
  }
}

/** A task belongs to the caller's project, else to the project or existing folder around it. */
export function locationIn(
  roots: readonly KnownRoot[],
  { dir, here, nearest, there }: Surroundings,
): Location {
  if (here !== undefined && isInside(rootOf(roots, here).path, dir)) return here
  const isMeant = nearest === dir || there?.repository !== undefined || innermost(roots, dir) !== undefined
  if (there === undefined || !isMeant) throw projectNotFound(dir)
  return there
}

/** Does everything outside of the database: finds the project and its directives, creates the folder. */
export async function prepareStart(context: Context, given: Given, ask: Ask): Promise<Prepared> {
  const around = await lookAround(context, { path: given.dir, field: 'dir', cwd: given.cwd })
  const { dir } = around
  const known = await ask((tx) => whatIsKnown(tx, around, given, context))
  const { root } = known
  const reading = await readFiles(context, root, known.digests)
  const read = reading.found.skills.find(({ id }) => id === given.skill)?.parsed
  // The next effort of the task may find files that an earlier database knew.
  const taskType = read?.definition.engine['task_type']
  const ordinal = (known.efforts.at(-1)?.ordinal ?? AD_HOC_ORDINAL) + 1
  const next = { ordinal, skill: given.skill, task_id: dir, metadata: { ...given.metadata, taskType } }
  const types = typesInForce(read?.definition.directives ?? known.skill?.directives ?? [])
  const folders = [dir, ...(given.metadata?.directoriesOfInterest ?? []).map((path) => below(root, path))]
  return {
    dir,
    location: known.location,
    reading,
    directives: await directivesOf(context, { root, folders, types }),
    seen: await lookFor(context, [...known.efforts, next].flatMap(artifactPaths)),
    contents: await readContents(context, namedIn(known, { read, given })),
    digests: await digestsOf(context, known.covers),
    memory: known.wish && (await remember(context, known.wish)),
    // Last, because a failure above could not remove the folders again.
    made: await makeTask(context, dir, root),
  }
}

/** Creates the folder of a task; one in our folder is kept out of git. */
async function makeTask(context: Context, dir: string, root: string): Promise<readonly string[]> {
  const made = await context.files.makeFolders({ path: dir, root })
  // The start goes on without it.
  if (isInside(`${root}/${TASKS_FOLDER}`, dir)) await keepIgnores(context, root).catch(() => undefined)
  return made
}

/** By the skill as read now, for a new effort and for the open ones. */
function namedIn(
  { skill, efforts, root }: Awaited<ReturnType<typeof whatIsKnown>>,
  { read, given }: { readonly read: Parsed | undefined; readonly given: Given },
): readonly NamedContents[] {
  const naming = read === undefined ? skill : { ...read.definition, name: given.skill }
  if (naming === undefined) return []
  const open = efforts.filter((one) => one.skill === given.skill && one.lifecycle === 'active')
  const begun = { current_phase: null, mode: given.mode ?? null }
  return [begun, ...open.map((one) => ({ ...one, mode: given.mode ?? one.mode }))].map((at) =>
    contentsNamed(naming, at, root),
  )
}

/** Removes the folders of a refused start, unless another effort uses them meanwhile. */
export async function unmake(
  { files, store }: Context,
  { dir, made }: Pick<Prepared, 'dir' | 'made'>,
): Promise<void> {
  if (made.length === 0) return
  // If the store fails, an empty folder may stay; the caller still gets the refusal.
  const others = await store
    .transact((tx) => findActiveEfforts(tx, { task_id: dir, limit: 1 }), { reads: true })
    .catch(() => undefined)
  if (others?.length === 0) await files.removeFolders(made)
}

const below = (root: string, path: string): string => (path.startsWith('/') ? path : `${root}/${path}`)

async function whatIsKnown(
  tx: Tx,
  around: Surroundings,
  { skill: name, native_id, ...given }: Given,
  context: Context,
) {
  const { dir } = around
  const roots = await listRoots(tx, context.machine)
  const location = locationIn(roots, around)
  const root = rootOf(roots, location).path
  const here = roots.find(({ path }) => path === root)
  const workplace_id = here?.workplace?.id
  const skill = workplace_id === undefined ? undefined : await findSkill(tx, { workplace_id, name })
  const efforts = (await listEfforts(tx, { task_id: dir })).map(toEffort)
  const covers: Cover[] = []
  for (const { id, skill: own, lifecycle } of efforts)
    if (own === name && lifecycle === 'active') covers.push(...(await coversOfEffort(tx, id)).covers)
  return {
    location,
    root,
    digests: await knownDigests(tx, workplace_id),
    skill: skill === undefined ? undefined : toSkill(skill),
    efforts,
    covers,
    wish:
      here &&
      (await memoryWish(tx, { request: requestOf(given), project: here.of, root, native_id, dir }, context)),
  }
}

/** The words of a start: what it says of the task, else the name of its folder. */
function requestOf({ dir, title, description, metadata }: Omit<Given, 'skill'>): string {
  const said = [title, description, metadata?.taskSummary].filter((text) => text !== undefined)
  return said.length > 0 ? said.join(' ') : dir.slice(dir.lastIndexOf('/') + 1)
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
