import { type Effort, isAdHoc, isUnfinished, resumeCommand } from '../../model/effort.ts'
import { adHocEffort, agentNotFound, EngineError } from '../../model/error.ts'
import type { Session } from '../../model/session.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Skill } from '../../model/skill.ts'
import { accepts } from '../../model/agent.ts'
import { findAgent, toAgent } from '../../store/agent.ts'
import { findEffort, listEfforts, lockEffort, toEffort } from '../../store/effort.ts'
import { findProjectOfTask } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative, findOpenByNative, findSessions, toSession } from '../../store/session.ts'
import { placeOfEffort, placeOfSession } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import { type Here, rootAround } from '../call/here.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { nothingActive } from './beginning.ts'
import { hasIdentity, type Holder, holderOf, holderText, lastWindow, takeCommand } from './holder.ts'
import { type Candidates, candidatesFor, checkTask, nearest, sayWhich, type Wish } from './meant.ts'
import { lenderOf } from './thread.ts'

/** An effort to continue, with its last session. */
export interface Found {
  readonly effort: Effort
  readonly last: Session | undefined
  /** Whether its client would come back to this effort: it may have turned to another since. */
  readonly reopens: boolean
  readonly skill: Skill | undefined
  readonly root: string
  readonly project_id: number
  /** Who has it now. */
  readonly holder: Holder | undefined
}

/** Which effort a caller wants to continue; `take` takes a named one from a session at work. */
export interface ContinueWish extends Wish {
  readonly take: boolean
}

/** Whether the call takes the effort over; otherwise it only shows the effort. */
export const takesOver = (wish: ContinueWish): boolean => wish.take || hasIdentity(wish)

/** A session beside the one that works in the name of its agent continues its own work without that name. */
export async function inOwnName(tx: Tx, wish: ContinueWish): Promise<ContinueWish> {
  const { effort_id, native_id } = wish
  if (native_id === undefined || (await lenderOf(tx, wish)) === undefined) return wish
  const { effort_id: own = 0 } = (await findLastByNative(tx, { native_id })) ?? {}
  const row = await findEffort(tx, { id: own })
  const isAtWork = row !== undefined && isUnfinished(row)
  return isAtWork && (effort_id ?? own) === own ? { ...wish, agent_id: undefined } : wish
}

/** The caller's last open effort, else one that it may take, else its last finished one. */
export async function findWork(tx: Tx, wish: ContinueWish, context: Context): Promise<Found> {
  await checkTask(tx, wish)
  const candidates = await candidatesFor(tx, wish)
  const { named } = candidates
  if (named !== undefined && isAdHoc(named)) throw adHocEffort(named.id, 'continued', named.task_id)
  if (named?.lifecycle === 'finished') return await about(tx, named, undefined)
  const mine = candidates.own.filter((effort) => !isAdHoc(effort))
  const { chosen, busy } = await choose(tx, wish, { ...candidates, own: mine }, context)
  if (chosen !== undefined) return await about(tx, chosen.effort, chosen.holder)
  if (busy.length > 0) throw allBusy(busy, { isNamed: named !== undefined }, context)
  const finished = mine[0] ?? (await lastOf(tx, wish))
  if (finished !== undefined) return await about(tx, finished, undefined)
  throw wish.agent_id === undefined ? await nothingActive(tx, wish) : noWorkFor(wish.agent_id)
}

/** The effort that a recap tells of: the named one, the caller's own, else the one that a continue would choose. */
export async function effortToTell(
  tx: Tx,
  wish: Wish,
  context: Context,
): Promise<{ readonly effort: Effort | undefined } & Pick<Candidates, 'project' | 'root'>> {
  const candidates = await candidatesFor(tx, wish)
  const { root } = candidates
  const mine = candidates.named ?? candidates.own[0]
  if (mine !== undefined)
    return { effort: mine, project: await findProjectOfTask(tx, { dir_path: mine.task_id }), root }
  if (wish.here === undefined) throw sayWhich()
  const { chosen } = await choose(tx, { ...wish, take: false }, candidates, context)
  return { effort: chosen?.effort, project: candidates.project, root }
}

/** The first effort that is free for the caller, and those before it that are in use. */
async function choose(
  tx: Tx,
  wish: ContinueWish,
  candidates: Candidates,
  context: Context,
): Promise<{ readonly chosen: Holding | undefined; readonly busy: readonly Held[] }> {
  const busy: Held[] = []
  for (const effort of await offeredTo(tx, wish, candidates)) {
    const holder = await holderOf(tx, effort, wish, context)
    if (holder === undefined || givesWay(holder, wish)) return { chosen: { effort, holder }, busy }
    busy.push({ effort, holder })
  }
  // A terminal only looks, so it may look at work that is in use.
  return { chosen: takesOver(wish) ? undefined : busy[0], busy }
}

/** Locks the effort, so that the second of two callers sees the change of the first. */
export async function lockedWork(tx: Tx, wish: ContinueWish, context: Context): Promise<Found> {
  const { effort } = await findWork(tx, wish, context)
  await lockEffort(tx, { id: effort.id })
  return await findWork(tx, wish, context)
}

