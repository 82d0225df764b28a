import type { StoredFrame } from '../../model/chain/stored.ts'
import { type Added, end, fail, type Frames } from '../../model/chain/move.ts'
import type { LedgerEvent } from '../../model/ledger.ts'
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
import type { Call } from '../call/method.ts'

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
export async function endFrame(
  tx: Tx,
  {
    effort_id,
    outcome,
    reason,
  }: { effort_id: number; outcome: 'completed' | 'abandoned'; reason?: string | undefined },
  call: Call,
): Promise<void> {
  const frame = await frameOfEffort(tx, { effort_id })
  if (frame === undefined) return
  await moveChain(
    tx,
    frame.chain_id,
    (frames) =>
      outcome === 'completed'
        ? end(frames, frame.id)
        : fail(frames, frame.id, failure(frames, frame.id, reason)),
    call,
  )
}

const failure = (frames: Frames, id: number, reason = 'it was given up'): string =>
  `/${frames.find((one) => one.id === id)?.skill ?? ''} failed: ${reason}`

/** Gives a chain to another session of a client. */
export const bringChain = (tx: Tx, chain_id: number, session_id: string, call: Call): Promise<Frames> =>
  moveChain(tx, chain_id, (frames) => frames.map((one) => inSession(one, session_id)), call)

const inSession = (one: StoredFrame, session_id: string): StoredFrame =>
  one.session_id === session_id || ['completed', 'failed', 'dropped'].includes(one.status)
    ? one
    : { ...one, session_id }
