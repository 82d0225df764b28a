import * as z from 'zod'
import { isAdHoc } from '../../model/effort.ts'
import { startOn } from '../../model/task.ts'
import type { Session } from '../../model/session.ts'
import type { Section } from '../../model/recap.ts'
import { type LookedUp, NOTHING_LOOKED_UP } from '../../rules/told/background.ts'
import { listEfforts, setEffortPlace, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { dehydrationsOf, toDehydration } from '../../store/dehydration.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { placeOfEffort } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { placesIn } from '../effort/meant.ts'
import { againCommand } from '../effort/ending.ts'
import {
  continuedText,
  finishedText,
  type Handover,
  type ShownHolder,
  shownText,
} from '../effort/handover-text.ts'
import { holderText, takeHere } from '../effort/holder.ts'
import {
  about,
  checkProject,
  type ContinueWish,
  findWork,
  type Found,
  inOwnName,
  lockedWork,
  takesOver,
} from '../effort/to-continue.ts'
import { namedByEffort } from '../effort/named-contents.ts'
import { readContents } from '../skill/contents.ts'
import { type Here, optionalHere, rootAround } from '../call/here.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import { handEffort } from '../effort/ownership.ts'
import * as p from '../call/params.ts'
import { coversOfEffort, type Digests, digestsOf } from '../plan/recorded.ts'
import { keepLevel } from '../session/level-kept.ts'
import { endOthers, noteNews, startSession } from '../session/session-window.ts'
import { takeOver } from '../session/take-over.ts'
import { toldByCommand } from '../session/told-work.ts'
import { artifactPaths, lookFor, requiredIn, type Seen, sortOut } from '../effort/work-files.ts'
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
  cwd: p.cwd.optional().describe('The folder that the caller works in; used to find the project.'),
  take: z
    .boolean()
    .default(false)
    .describe(
      'Take the effort over without an identity, and the named effort also from a session that is at work.',
    ),
  unheard: z
    .boolean()
    .default(false)
    .describe('Set if the session does not read the answer, so that it is told at its next event.'),
})

type Params = z.output<typeof params>

interface Prepared {
  readonly wish: ContinueWish
  /** Where the caller works. */
  readonly here: Here | undefined
  readonly seen: Seen
  readonly contents: LookedUp['contents']
  readonly digests: Digests
}

export const resume = method({
  name: 'commands.session.continue',
  summary:
    'Resume the last open effort in a new session, and print what the session needs to know. A caller that is neither a client session nor an agent only sees it.',
  effect: 'durable',
  params,
  prepare,
  async run(tx, given, call) {
    const { seen, digests } = call.prepared
    const wish = await inOwnName(tx, call.prepared.wish)
    const work = await lockedWork(tx, wish, call.context)
    await checkProject(tx, work, { native_id: wish.native_id, here: call.prepared.here })
    // A caller that only looks moves nothing.
    const found = takesOver(wish) ? await broughtHere(tx, work, call.prepared.here) : work
    const { effort, skill } = found
    const view = await viewOf(tx, { effort, skill, seen, files: { root: found.root, digests } })
    if (effort.lifecycle === 'finished')
      return { state: 'finished' as const, view, again: await againCommand(tx, effort) }
    const opened = takesOver(wish)
      ? await openWindow(tx, { ...given, agent_id: wish.agent_id, found, digests }, call)
      : undefined
    const left = await leftBehind(tx, found, call.context)
    const handover = {
      dehydration: left.payload,
      required_files: sortOut(seen, left.required),
      resume: reopenCommand(found, given, call.context),
    }
    const shown = { view, handover, told: await toldOf(tx, { found, session: opened }, call) }
    if (opened !== undefined) return { state: 'continued' as const, session: opened, ...shown }
    const { holder } = found
    return {
      state: 'shown' as const,
      held_by: holder === undefined ? null : holderText(holder, call.context),
      take: takeHere(effort.id, holder),
      ...shown,
    }
  },
  finish: (_, gone) => Promise.resolve(answered(gone)),
})

type View = Awaited<ReturnType<typeof viewOf>>
interface Shown {
  readonly view: View
  readonly handover: Handover
  /** The sections of the first call, so that a repeated call returns the same text. */
  readonly told?: readonly Section[]
}
type GoneOn =
  | { readonly state: 'finished'; readonly view: View; readonly again?: string }
  | ({ readonly state: 'continued'; readonly session: Session } & Shown)
  | ({ readonly state: 'shown' } & ShownHolder & Shown)

