import type { Change, ChainMove } from '../../model/change.ts'
import { call as callFrame, type Frames, park } from '../../model/chain/move.ts'
import { nextOf } from '../../model/chain/stored.ts'
import { begunText, calledText, namedChain } from '../../model/chain/told.ts'
import type { Decision } from '../../model/decision.ts'
import type { Session } from '../../model/session.ts'
import type { ToldChain } from '../../rules/rule.ts'
import { inOneNotice } from '../../rules/told/notice.ts'
import { findEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { openSpansOf } from '../../store/span.ts'
import type { Call } from '../call/method.ts'
import { knowsNext } from '../effort/chain-meant.ts'
import { beginChain, chainOf, endFrame, failFrame, moveChain } from '../effort/frames.ts'
import type { ProjectSession } from '../session/project-session.ts'

type ChainChange = Extract<Change, { kind: 'chain.begun' | 'chain.moved' }>

/** Stores what an event does to the chain of its session. */
export async function changeChain(
  tx: Tx,
  change: ChainChange,
  at: ProjectSession,
  call: Call,
): Promise<void> {
  const { session, projectId: project_id } = at
  const work = change.skill === undefined ? undefined : await workOn(tx, change.skill, session)
  if (change.kind === 'chain.begun') {
    const about = { project_id, session_id: session.native_id, task_id: work?.task_id ?? null }
    await beginChain(tx, { ...about, frames: change.frames, first: work }, call)
    return
  }
  const { chain: chain_id, move } = change
  const { workplace_id } = session
  if (move.kind === 'end') {
    await endFrame(tx, { id: move.frame, chain_id, workplace_id }, call)
    if (move.asks === true)
      await moveChain(tx, chain_id, (frames) => asked(frames, nextOf(frames)?.id, call.now), call)
    return
  }
  if (move.kind === 'fail')
    return await failFrame(tx, { id: move.frame, chain_id, workplace_id, reason: move.reason }, call)
  await moveChain(tx, chain_id, (frames) => withWork(moved(frames, move, call.now), move, work), call)
}

function moved(frames: Frames, move: Exclude<ChainMove, { kind: 'end' | 'fail' }>, now: string): Frames {
  switch (move.kind) {
    case 'call':
      return callFrame(frames, move)
    case 'park':
      return park(frames, move.reason)
    case 'ask':
      return asked(frames, move.frame, now)
    default:
      return move satisfies never
  }
}

/** The end of a turn asked for a frame. */
const asked = (frames: Frames, id: number | undefined, now: string): Frames =>
  frames.map((one) => (one.id === id ? { ...one, asked_at: now } : one))

interface Work {
  readonly effort_id: number | null
  readonly task_id: string | null
}

/** The effort of a skill that was just called, and its task. */
async function workOn(tx: Tx, skill: string, { native_id }: Session): Promise<Work> {
  const spans = await openSpansOf(tx, { session_id: native_id ?? '' })
  const effort_id = spans.find((span) => span.skill === skill && span.status === 'active')?.effort_id ?? null
  const effort = effort_id === null ? undefined : await findEffort(tx, { id: effort_id })
  return { effort_id, task_id: effort?.task_id ?? null }
}

/** The called frame gets its effort, and the chain the task of its first one. */
function withWork(frames: Frames, move: ChainMove, work: Work | undefined): Frames {
  if (move.kind !== 'call' || work === undefined) return frames
  const { effort_id, task_id } = work
  return frames.map((one) => {
    const own = one.id === move.frame ? { ...one, effort_id } : one
    return task_id === null || own.task_id !== null ? own : { ...own, task_id }
  })
}

/** Adds what the agent hears of its chain, and the line for the user when it begins. */
export async function withChain(
  tx: Tx,
  decision: Decision,
  told: ToldChain,
  { native_id, workplace_id }: Session,
): Promise<Decision> {
  if (decision.kind === 'block') return decision
  const frames = await chainOf(tx, native_id ?? '')
  if (frames.length === 0) return decision
  const text = (told === 'begun' ? begunText : calledText)(frames, await knowsNext(tx, frames, workplace_id))
  if (text === undefined) return decision
  const contexts = [...decision.contexts, text]
  if (told === 'called') return { ...decision, contexts }
  const line = namedChain(frames)
  const notice = decision.notice === undefined ? line : inOneNotice([decision.notice, line])
  return { ...decision, contexts, notice }
}
