import * as z from 'zod'
import { callIn } from '../../model/chain/declared.ts'
import { currentOf, nextOf, type StoredFrame, standOf } from '../../model/chain/stored.ts'
import {
  type Added,
  drop as dropAll,
  type Frames,
  park as parkAll,
  push as pushInto,
  resume as resumeAll,
} from '../../model/chain/move.ts'
import { noSkill } from '../../model/chain/told.ts'
import { type ChainView, viewOf } from '../../model/chain/view.ts'
import { isAdHoc } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { findChains } from '../../store/continuation.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import type { Context } from '../call/context.ts'
import { optionalHere, rootAround } from '../call/here.ts'
import { type Call, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import {
  chainMeant,
  type ChainWish,
  knowsNext,
  ownChain,
  projectOf,
  refuseForeign,
  refuseLive,
  refuseSubagent,
} from '../effort/chain-meant.ts'
import { beginChain, bringChain, framesOf, moveChain } from '../effort/frames.ts'

const wish = {
  chain_id: p.id.optional().describe('The chain. Default: that of the session, else the only one here.'),
  native_id: p.name.optional().describe("The client's id of the session that calls."),
  cwd: p.cwd.optional().describe('The folder that the caller works in; used to find the chain.'),
}

interface Given {
  readonly chain_id?: number | undefined
  readonly native_id?: string | undefined
  readonly cwd?: string | undefined
}

const prepare = async (context: Context, { chain_id, native_id, cwd }: Given): Promise<ChainWish> => ({
  chain_id,
  native_id,
  here: await optionalHere(context, 'cwd', cwd),
})

const MOST_PUSHED = 20

export const push = method({
  name: 'continuation.push',
  summary: 'Put skills before the rest of a chain; they run next, in order. Without a chain, they begin one.',
  effect: 'durable',
  params: z.strictObject({
    calls: z
      .array(p.words(10_000))
      .min(1)
      .max(MOST_PUSHED)
      .describe('The calls, such as `/commit all of it`.'),
    ...wish,
  }),
  prepare,
  async run(tx, { calls }, call) {
    const frames = calls.map(frameIn)
    const { prepared } = call
    refuseSubagent(prepared)
    const known =
      prepared.chain_id === undefined ? await ownChain(tx, prepared) : await chainMeant(tx, prepared)
    if (known === undefined || standOf(known) === 'ended')
      return await viewAt(tx, await begin(tx, frames, call), call)
    refuseForeign(known, prepared)
    const by = currentOf(known)?.id ?? null
    return await viewAt(tx, await moveChain(tx, idOf(known), (now) => pushInto(now, frames, by), call), call)
  },
})

export const next = method({
  name: 'continuation.next',
  summary: 'Show a chain with the exact next call.',
  effect: 'read',
  params: z.strictObject(wish),
  prepare,
  run: async (tx, _, call) => await viewAt(tx, await chainMeant(tx, call.prepared), call),
})

export const list = method({
  name: 'continuation.list',
  summary: 'List the chains of a project, newest first: those that run or are parked, or all of them.',
  effect: 'read',
  params: z.strictObject({
    native_id: p.name.optional().describe('Only chains of this session of a client.'),
    cwd: wish.cwd,
    ended: z.boolean().default(false).describe('List ended chains too.'),
    limit: p.limit,
  }),
  prepare,
  async run(tx, { native_id, ended, limit }, call) {
    const { here } = call.prepared
    const project_id = here === undefined ? undefined : (await projectOf(tx, here)).id
    const found = await findChains(tx, { project_id, session_id: native_id, open: !ended, limit })
    const chains: ChainView[] = []
    for (const { chain_id } of found) chains.push(await viewAt(tx, await framesOf(tx, chain_id), call))
    return chains
  },
})

export const drop = method({
  name: 'continuation.drop',
  summary: 'Drop everything of a chain that has not ended. Nothing of it runs any more.',
  effect: 'durable',
  params: z.strictObject({ ...wish, reason: p.words(2000).describe('Why it is dropped.') }),
  prepare,
  async run(tx, { reason }, call) {
    const frames = await chainMeant(tx, call.prepared)
    return viewOf(await moveChain(tx, idOf(frames), (now) => dropAll(now, reason), call))
  },
})

export const resume = method({
  name: 'continuation.resume',
  summary: 'Let a parked chain go on, in the session that calls.',
  effect: 'durable',
  params: z.strictObject({
    ...wish,
    as: p.skillName
      .optional()
      .describe('The skill to run in place of the next one, which is parked or not there.'),
    take: z.boolean().default(false).describe('Take the chain also from a session that is at work.'),
  }),
  prepare,
  async run(tx, { native_id, as, take }, call) {
    refuseSubagent(call.prepared)
    const frames = await chainMeant(tx, call.prepared)
    if (standOf(frames) === 'ended') throw hasEnded(frames)
    await refuseLive(tx, frames, { native_id, take }, call.context)
    if (as !== undefined && standOf(frames) === 'running') await parkMissing(tx, frames, call)
    const moved = await moveChain(tx, idOf(frames), (now) => resumeAll(now, as), call)
    const brought = native_id === undefined ? moved : await bringChain(tx, idOf(frames), native_id, call)
    return await viewAt(tx, brought, call)
  },
})

/** A chain for a caller, who may be in a workplace without its next skill. */
const viewAt = async (tx: Tx, frames: Frames, { prepared: { here } }: Call<ChainWish>): Promise<ChainView> =>
  viewOf(frames, await knowsNext(tx, frames, await workplaceAt(tx, here)))

const workplaceAt = async (tx: Tx, here: ChainWish['here']): Promise<number | undefined> =>
  here === undefined ? undefined : (await rootAround(tx, here))?.workplace?.id

/** A chain that runs takes a skill only in place of one that is not there, as if it had been parked before it. */
async function parkMissing(tx: Tx, frames: Frames, call: Call<ChainWish>): Promise<void> {
  const missing = nextOf(frames)
  const isKnown = await knowsNext(tx, frames, await workplaceAt(tx, call.prepared.here))
  if (missing === undefined || isKnown)
    throw new EngineError('conflict', `Chain ${idOf(frames)} runs, and no skill of it is missing.`, {
      field: 'as',
      hint: `holdfast chain next ${idOf(frames)}`,
    })
  await moveChain(tx, idOf(frames), (now) => parkAll(now, noSkill(missing.skill)), call)
}

const idOf = (frames: Frames): number => frames[0]?.chain_id ?? 0

function frameIn(text: string): Added {
  const call = callIn(text)
  if (call === undefined)
    throw new EngineError(
      'invalid',
      `${JSON.stringify(text)} is not one call of a skill, such as "/commit all of it".`,
      {
        field: 'calls',
        hint: 'holdfast help chain push',
      },
    )
  return { ...call, ...BLANK }
}

/** A chain of what the session does now and the new frames. */
async function begin(tx: Tx, frames: readonly Added[], call: Call<ChainWish>): Promise<Frames> {
  const { native_id, here } = call.prepared
  const row = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  if (row === undefined || here === undefined)
    throw new EngineError('invalid', 'Only a session of a client can begin a chain.', {
      field: 'native_id',
      hint: 'holdfast chain list',
    })
  const { id: project_id } = await projectOf(tx, here)
  const effort = await findEffort(tx, { id: row.effort_id })
  const own = effort?.lifecycle === 'active' && !isAdHoc(toEffort(effort)) ? effort : undefined
  const current: readonly Added[] =
    own === undefined ? [] : [{ ...BLANK, skill: own.skill, args: own.request ?? '' }]
  const first = own === undefined ? undefined : { effort_id: own.id }
  const about = { project_id, session_id: row.native_id, task_id: own?.task_id ?? null }
  return await beginChain(tx, { ...about, frames: [...current, ...frames], first }, call)
}

const BLANK = { context: '', on_error: null, level: 'wrapped' } as const satisfies Partial<StoredFrame>

const hasEnded = (frames: Frames) =>
  new EngineError('conflict', `Chain ${idOf(frames)} has ended.`, {
    field: 'chain_id',
    hint: 'holdfast chain list',
  })
