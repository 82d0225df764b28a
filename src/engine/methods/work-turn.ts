import * as z from 'zod'
import { ITEM_OUTCOMES } from '../../model/work/item.ts'
import { LONGEST_LEASE, USUAL_LEASE } from '../../model/work/lease.ts'
import type { Tx } from '../../store/query.ts'
import { findWorkItem } from '../../store/work.ts'
import { itemOf, renewItem } from '../../store/work-lease.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import type { ItemKey } from '../work/around.ts'
import { bodyMeant, bodyWish, lockAny, whereFrom } from '../work/body.ts'
import { isOver } from '../effort/body-counts.ts'
import { endTurn, existing, staleFence, takeBackExpired, takeItem } from '../work/turn.ts'
import { type WholeItem, wholeItem } from '../work/view.ts'

const leaseSeconds = z
  .int()
  .min(1)
  .max(LONGEST_LEASE)
  .default(USUAL_LEASE)
  .describe('How long the lease holds unless it is renewed, by the clock of the database.')

const held = {
  ...bodyWish,
  item: p.name.describe('The item.'),
  fence: p.id.describe('The fence that the claim gave.'),
}

export const claim = method({
  name: 'work.claim',
  summary: 'Take the next open item of a body of work, or again the one that the caller has.',
  effect: 'durable',
  params: z.strictObject({
    ...bodyWish,
    ...p.caller,
    item: p.name.optional().describe('The item that is meant. Default: the first open one.'),
    worker: p.name.optional().describe('Who takes it. Default: the agent or the session that calls.'),
    lease_seconds: leaseSeconds,
  }),
  prepare: whereFrom,
  async run(tx, { item: wanted, worker, agent_id, native_id, lease_seconds: seconds }, call) {
    const meant = await bodyMeant(tx, call.prepared)
    const effort_id = meant.id
    // Another worker may end the last item right now.
    const effort = await lockAny(tx, meant)
    if (effort.lifecycle === 'finished') return { effort_id, item: null, resumed: false, over: true }
    await takeBackExpired(tx, effort, call)
    const who = worker ?? agent_id ?? native_id ?? 'terminal'
    const own = wanted === undefined ? (await itemOf(tx, { effort_id, worker: who }))?.item : undefined
    if (own !== undefined)
      return { effort_id, item: await itemIn(tx, { effort_id, item: own }), resumed: true, over: false }
    const item = await takeItem(tx, effort, { item: wanted, worker: who, seconds }, call)
    if (item === undefined)
      return { effort_id, item: null, resumed: false, over: await isOver(tx, effort_id) }
    return { effort_id, item: await itemIn(tx, { effort_id, item }), resumed: false, over: false }
  },
})

export const renew = method({
  name: 'work.renew',
  summary: 'Hold on to an item: renew its lease. Refused once somebody else has it.',
  effect: 'beat',
  params: z.strictObject({ ...held, lease_seconds: leaseSeconds }),
  prepare: whereFrom,
  async run(tx, { item, fence, lease_seconds: seconds }, call) {
    const { id: effort_id } = await bodyMeant(tx, call.prepared)
    const lent = await renewItem(tx, { effort_id, item, fence, seconds, now: call.now })
    if (lent === undefined)
      throw staleFence({ effort_id, item, fence }, await existing(tx, { effort_id, item }))
    return { effort_id, item, ...lent }
  },
})

export const report = method({
  name: 'work.report',
  summary: 'Say how an item ended. A stale fence changes nothing.',
  effect: 'durable',
  params: z.strictObject({
    ...held,
    outcome: z.enum(ITEM_OUTCOMES).describe('`blocked` asks the user; `released` gives it back untried.'),
    reason: p.words(2000).optional().describe('What was done, or what stopped it.'),
  }),
  prepare: whereFrom,
  async run(tx, { item, fence, outcome, reason }, call) {
    const meant = await bodyMeant(tx, call.prepared)
    const effort_id = meant.id
    const effort = await lockAny(tx, meant)
    const moved = await endTurn(tx, effort, { effort_id, item, fence, outcome, reason }, call)
    return { ...(await itemIn(tx, { effort_id, item })), moved, over: await isOver(tx, effort_id) }
  },
})

async function itemIn(tx: Tx, key: ItemKey): Promise<WholeItem> {
  const row = await findWorkItem(tx, key)
  if (row === undefined) throw new Error('The item is gone.')
  return await wholeItem(tx, row)
}
