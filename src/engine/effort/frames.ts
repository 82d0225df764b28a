import { standOf, type StoredFrame } from '../../model/chain/stored.ts'
import { type Added, end, fail, type Frames, push } from '../../model/chain/move.ts'
import type { Effort } from '../../model/effort.ts'
import type { LedgerEvent } from '../../model/ledger.ts'
import type { Session } from '../../model/session.ts'
import {
  frameOfEffort,
  insertFrame,
  lockChain,
  moveFrame,
  nameChain,
  openChainOf,
  toFrame,
} from '../../store/continuation.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { toEntry } from '../../store/skill.ts'
import type { Call } from '../call/method.ts'
import { skillCalled } from '../skill/called.ts'
import type { Closing } from './life.ts'

/** The frames of a chain, locked. */
export const framesOf = async (tx: Tx, chain_id: number): Promise<Frames> =>
  (await lockChain(tx, { chain_id })).map(toFrame)

/** The frames of the chain that a session has, locked; none if it has no open one. */
export async function chainOf(tx: Tx, session_id: string): Promise<Frames> {
  const row = await openChainOf(tx, { session_id })
  return row === undefined ? [] : await framesOf(tx, row.chain_id)
}

/** A chain to begin. */
interface Beginning extends Pick<StoredFrame, 'project_id' | 'task_id' | 'session_id'> {
  readonly frames: readonly Added[]
  /** The effort of the first skill, if that runs already; undefined if it is still to be called. */
  readonly first?: { readonly effort_id: number | null } | undefined
}

/** Stores the frames of a new chain. */
export async function beginChain(tx: Tx, wish: Beginning, call: Call): Promise<Frames> {
  const { frames, first, project_id, task_id, session_id } = wish
  let chain_id = 0
  for (const [at, { on_error, ...frame }] of frames.entries()) {
    const isRunning = at === 0 && first !== undefined
    const row = await insertFrame(tx, call.context.store.volatile, {
      ...frame,
      chain_id,
      project_id,
      task_id,
      session_id,
      effort_id: isRunning ? first.effort_id : null,
      position: at + 1,
      status: isRunning ? 'running' : 'waiting',
      on_error: toJson(on_error ?? undefined),
      call: null,
      reason: null,
      parent: null,
      started_at: isRunning ? call.now : null,
      now: call.now,
    })
    if (row === undefined) throw new Error('The frame was not stored.')
    if (chain_id !== 0) continue
    chain_id = row.id
    await nameChain(tx, { id: chain_id })
  }
  const skills = frames.map(({ skill }) => skill)
  await call.record(tx, { event_type: 'chain.begun', project_id, payload: { chain: chain_id, skills } })
  return await framesOf(tx, chain_id)
}

/** Moves a chain, stores what changed and records it. */
export async function moveChain(
  tx: Tx,
  chain_id: number,
  move: (frames: Frames) => Frames,
  call: Call,
): Promise<Frames> {
  const before = await framesOf(tx, chain_id)
  const after = move(before)
  for (const frame of after) {
    const was = before.find(({ id }) => id === frame.id)
    if (frame !== was) await storeFrame(tx, frame, was, call)
  }
  return await framesOf(tx, chain_id)
}

async function storeFrame(
  tx: Tx,
  frame: StoredFrame,
  was: StoredFrame | undefined,
  call: Call,
): Promise<void> {
  const { on_error, created_at: _, ...row } = frame
  const { volatile } = call.context.store
  const started_at = row.started_at ?? (row.status === 'running' ? call.now : null)
  const isOver = ['completed', 'failed', 'dropped'].includes(row.status)
  const ended_at = row.ended_at ?? (isOver ? call.now : null)
  const stored =
    was === undefined
      ? await insertFrame(tx, volatile, {
          ...row,
          on_error: toJson(on_error ?? undefined),
          started_at,
          now: call.now,
        })
      : await moveFrame(tx, volatile, { ...row, was: was.status, started_at, ended_at, now: call.now })
  if (stored === undefined) throw new Error('The frame has moved meanwhile.')
  const event_type = entryFor(was?.status, frame.status)
  if (event_type === undefined) return
  const { skill, args, chain_id, project_id, effort_id, reason } = frame
  await call.record(tx, {
    event_type,
    project_id,
    skill,
    ...(effort_id !== null && { effort_id }),
    payload: {
      chain: chain_id,
      frame: stored.id,
      ...(args !== '' && { args }),
      ...(event_type === 'chain.called' && { call: frame.call }),
      ...(reason !== null && { reason }),
    },
  })
}

const ENTRIES: Readonly<Partial<Record<StoredFrame['status'], LedgerEvent>>> = {
  running: 'chain.called',
  completed: 'chain.ended',
  failed: 'chain.failed',
  parked: 'chain.parked',
  dropped: 'chain.dropped',
}

