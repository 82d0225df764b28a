import { isChild } from '../../model/child.ts'
import { type Effort, isAdHoc } from '../../model/effort.ts'
import {
  adHocEffort,
  agentNotFound,
  effortFinished,
  effortNotFound,
  EngineError,
  taskNotFound,
} from '../../model/error.ts'
import { isInside, type Project } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { oneLine } from '../../model/text/line.ts'
import { placeOfTask, startCommand } from '../../model/task.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { findAgent } from '../../store/agent.ts'
import { findActiveEfforts, findEffort, lastOwned, toEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative } from '../../store/session.ts'
import { findTask } from '../../store/task.ts'
import { workplaceOfTask } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import * as p from '../call/params.ts'
import { type Here, hereAt, rootAround } from '../call/here.ts'
import { optionalPath } from '../call/paths.ts'
import { type Asker, type Holder, holderOrSilent, isOthers } from './holder.ts'
import { onlySetAside, setAsideOf } from './set-aside.ts'
import { threadOf } from './thread.ts'
import { beginningOf, noneOf, nothingActive } from './beginning.ts'

/** The parameters that select an effort; older methods name the caller's folder differently. */
export const effortWish = {
  effort_id: p.id.optional().describe('The id of the effort.'),
  dir: p.taskId
    .optional()
    .describe('The folder of a task. Selects the effort of the caller there, else the only one.'),
  agent_id: p.name.optional().describe('The agent that owns the effort.'),
  native_id: p.name.optional().describe("The client's id of the session that serves the effort."),
}

/** What a caller said about the effort it means; the paths are canonical. */
export interface Wish extends Asker {
  readonly effort_id?: number | undefined
  /** The only skill that counts. */
  readonly skill?: string | undefined
  readonly task_id?: string | undefined
  /** The folder that the caller works in. */
  readonly folder?: string | undefined
  /** The location of the task, else of that folder. */
  readonly here?: Here | undefined
}

/** Resolves the folders of a wish; an error names the parameter at fault. */
export async function placesIn(
  context: Context,
  given: {
    readonly dir?: string | undefined
    readonly cwd?: string | undefined
    readonly path?: string | undefined
  },
): Promise<Pick<Wish, 'task_id' | 'folder' | 'here'>> {
  const task_id = await optionalPath(context, 'dir', given.dir)
  const field = given.cwd === undefined ? 'path' : 'cwd'
  const folder = await optionalPath(context, field, given[field])
  const place = task_id ?? folder
  return { task_id, folder, here: place === undefined ? undefined : await hereAt(context, place) }
}

/** The efforts that a caller may mean, likeliest first. */
export interface Candidates {
  readonly named: Effort | undefined
  /** The caller's own efforts, active before finished. */
  readonly own: readonly Effort[]
  /** Other active efforts where the caller works, newest first. */
  readonly around: readonly Effort[]
  readonly project: Pick<Project, 'id'> | undefined
  /** The folder of the workplace around the caller. */
  readonly root?: string | undefined
}

const MOST_ACTIVE = 1000
const FIND = 'holdfast effort find-active'

/** Finds every effort that a caller may mean. */
export async function candidatesFor(tx: Tx, wish: Wish): Promise<Candidates> {
  const { effort_id, agent_id } = wish
  const agent = agent_id === undefined ? undefined : await findAgent(tx, { id: agent_id })
  if (agent_id !== undefined && agent === undefined) throw agentNotFound(agent_id)
  const named = effort_id === undefined ? undefined : await effortWith(tx, effort_id)
  if (named !== undefined)
    return {
      named,
      own: [],
      around: [],
      project: await findProjectOfTask(tx, { dir_path: named.task_id }),
    }
  const { isTask, project, root } = await projectFor(tx, wish)
  const last = agent === undefined ? undefined : await lastOwned(tx, { agent_id: agent.id })
  const all = await ownEfforts(tx, wish, agent?.effort_id ?? last?.id ?? null)
  const own = isTask ? all.filter(({ task_id }) => task_id === wish.task_id) : all
  const scope = isTask ? { task_id: wish.task_id } : { projectId: project?.id }
  const rows = project === undefined ? [] : await findActiveEfforts(tx, { ...scope, limit: MOST_ACTIVE })
  const known = new Set(own.map(({ id }) => id))
  // The work of a sub-agent is never meant unless it is named.
  const around = rows.map(toEffort).filter((one) => !known.has(one.id) && !isChild(one))
  return { named, own, around, project, root }
}