/** Adds the text for the agent; results of older daemons have it, or no sections. */
function answered(gone: GoneOn) {
  if ('markdown' in gone) return gone
  const { view } = gone
  if (gone.state === 'finished') {
    const { task_id, skill } = view.effort
    const markdown = finishedText(view, gone.again ?? startOn(task_id, skill))
    return { state: gone.state, ...answerOf(view), markdown }
  }
  const { handover, told = [] } = gone
  if (gone.state === 'shown') {
    const { held_by, take } = gone
    return {
      state: gone.state,
      ...answerOf(view),
      held_by,
      take,
      ...handover,
      markdown: shownText(view, handover, { told, held_by, take }),
    }
  }
  const { session } = gone
  return {
    state: gone.state,
    ...answerOf(view),
    session,
    prev_session_id: session.prev_session_id,
    ...handover,
    markdown: continuedText(view, handover, told),
  }
}

async function toldOf(
  tx: Tx,
  { found: { effort }, session }: { readonly found: Found; readonly session: Session | undefined },
  call: Call<Prepared>,
): Promise<readonly Section[]> {
  const project = await placeOfEffort(tx, effort)
  if (project === undefined) return []
  const { seen, contents, digests } = call.prepared
  const lookedUp = { ...NOTHING_LOOKED_UP, written: seen, contents }
  return await toldByCommand(tx, { effortId: effort.id, project, session, lookedUp, digests }, call)
}

async function prepare(context: Context, given: Params, ask: Ask): Promise<Prepared> {
  const { effort_id, agent_id, native_id, take } = given
  const wish = { ...(await placesIn(context, given)), effort_id, agent_id, native_id, take }
  const here = await optionalHere(context, 'cwd', given.cwd)
  const { covers, paths, named } = await ask((tx) => filesOf(tx, { wish, here }, context))
  return {
    wish,
    here,
    seen: await lookFor(context, paths),
    contents: await readContents(context, named),
    digests: await digestsOf(context, covers),
  }
}

async function filesOf(tx: Tx, { wish, here }: Pick<Prepared, 'wish' | 'here'>, context: Context) {
  const found = await findWork(tx, await inOwnName(tx, wish), context)
  const { path = found.root } = (await otherPlace(tx, found, here)) ?? {}
  const { required, all } = await leftBehind(tx, found, context)
  const efforts = await listEfforts(tx, { task_id: found.effort.task_id })
  const own = efforts.map(toEffort).filter((one) => !isAdHoc(one))
  const { covers } = await coversOfEffort(tx, found.effort.id)
  return {
    covers: covers.map((cover) => ({ ...cover, root: path })),
    paths: [...required, ...all, ...own.flatMap(artifactPaths)],
    named: await namedByEffort(tx, found.effort),
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
  return await about(tx, effort, found.holder)
}

/** The session that continues; a client session that already serves the effort is reused. */
async function openWindow(
  tx: Tx,
  { found, digests, ...given }: Params & { readonly found: Found; readonly digests: Digests },
  call: Call,
): Promise<Session> {
  const { effort, last, skill } = found
  const { agent_id, native_id, client, pid } = given
  await keepLevel(tx, { native_id, task_id: effort.task_id }, call.context)
  const open = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  if (agent_id !== undefined)
    await handEffort(tx, { agent_id, effort_id: effort.id, from: open?.effort_id }, call)
  await endOthers(tx, { effortId: effort.id, native_id, last }, call)
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
  if (given.unheard) await noteNews(tx, window, effort.id, call)
  const project = await placeOfEffort(tx, effort)
  if (skill === undefined || project === undefined) return window
  const work = await factsOf(tx, skill, effort, { root: project.root, digests })
  return await takeOver(tx, { session: window, project, work, isResumed: true }, call)
}

/** Keyed by effort, because the session that wrote it has ended. */
async function leftBehind(tx: Tx, { effort, root }: Found, { user }: Context) {
  const kept = (await dehydrationsOf(tx, { effort_id: effort.id })).map(toDehydration)
  // A note that the agent wrote is better than a generated one.
  const agents = kept.find(({ author }) => author === 'agent')?.payload
  const payload = agents ?? kept[0]?.payload ?? null
  // The generated note may be created in this transaction, where no file can be checked.
  const place = { root, home: user.home }
  const required = agents === undefined ? [] : requiredIn([{ author: 'agent', payload: agents }], place)
  return { payload, required, all: requiredIn(kept, place) }
}

/** INV_SESSION_CONTINUITY: a session that its client can reopen holds more context than a recap. */
function reopenCommand({ last, reopens }: Found, { native_id }: Params, { clients }: Context): string | null {
  if (!reopens || last?.native_id == null || last.native_id === native_id) return null
  return clients.get(last.client ?? '')?.resume(last.native_id) ?? null
}