function entryFor(
  was: StoredFrame['status'] | undefined,
  now: StoredFrame['status'],
): LedgerEvent | undefined {
  if (was === undefined) return 'chain.pushed'
  if (was === now) return undefined
  return was === 'parked' && now !== 'dropped' ? 'chain.resumed' : ENTRIES[now]
}

/** The frame that an effort does ends with it. */
export async function endEffortFrame(
  tx: Tx,
  { id: effort_id, workplace_id, result }: Pick<Effort, 'id' | 'workplace_id' | 'result'>,
  { outcome = 'completed', reason }: Pick<Closing, 'outcome' | 'reason'>,
  call: Call,
): Promise<void> {
  const frame = await frameOfEffort(tx, { effort_id })
  if (frame === undefined) return
  if (outcome === 'completed') await endFrame(tx, { ...frame, workplace_id, result }, call)
  else await failFrame(tx, { ...frame, workplace_id, reason }, call)
}

interface Ending {
  readonly id: number
  readonly chain_id: number
  readonly workplace_id: number
  readonly reason?: string | undefined
  readonly result?: unknown
}

/** Ends a frame; the default exit of a cooperative skill follows if nothing else does. */
export async function endFrame(
  tx: Tx,
  { id, chain_id, workplace_id, result }: Ending,
  call: Call,
): Promise<void> {
  const frames = await moveChain(tx, chain_id, (all) => end(all, id, toJson(result)), call)
  const own = frames.find((one) => one.id === id)
  if (own?.status !== 'completed' || standOf(frames) !== 'ended') return
  const exits = await exitsOf(tx, { skill: own.skill, workplace_id }, frames)
  if (exits.length > 0) await moveChain(tx, chain_id, (all) => push(all, exits, null), call)
}

/** The default exit of a skill, without what is not installed or has run already. */
export async function exitsOf(
  tx: Tx,
  { skill, workplace_id }: Pick<Effort, 'skill' | 'workplace_id'>,
  frames: Frames,
): Promise<readonly Added[]> {
  const exits: Added[] = []
  for (const one of (await declaredBy(tx, { skill }, workplace_id))?.default_exit ?? []) {
    const row = await skillCalled(tx, { workplace_id, name: one.skill })
    // An exit that has run already would run for ever.
    const hasRun = frames.some((frame) => frame.skill === one.skill || frame.skill === row?.name)
    if (hasRun || row === undefined) continue
    exits.push({ ...one, skill: row.name, context: '', on_error: null, level: 'wrapped' })
  }
  return exits
}

/** A frame fails; its own branch comes before that of its skill. */
export async function failFrame(
  tx: Tx,
  { id, chain_id, workplace_id, reason = 'it was given up' }: Ending,
  call: Call,
): Promise<void> {
  const own = (await framesOf(tx, chain_id)).find((one) => one.id === id)
  if (own === undefined) return
  const on_error = own.on_error ?? (await declaredBy(tx, own, workplace_id))?.on_error ?? null
  const why = `/${own.skill} failed: ${reason}`
  await moveChain(tx, chain_id, (all) => fail(all, id, { reason: why, branch: on_error }), call)
}

const declaredBy = async (tx: Tx, { skill: name }: Pick<StoredFrame, 'skill'>, workplace_id: number) => {
  const row = await skillCalled(tx, { workplace_id, name })
  return row === undefined ? undefined : toEntry(row).details?.continuation
}

/** The session that goes on with the work of a frame has its chain; a sub-agent has none. */
export async function followEffort(
  tx: Tx,
  { effort_id, native_id, scope_of }: Pick<Session, 'effort_id' | 'native_id' | 'scope_of'>,
  call: Call,
): Promise<void> {
  if (native_id === null || scope_of !== null) return
  const frame = await frameOfEffort(tx, { effort_id })
  if (frame !== undefined && frame.session_id !== native_id)
    await bringChain(tx, frame.chain_id, native_id, call)
}

/** Gives a chain to another session of a client. */
export async function bringChain(tx: Tx, chain_id: number, session_id: string, call: Call): Promise<Frames> {
  const before = await framesOf(tx, chain_id)
  const from = before.find((one) => inSession(one, session_id) !== one)
  if (from === undefined) return before
  const { project_id } = from
  const payload = { chain: chain_id, to: session_id, from: from.session_id }
  await call.record(tx, { event_type: 'chain.taken', project_id, payload })
  return await moveChain(tx, chain_id, (frames) => frames.map((one) => inSession(one, session_id)), call)
}

const inSession = (one: StoredFrame, session_id: string): StoredFrame =>
  one.session_id === session_id || ['completed', 'failed', 'dropped'].includes(one.status)
    ? one
    : { ...one, session_id }