/** A folder that is not a task selects the project around it. */
async function projectFor(tx: Tx, { task_id, here }: Wish) {
  const task = task_id === undefined ? undefined : await findTask(tx, { dir_path: task_id })
  if (task !== undefined) {
    const place = await workplaceOfTask(tx, task)
    // The root of a workplace means all work of the project.
    return { isTask: place?.root !== task.dir_path, project: place, root: place?.root }
  }
  const root = here === undefined ? undefined : await rootAround(tx, here)
  return { isTask: false, project: root?.of, root: root?.path }
}

async function ownEfforts(tx: Tx, { native_id }: Wish, ofAgent: number | null): Promise<readonly Effort[]> {
  const window = native_id === undefined ? undefined : await findLastByNative(tx, { native_id })
  const own: Effort[] = []
  for (const id of new Set([ofAgent, window?.effort_id ?? null])) {
    const row = id === null ? undefined : await findEffort(tx, { id })
    if (row !== undefined) own.push(toEffort(row))
  }
  return own.toSorted((a, b) => Number(isFinished(a)) - Number(isFinished(b)))
}

const isFinished = ({ lifecycle }: Effort): boolean => lifecycle === 'finished'

async function effortWith(tx: Tx, id: number): Promise<Effort> {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  return toEffort(row)
}

/** The selected effort, and others that match equally well. */
export interface Meant {
  readonly effort: Effort | undefined
  readonly rivals: readonly Effort[]
  /** Active efforts here that are somebody else's. */
  readonly others: readonly Effort[]
  readonly project: Pick<Project, 'id'> | undefined
}

/** What the caller does with the effort; some uses exclude ad-hoc and finished efforts. */
export interface Use {
  /** The participle for messages, as in "cannot be logged to". */
  readonly verb?: string
  /** The command that names the effort. */
  readonly again?: (effortId: number) => string
  /** The command that shows one of several efforts, where each is known by more than its number. */
  readonly each?: (effort: Effort) => string
  /** The command that begins one, where that is not the start of a skill. */
  readonly begins?: string
  /** Set if the caller's own effort is also meant once it is finished. */
  readonly finished?: boolean
}

/** Selects the named effort, else the caller's own, else the nearest active one. */
async function effortMeant(tx: Tx, wish: Wish, { verb, finished = false }: Use = {}): Promise<Meant> {
  const found = await candidatesFor(tx, wish)
  const { named, project, root } = found
  const isMeant = ({ skill }: Effort) => wish.skill === undefined || skill === wish.skill
  const [own, around] = [found.own.filter(isMeant), found.around.filter(isMeant)]
  if (named !== undefined && verb !== undefined && isAdHoc(named))
    throw adHocEffort(named.id, verb, named.task_id)
  const mine = named ?? own.find((one) => verb === undefined || !isAdHoc(one))
  // A caller that finished its own effort never means another caller's effort.
  if (named === undefined && mine !== undefined && verb !== undefined && !finished && isFinished(mine))
    throw effortFinished(mine.id, mine.skill, mine.task_id)
  if (mine !== undefined)
    return {
      effort: mine,
      rivals: [],
      others: [],
      project: await findProjectOfTask(tx, { dir_path: mine.task_id }),
    }
  const place = wish.task_id ?? wish.folder
  if (place === undefined) throw sayWhich()
  const open: Effort[] = []
  for (const one of around) if (!(await isOthers(tx, one, wish))) open.push(one)
  // Only a continue, or a command that names it, means an effort that was set aside.
  const aside = wish.skill === undefined && verb !== undefined ? await setAsideOf(tx, open, wish) : []
  const free = open.filter((one) => !aside.includes(one))
  if (free.length === 0 && aside.length > 0) throw onlySetAside(aside)
  // Every folder lies in the task of the project root, so for a change that says nothing.
  const ignored = verb === undefined ? undefined : root
  const [effort, ...rivals] = nearest(free, { folder: place, root: ignored })
  return { effort, rivals, others: around.filter((one) => !open.includes(one)), project }
}

/** Selects exactly one effort; several matches are an error. */
export async function oneEffort(tx: Tx, given: Wish, context: Context, use: Use = {}): Promise<Effort> {
  const { effort, others, wish } = await soleEffort(tx, given, context, use)
  if (effort !== undefined) return effort
  if (others.length > 0) throw await allOfOthers(tx, others, wish, { context, begins: use.begins })
  throw wish.skill === undefined ? await nothingActive(tx, wish) : await noneOf(tx, wish.skill, wish)
}