/** A session resumes only work of its own project or of the one that its caller went to. */
export async function checkProject(
  tx: Tx,
  { effort, project_id, root }: Found,
  { native_id, here }: { readonly native_id: string | undefined; readonly here: Here | undefined },
): Promise<void> {
  if (native_id === undefined || effort.lifecycle === 'finished') return
  const window = await findOpenByNative(tx, { native_id })
  if (window?.effort_id === effort.id) return
  const place = window === undefined ? undefined : await placeOfSession(tx, window)
  if (place === undefined && here === undefined) return
  const around = here === undefined ? undefined : await rootAround(tx, here)
  // A caller that went there says that it means the other project.
  if ([place?.id, around?.of.id].includes(project_id)) return
  const own = place?.root ?? around?.path ?? here?.folder ?? ''
  throw new EngineError('conflict', elsewhere(effort, { root, here: own }), {
    field: 'effort_id',
    hint: `cd ${shellWord(root)} && ${resumeCommand(effort)}`,
  })
}

/** Says where an effort of another project lives. */
export const elsewhere = (
  { id, skill }: Pick<Effort, 'id' | 'skill'>,
  { root, here }: { readonly root: string; readonly here: string },
): string =>
  `Effort ${id} (${skill}) belongs to ${root}, and this session works in ${here}. Resume it from there.`

/** The efforts to try in order. An agent gets no work of others, and nothing new after its own is finished. */
async function offeredTo(tx: Tx, wish: ContinueWish, candidates: Candidates): Promise<readonly Effort[]> {
  const { agent_id } = wish
  const { named, own } = candidates
  if (named !== undefined) return [named]
  const around = nearestFirst(wish, candidates)
  const open = own.filter(({ lifecycle }) => lifecycle === 'active')
  if (agent_id === undefined) return [...open, ...around]
  const row = await findAgent(tx, { id: agent_id })
  if (row === undefined) throw agentNotFound(agent_id)
  const agent = toAgent(row)
  const isFor = ({ skill }: Effort) => agent.claims.length > 0 && accepts(agent, skill)
  return own.length > 0 ? open : around.filter(isFor)
}

/** In the folder of a task, its efforts come before newer ones of other tasks. */
function nearestFirst({ folder, task_id = folder }: Wish, { around, root }: Candidates): readonly Effort[] {
  const near = task_id === undefined ? [] : nearest(around, { folder: task_id, root })
  return [...near, ...around.filter((effort) => !near.includes(effort))]
}

/** Silence frees an effort for a caller that asks for it; an agent without work never gets one by silence. */
function givesWay(holder: Holder, wish: ContinueWish): boolean {
  if (holder.kind === 'agent') return false
  const isNamed = wish.effort_id !== undefined
  return (isNamed && wish.take) || (holder.isSilent && (isNamed || wish.agent_id === undefined))
}

async function lastOf(tx: Tx, { task_id, agent_id }: Wish): Promise<Effort | undefined> {
  if (task_id === undefined || agent_id !== undefined) return undefined
  const rows = await listEfforts(tx, { task_id })
  return rows.map(toEffort).findLast((effort) => !isAdHoc(effort))
}

/** An effort with its skill, its workplace and its last session. */
export async function about(tx: Tx, effort: Effort, holder: Holder | undefined): Promise<Found> {
  const place = await placeOfEffort(tx, effort)
  if (place === undefined) throw new Error('The effort has no workplace.')
  const [last] = await findSessions(tx, { effort_id: effort.id, limit: 1 })
  const native_id = last?.native_id ?? undefined
  const newest = native_id === undefined ? undefined : await findLastByNative(tx, { native_id })
  // Another session may have continued it since, and serve another effort now.
  const holder_id = (await lastWindow(tx, effort))?.native_id ?? null
  return {
    effort,
    last: last === undefined ? undefined : toSession(last),
    reopens:
      newest?.effort_id === effort.id && newest.scope_of === null && (holder_id ?? native_id) === native_id,
    skill: await skillOfEffort(tx, effort),
    root: place.root,
    project_id: place.id,
    holder,
  }
}

interface Held {
  readonly effort: Effort
  readonly holder: Holder
}

type Holding = Pick<Found, 'effort' | 'holder'>

/** Names the command that takes the first effort over at once, in case its client has crashed. */
function allBusy(
  busy: readonly Held[],
  { isNamed }: { readonly isNamed: boolean },
  context: Context,
): EngineError {
  const who = busy.map(
    ({ effort, holder }) => `effort ${effort.id} (${effort.skill}) by ${holderText(holder, context)}`,
  )
  const [command] = busy.flatMap(({ effort, holder }) => takeCommand(effort.id, holder) ?? [])
  const crashed =
    command === undefined
      ? ''
      : ' Take an effort over only if the user asks for it, for example because its client has crashed.'
  return new EngineError(
    'conflict',
    `${isNamed ? 'Not resumed, because it is' : 'Every open effort is'} in use: ${who.join('; ')}.${crashed}`,
    {
      hint: command ?? 'holdfast fleet',
    },
  )
}

const noWorkFor = (agent: string) =>
  new EngineError(
    'not-found',
    `Agent ${agent} has no effort, and no free effort is of a skill that it claims.`,
    {
      field: 'agent_id',
      hint: `holdfast effort find-active && holdfast session continue EFFORT --agent ${shellWord(agent)}`,
    },
  )
