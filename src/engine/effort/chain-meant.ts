import { EngineError, projectNotFound } from '../../model/error.ts'
import { comingOf, standOf } from '../../model/chain/stored.ts'
import type { Frames } from '../../model/chain/move.ts'
import { findChains, openChainOf, parkedChainOf } from '../../store/continuation.ts'
import type { Tx } from '../../store/query.ts'
import { listSkills } from '../../store/skill.ts'
import { findOpenByNative } from '../../store/session.ts'
import { type Here, rootAround } from '../call/here.ts'
import type { Context } from '../call/context.ts'
import { isSubagentRunning } from '../skill/agent-calls.ts'
import { skillCalled } from '../skill/called.ts'
import { framesOf } from './frames.ts'
import { heldBy } from './holder.ts'

/** How a caller says which chain it means. */
export interface ChainWish {
  readonly chain_id?: number | undefined
  readonly native_id?: string | undefined
  readonly here?: Here | undefined
}

const MOST_SHOWN = 100

/** The chain that a caller means: the named one, that of its session, or the only one of its project. */
export async function chainMeant(tx: Tx, wish: ChainWish): Promise<Frames> {
  if (wish.chain_id !== undefined) return await chainWith(tx, wish.chain_id)
  const found = await ownChain(tx, wish)
  if (found === undefined) throw noChain()
  return found
}

/** The same without a chain that a caller names; undefined if it has none. */
export async function ownChain(tx: Tx, { native_id, here }: ChainWish): Promise<Frames | undefined> {
  if (native_id !== undefined) {
    const about = { session_id: native_id }
    const own = (await openChainOf(tx, about)) ?? (await parkedChainOf(tx, about))
    return own === undefined ? undefined : await framesOf(tx, own.chain_id)
  }
  const project_id = here === undefined ? undefined : (await projectOf(tx, here)).id
  const [only, ...more] = await findChains(tx, { project_id, open: true, limit: MOST_SHOWN })
  if (only === undefined) return undefined
  if (more.length > 0) throw severalChains([only, ...more].map(({ chain_id }) => chain_id))
  return await framesOf(tx, only.chain_id)
}

async function chainWith(tx: Tx, chain_id: number): Promise<Frames> {
  const frames = await framesOf(tx, chain_id)
  if (frames.length === 0)
    throw new EngineError('not-found', `There is no chain ${chain_id}.`, {
      field: 'chain_id',
      hint: 'holdfast chain list',
    })
  return frames
}

/** The project around a caller. */
export async function projectOf(tx: Tx, here: Here) {
  const found = await rootAround(tx, here)
  if (found === undefined) throw projectNotFound(here.folder, here.folder)
  return found.of
}

/** Whether the skill that comes next in a chain is there; true where nobody knows the skills. */
export async function knowsNext(tx: Tx, frames: Frames, workplace_id: number | undefined): Promise<boolean> {
  const next = comingOf(frames)
  if (next === undefined || workplace_id === undefined) return true
  if ((await skillCalled(tx, { workplace_id, name: next.skill })) !== undefined) return true
  return (await listSkills(tx, { workplace_id })).length === 0
}

/** Refuses a caller that would take a chain from a session at work. */
export async function refuseLive(
  tx: Tx,
  frames: Frames,
  { native_id, take }: { readonly native_id: string | undefined; readonly take: boolean },
  context: Context,
): Promise<void> {
  const id = frames[0]?.chain_id ?? 0
  const session_id = frames.findLast((one) => one.ended_at === null)?.session_id ?? null
  if (take || native_id === undefined || session_id === null || session_id === native_id) return
  if (standOf(frames) !== 'running' || !(await isAtWork(tx, frames, context))) return
  throw new EngineError(
    'conflict',
    `Chain ${id} belongs to another session, which is at work. Take it only if the user asks for it.`,
    {
      field: 'chain_id',
      hint: `holdfast chain resume ${id} --take`,
    },
  )
}

/** Refuses a caller that would put skills into the chain of another session. */
export function refuseForeign(frames: Frames, { native_id }: ChainWish): void {
  const [{ chain_id } = { chain_id: 0 }] = frames
  const session_id = frames.findLast((one) => one.ended_at === null)?.session_id ?? null
  if (native_id === undefined || session_id === null || session_id === native_id) return
  throw new EngineError('conflict', `Chain ${chain_id} belongs to another session.`, {
    field: 'chain_id',
    hint: `holdfast chain resume ${chain_id}`,
  })
}

/** Refuses a sub-agent, whose shell has the session of its client: chains are for the main thread. */
export function refuseSubagent({ native_id }: ChainWish): void {
  if (native_id === undefined || !isSubagentRunning(native_id, (text) => /\bchain\b/.test(text))) return
  throw new EngineError('refused', 'A sub-agent has no chain, and changes none.', {
    field: 'native_id',
    hint: 'holdfast chain list',
  })
}

const noChain = () =>
  new EngineError('not-found', 'No chain is open here.', { field: 'chain_id', hint: 'holdfast chain list' })

const severalChains = (ids: readonly number[]) =>
  new EngineError('conflict', `Several chains are open here: ${ids.join(', ')}. Name one.`, {
    field: 'chain_id',
    hint: `holdfast chain show ${ids[0] ?? 1}`,
  })

const MOST_TOLD = 5

/** The chain of a session, and those of its project that no live session has. */
export async function chainsFor(
  tx: Tx,
  { project, native_id }: { readonly project: { readonly id: number }; readonly native_id: string | null },
  context: Context,
): Promise<{ readonly own: Frames | undefined; readonly free: readonly Frames[] }> {
  const own = native_id === null ? undefined : await ownChain(tx, { native_id })
  const free: Frames[] = []
  for (const { chain_id } of await findChains(tx, {
    project_id: project.id,
    open: true,
    limit: MOST_SHOWN,
  })) {
    if (chain_id === own?.[0]?.chain_id || free.length === MOST_TOLD) continue
    const frames = await framesOf(tx, chain_id)
    if (!(await isAtWork(tx, frames, context))) free.push(frames)
  }
  return { own, free }
}

/** Whether the session of a chain is open and was heard lately. */
async function isAtWork(tx: Tx, frames: Frames, context: Context): Promise<boolean> {
  const native_id = frames.findLast((one) => one.ended_at === null)?.session_id ?? null
  const row = native_id === null ? undefined : await findOpenByNative(tx, { native_id })
  return row !== undefined && !heldBy(row, context).isSilent
}