/** The same, with no effort if the caller has none. */
export async function soleEffort(tx: Tx, given: Wish, context: Context, use: Use = {}) {
  const { asker, several } = await threadOf(tx, given, context)
  const wish = { ...given, ...asker }
  if (wish.effort_id === undefined && several.length > 0) throw await severalThreads(tx, several, use)
  const { effort, rivals, others } = await effortMeant(tx, wish, use)
  if (effort !== undefined && rivals.length > 0) throw severalActive([effort, ...rivals], others, use)
  return { effort, others, wish }
}

/** Rejects a folder that is not a task; a new task would have no effort either. */
export async function checkTask(tx: Tx, { task_id }: Wish): Promise<void> {
  if (task_id !== undefined && (await findTask(tx, { dir_path: task_id })) === undefined)
    throw taskNotFound(task_id, 'holdfast task list')
}

/** The efforts of the innermost task around a folder; all efforts if there is none. */
export function nearest(
  efforts: readonly Effort[],
  { folder, root }: { readonly folder: string; readonly root: string | undefined },
): readonly Effort[] {
  const lengthOf = ({ task_id }: Effort) => placeOfTask(task_id).length
  const isAround = (place: string) => place !== root && isInside(place, folder)
  const tasks = efforts.filter(({ task_id }) => isAround(placeOfTask(task_id)))
  const innermost = Math.max(0, ...tasks.map(lengthOf))
  return tasks.length === 0 ? efforts : tasks.filter((effort) => lengthOf(effort) === innermost)
}

/** The error for a call that names neither an effort nor a folder. */
export const sayWhich = () =>
  new EngineError('invalid', 'Name the effort, or a folder to find it in.', {
    field: 'effort_id',
    hint: FIND,
  })

function severalActive(efforts: readonly Effort[], others: readonly Effort[], use: Use): EngineError {
  const theirs = others.length === 0 ? '' : ` Others have: ${listOf(others)}.`
  const commands = use.each === undefined ? '' : `: ${efforts.map(use.each).join('; ')}`
  const message = `Several efforts are active: ${listOf(efforts)}.${theirs} Name one of them${commands}.`
  return nameOne(message, efforts, use)
}

/** Names who has the efforts here; a caller without one can only begin its own. */
async function allOfOthers(
  tx: Tx,
  efforts: readonly Effort[],
  wish: Wish,
  { context, begins }: { readonly context: Context; readonly begins: string | undefined },
): Promise<EngineError> {
  const held: string[] = []
  for (const effort of efforts) {
    const holder = await holderOrSilent(tx, effort, wish, context)
    held.push(`${listOf([effort])}${holder === undefined ? '' : ` by ${shortHolder(holder)}`}`)
  }
  const theirs = `You have no effort here. Others have: ${held.join('; ')}.`
  if (begins !== undefined) return new EngineError('conflict', theirs, { field: 'effort_id', hint: begins })
  const root = wish.here === undefined ? undefined : await rootAround(tx, wish.here)
  const { command, choice } = await beginningOf(tx, root, wish.here?.folder)
  return new EngineError('conflict', `${theirs}${choice}`, {
    field: 'effort_id',
    hint: wish.skill === undefined ? command : startCommand(wish.skill, root?.path),
  })
}

const shortHolder = (holder: Holder): string =>
  holder.kind === 'agent' ? `agent ${holder.id}` : `session ${holder.session.id}`

/** A bare command of one thread must not move the work of another. */
async function severalThreads(tx: Tx, threads: readonly Session[], use: Use): Promise<EngineError> {
  const works: { readonly effort: Effort; readonly of: string }[] = []
  for (const { effort_id, scope_of } of threads) {
    const effort = await effortWith(tx, effort_id)
    if (!isAdHoc(effort)) works.push({ effort, of: scope_of === null ? 'the main thread' : 'a sub-agent' })
  }
  const list = works.map(({ effort, of }) => `${effort.id} (${effort.skill}) of ${of}`).join('; ')
  const message = `Several threads of this session run commands now, so name your effort: ${list}.`
  return nameOne(
    message,
    works.map(({ effort }) => effort),
    use,
  )
}

function nameOne(
  message: string,
  efforts: readonly Effort[],
  { again = showCommand, each }: Use,
): EngineError {
  const [first] = efforts
  const hint = first !== undefined && each !== undefined ? each(first) : again(first?.id ?? 0)
  return new EngineError('conflict', message, { field: 'effort_id', hint })
}

const listOf = (efforts: readonly Effort[]): string =>
  efforts.map(({ id, skill, task_id }) => `${id} (${skill}, ${oneLine(task_id)})`).join('; ')
