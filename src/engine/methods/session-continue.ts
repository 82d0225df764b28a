import * as z from 'zod'
import { AD_HOC_ORDINAL, type Effort } from '../../model/effort.ts'
import { adHocEffort, EngineError } from '../../model/error.ts'
import type { Session } from '../../model/session.ts'
import type { Skill } from '../../model/skill.ts'
import { approvalLines, artifactLines } from '../../rules/told/background.ts'
import { lastApprovals } from '../../store/approval.ts'
import { lastArtifacts } from '../../store/artifact.ts'
import { listEfforts, lockEffort, setEffortPlace, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { dehydrationsOf, toDehydration } from '../../store/dehydration.ts'
import { findOpenByNative, findSessions, toSession } from '../../store/session.ts'
import { findSkill, toSkill } from '../../store/skill.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { nothingActive } from '../effort/beginning.ts'
import { candidatesFor, checkTask, placesIn, type Wish } from '../effort/meant.ts'
import { continuedText, finishedText, type Handover } from '../effort/handover-text.ts'
import { freeCommand, type Holder, holderOf, holderText } from '../effort/holder.ts'
import { type Here, optionalHere, rootAround } from '../call/here.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import { claimEffort } from '../effort/ownership.ts'
import * as p from '../call/params.ts'
import { coversOfEffort, type Digests, digestsOf } from '../plan/recorded.ts'
import { startSession } from '../session/session-window.ts'
import { takeOver } from '../session/take-over.ts'
import { artifactPaths, lookFor, type Seen, sortOut } from '../effort/work-files.ts'
import { answerOf, viewOf } from '../effort/work-view.ts'

const params = z.strictObject({
  dir: p.taskId
    .optional()
    .describe('The folder of the task. Default: the last effort of the agent, the session or the project.'),
  effort_id: p.id.optional().describe('The effort to resume.'),
  agent_id: p.name.optional().describe('The agent that resumes the effort.'),
  native_id: p.name.optional().describe("The client's id of the session that resumes the effort."),
  client: p.name.optional().describe('The name of the client of that session.'),
  pid: p.id.optional().describe('The process id of the client.'),
  cwd: p.path.optional().describe('The folder that the caller works in; used to find the project.'),
})

type Params = z.output<typeof params>

interface Prepared {
  readonly wish: Wish
  /** Where the caller works. */
  readonly here: Here | undefined
  readonly seen: Seen
  readonly digests: Digests
}

export const resume = method({
  name: 'commands.session.continue',
  summary: 'Resume the last open effort in a new session, and print what the session needs to know.',
  effect: 'durable',
  params,
  prepare,
  async run(tx, given, call) {
    const { wish, seen, digests } = call.prepared
    const found = await broughtHere(tx, await lockedWork(tx, wish, call.context), call.prepared.here)
    const { effort, skill } = found
    const view = await viewOf(tx, { effort, skill, seen, files: { root: found.root, digests } })
    if (effort.lifecycle === 'finished') return { state: 'finished' as const, view }
    const opened = await openWindow(tx, { ...given, found, digests }, call)
    const left = await leftBehind(tx, found, call.context)
    const handover = {
      dehydration: left.payload,
      required_files: sortOut(seen, left.required),
      resume: resumeCommand(found, given, call.context),
    }
    return {
      state: 'continued' as const,
      view,
      session: opened,
      handover,
      kept: await keptOf(tx, effort.id),
      now: call.now,
    }
  },
  finish: (_, gone) => Promise.resolve(told(gone)),
})

type View = Awaited<ReturnType<typeof viewOf>>
type GoneOn =
  | { readonly state: 'finished'; readonly view: View }
  | {
      readonly state: 'continued'
      readonly view: View
      readonly session: Session
      readonly handover: Handover
      readonly kept: Awaited<ReturnType<typeof keptOf>>
      /** The moment of the first call, so that a repeated call returns the same text. */
      readonly now: string
    }

/** Adds the text for the agent; results stored by older daemons already have it. */
function told(gone: GoneOn) {
  if ('markdown' in gone) return gone
  const { state, view } = gone
  if (state === 'finished') return { state, ...answerOf(view), markdown: finishedText(view) }
  const { session, handover, kept, now } = gone
  return {
    state,
    ...answerOf(view),
    session,
    prev_session_id: session.prev_session_id,
    ...handover,
    markdown: continuedText(view, handover, { now, kept }),
  }
}

const keptOf = async (tx: Tx, effort: number) => ({
  artifacts: artifactLines(await lastArtifacts(tx, { effort_id: effort })),
  approvals: approvalLines(await lastApprovals(tx, { effort_id: effort })),
})

async function prepare(context: Context, given: Params, ask: Ask): Promise<Prepared> {
  const { effort_id, agent_id, native_id } = given
  const wish = { ...(await placesIn(context, given)), effort_id, agent_id, native_id }
  const here = await optionalHere(context, 'cwd', given.cwd)
  const { covers, paths } = await ask((tx) => filesOf(tx, { wish, here }, context))
  return { wish, here, seen: await lookFor(context, paths), digests: await digestsOf(context, covers) }
}

async function filesOf(tx: Tx, { wish, here }: Pick<Prepared, 'wish' | 'here'>, context: Context) {
  const found = await findWork(tx, wish, context)
  const { path = found.root } = (await otherPlace(tx, found, here)) ?? {}
  const { required } = await leftBehind(tx, found, context)
  const efforts = await listEfforts(tx, { task_id: found.effort.task_id })
  const own = efforts.map(toEffort).filter(({ ordinal }) => ordinal !== AD_HOC_ORDINAL)
  const { covers } = await coversOfEffort(tx, found.effort.id)
  return {
    covers: covers.map((cover) => ({ ...cover, root: path })),
    paths: [...required, ...own.flatMap(artifactPaths)],
  }
}

interface Found {
  readonly effort: Effort
  readonly last: Session | undefined
  readonly skill: Skill | undefined
  readonly root: string
  readonly project_id: number
}

/** The caller's last open effort, else the newest one not in use, else the last finished one. */
async function findWork(tx: Tx, wish: Wish, context: Context): Promise<Found> {
  await checkTask(tx, wish)
  const { named, own, around } = await candidatesFor(tx, wish)
  if (named !== undefined && isAdHoc(named)) throw adHocEffort(named.id, 'continued', named.task_id)
  if (named?.lifecycle === 'finished') return await about(tx, named)
  const mine = own.filter((effort) => !isAdHoc(effort))
  const open = mine.filter(({ lifecycle }) => lifecycle === 'active')
  const busy: Held[] = []
  for (const effort of named === undefined ? [...open, ...around] : [named]) {
    const holder = await holderOf(tx, effort, wish, context)
    if (holder === undefined) return await about(tx, effort)
    busy.push({ effort, holder })
  }
  if (busy.length > 0) throw allBusy(busy, context)
  const finished = mine[0] ?? (await lastOf(tx, wish))
  if (finished === undefined) throw await nothingActive(tx, wish)
  return await about(tx, finished)
}

const isAdHoc = ({ ordinal }: Effort): boolean => ordinal === AD_HOC_ORDINAL

async function lastOf(tx: Tx, { task_id }: Wish): Promise<Effort | undefined> {
  const rows = task_id === undefined ? [] : await listEfforts(tx, { task_id })
  return rows.map(toEffort).findLast((effort) => !isAdHoc(effort))
}

/** Locks the effort, so that the second of two callers sees the change of the first. */
async function lockedWork(tx: Tx, wish: Wish, context: Context): Promise<Found> {
  const { effort } = await findWork(tx, wish, context)
  await lockEffort(tx, { id: effort.id })
  return await findWork(tx, wish, context)
}

async function about(tx: Tx, effort: Effort): Promise<Found> {
  const place = await placeOfEffort(tx, effort)
  if (place === undefined) throw new Error('The effort has no workplace.')
  const skill = await findSkill(tx, { workplace_id: place.workplace_id, name: effort.skill })
  const [last] = await findSessions(tx, { effort_id: effort.id, limit: 1 })
  return {
    effort,
    last: last === undefined ? undefined : toSession(last),
    skill: skill === undefined ? undefined : toSkill(skill),
    root: place.root,
    project_id: place.id,
  }
}

/** The caller's workplace, if it is another one of the same project. */
async function otherPlace(tx: Tx, { effort, project_id }: Found, here: Here | undefined) {
  const root = here === undefined ? undefined : await rootAround(tx, here)
  if (root?.workplace === undefined || root.of.id !== project_id) return undefined
  return root.workplace.id === effort.workplace_id ? undefined : root.workplace
}

/** An open effort goes on where its caller works, by the skills there. */
async function broughtHere(tx: Tx, found: Found, here: Here | undefined): Promise<Found> {
  const place = found.effort.lifecycle === 'active' ? await otherPlace(tx, found, here) : undefined
  if (place === undefined) return found
  const effort = { ...found.effort, workplace_id: place.id }
  await setEffortPlace(tx, effort)
  return await about(tx, effort)
}

interface Held {
  readonly effort: Effort
  readonly holder: Holder
}

/** Names the command that frees the first effort at once, in case its client has crashed. */
function allBusy(busy: readonly Held[], context: Context): EngineError {
  const who = busy.map(
    ({ effort, holder }) => `effort ${effort.id} (${effort.skill}) by ${holderText(holder, context)}`,
  )
  const [command] = busy.flatMap(({ holder }) => freeCommand(holder) ?? [])
  const crashed = command === undefined ? '' : ' If a client has crashed, end its session.'
  return new EngineError('conflict', `Every open effort is in use: ${who.join('; ')}.${crashed}`, {
    hint: command ?? 'holdfast fleet',
  })
}

/** The session that continues; a client session that already serves the effort is reused. */
async function openWindow(
  tx: Tx,
  { found, digests, ...given }: Params & { readonly found: Found; readonly digests: Digests },
  call: Call,
): Promise<Session> {
  const { effort, last, skill } = found
  const { agent_id, native_id, client, pid } = given
  if (agent_id !== undefined) await claimEffort(tx, { agent_id, effort_id: effort.id }, call)
  const open = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  const window =
    open?.effort_id === effort.id
      ? toSession(open)
      : await startSession(
          tx,
          {
            task_id: effort.task_id,
            effort_id: effort.id,
            workplace_id: effort.workplace_id,
            prev_session_id: last?.id,
            agent_id,
            native_id,
            client,
            pid,
          },
          call,
        )
  const project = await placeOfEffort(tx, effort)
  if (skill === undefined || project === undefined) return window
  const work = await factsOf(tx, skill, effort, { root: project.root, digests })
  return await takeOver(tx, { session: window, project, work }, call)
}

/** Keyed by effort, because the session that wrote it has ended. */
async function leftBehind(tx: Tx, { effort, root }: Found, { user }: Context) {
  const kept = (await dehydrationsOf(tx, { effort_id: effort.id })).map(toDehydration)
  // A note that the agent wrote is better than a generated one.
  const agents = kept.find(({ author }) => author === 'agent')?.payload
  const payload = agents ?? kept[0]?.payload ?? null
  // The generated note may be created in this transaction, where no file can be checked.
  const names = agents?.requiredFiles?.slice(0, MOST_FILES) ?? []
  return { payload, required: names.map((name) => whereIs(name, { root, home: user.home })) }
}

const MOST_FILES = 50

function whereIs(name: string, { root, home }: { readonly root: string; readonly home: string }): string {
  if (name.startsWith('/')) return name
  return name.startsWith('~/') ? `${home}${name.slice(1)}` : `${root}/${name}`
}

/** INV_SESSION_CONTINUITY: a session that its client can reopen holds more context than a recap. */
function resumeCommand({ last }: Found, { native_id }: Params, { clients }: Context): string | null {
  if (last?.native_id == null || last.native_id === native_id) return null
  return clients.get(last.client ?? '')?.resume(last.native_id) ?? null
}
