import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { quoted } from '../../model/text/line.ts'
import type { ItemOutcome, ItemState } from '../../model/work/item.ts'
import { type Ended, endTry, take } from '../../model/work/move.ts'
import type { Tx } from '../../store/query.ts'
import { putVisit } from '../../store/step.ts'
import { findWorkItem, firstOpen, setStanding, triedItem, waitingFor } from '../../store/work.ts'
import { endItem, expiredItems, lendItem } from '../../store/work-lease.ts'
import type { Call } from '../call/method.ts'
import { aroundEnd, aroundStart, type ItemKey } from './around.ts'
import { settleBody } from './settle.ts'

interface Claim {
  /** The item that is meant; by default the first open one. */
  readonly item?: string | undefined
  readonly worker: string
  /** How long the lease holds, unless it is renewed. */
  readonly seconds: number
}

/** Gives the next open item of a locked body to a worker; undefined if none is open. */
export async function takeItem(
  tx: Tx,
  effort: Effort,
  { item: wanted, worker, seconds }: Claim,
  call: Call,
): Promise<string | undefined> {
  const effort_id = effort.id
  const item = wanted ?? (await firstOpen(tx, { effort_id }))?.item
  if (item === undefined) return undefined
  const row = await existing(tx, { effort_id, item })
  if (row.state !== 'open') throw notOpen({ effort_id, item }, row)
  const entered = take(await aroundStart(tx, { effort_id, item }), item)
  if (!entered.ok)
    throw new EngineError('refused', entered.why, { field: 'item', hint: listCommand(effort_id) })
  const lent = await lendItem(tx, { effort_id, item, worker, seconds, now: call.now })
  if (lent === undefined) throw notOpen({ effort_id, item }, row)
  const attempt = entered.progress.visits[item]?.attempts ?? 1
  await putVisit(tx, {
    effort_id,
    step: item,
    attempts: attempt,
    now: call.now,
    completed_at: null,
    outcome: null,
  })
  await call.record(tx, {
    event_type: 'step.started',
    skill: effort.skill,
    phase: item,
    effort_id,
    payload: { attempt, worker, fence: lent.fence },
  })
  return item
}

interface Ending extends ItemKey {
  readonly fence: number
  readonly outcome: ItemOutcome
  readonly reason?: string | undefined
}

const OUTCOMES: Readonly<Record<ItemOutcome, ItemState>> = {
  done: 'done',
  failed: 'failed',
  blocked: 'blocked',
  released: 'open',
}

/** Ends the try of an item for the worker that has it; one with a stale fence changes nothing. */
export async function endTurn(tx: Tx, effort: Effort, ending: Ending, call: Call): Promise<boolean> {
  const { effort_id, item, fence, outcome, reason } = ending
  const row = await existing(tx, ending)
  // Nobody took it since, so this is the same report once more.
  const isPast = row.fence === fence && row.state !== 'taken'
  if (isPast && (row.state === OUTCOMES[outcome] || (row.state === 'open' && outcome === 'failed')))
    return false
  if (row.fence !== fence || row.state !== 'taken') throw stale(ending, row)
  const ended = endTry(await aroundEnd(tx, ending), item, { outcome, reason })
  if (ended === undefined) throw stale(ending, row)
  const written = await endItem(tx, {
    effort_id,
    item,
    fence,
    state: ended.state,
    needs_user: outcome === 'blocked' ? 1 : 0,
    most_tries: ended.limit,
    reason: reason ?? null,
    now: call.now,
  })
  if (written === undefined) throw stale(ending, row)
  await keepVisit(tx, { effort, ending, ended, attempts: row.attempts ?? 1, worker: row.worker }, call)
  for (const opened of ended.opens)
    await setStanding(tx, { effort_id, item: opened, state: 'open', reason: null, blocker: null })
  if (ended.state === 'failed' || ended.state === 'blocked') await blockBehind(tx, effort, item, call)
  await settleBody(tx, effort, call)
  return true
}

async function keepVisit(
  tx: Tx,
  about: {
    readonly effort: Effort
    readonly ending: Ending
    readonly ended: Ended
    readonly attempts: number
    readonly worker: string | null
  },
  call: Call,
): Promise<void> {
  const { effort, ending, ended, attempts, worker } = about
  const { item, outcome, reason, fence } = ending
  await putVisit(tx, {
    effort_id: effort.id,
    step: item,
    attempts,
    now: call.now,
    completed_at: call.now,
    outcome: outcome === 'done' ? 'ok' : 'fail',
  })
  await call.record(tx, {
    event_type: outcome === 'done' ? 'step.completed' : 'step.failed',
    skill: effort.skill,
    phase: item,
    effort_id: effort.id,
    payload: {
      outcome,
      state: ended.state,
      attempt: attempts,
      worker,
      fence,
      ...(reason !== undefined && { reason }),
    },
  })
}

/** Everything that waits for an item which nobody will do is blocked, with its name. */
async function blockBehind(tx: Tx, effort: Effort, item: string, call: Call): Promise<void> {
  const effort_id = effort.id
  const blocked = new Set<string>()
  const ends = [item]
  for (let blocker = ends.pop(); blocker !== undefined; blocker = ends.pop())
    for (const { item: waiting } of await waitingFor(tx, { effort_id, blocker })) {
      const row = await triedItem(tx, { effort_id, item: waiting })
      if (row?.state !== 'waiting') continue
      await setStanding(tx, { effort_id, item: waiting, state: 'blocked', reason: null, blocker: item })
      blocked.add(waiting)
      ends.push(waiting)
    }
  if (blocked.size > 0)
    await call.record(tx, {
      event_type: 'item.blocked',
      skill: effort.skill,
      phase: item,
      effort_id,
      payload: { items: [...blocked] },
    })
}

/** Takes items back from workers that have not been heard of in time; each such try counts. */
export async function takeBackExpired(tx: Tx, effort: Effort, call: Call): Promise<readonly string[]> {
  const effort_id = effort.id
  const expired = await expiredItems(tx, { effort_id, now: call.now })
  for (const { item, fence, worker } of expired) {
    const attempt = (await triedItem(tx, { effort_id, item }))?.attempts ?? 1
    // The number keeps two of them from counting as one error that repeats itself.
    const reason = `Worker ${quoted(worker ?? '', 80)} was not heard of in time, in try ${attempt}.`
    await endTurn(tx, effort, { effort_id, item, fence, outcome: 'failed', reason }, call)
  }
  return expired.map(({ item }) => item)
}

/** An item with its visit and its worker. */
export async function existing(tx: Tx, { effort_id, item }: ItemKey) {
  const row = await findWorkItem(tx, { effort_id, item })
  const visit = await triedItem(tx, { effort_id, item })
  if (row === undefined || visit === undefined)
    throw new EngineError('not-found', `Effort ${effort_id} has no item ${quoted(item, 80)}.`, {
      field: 'item',
      hint: listCommand(effort_id),
    })
  return { ...row, attempts: visit.attempts, outcome: visit.outcome }
}

type Existing = Awaited<ReturnType<typeof existing>>

const listCommand = (effort_id: number): string => `holdfast work list --effort ${effort_id}`

const notOpen = ({ effort_id, item }: ItemKey, { state, worker, blocker, reason }: Existing): EngineError => {
  const why = {
    waiting: 'waits for others',
    open: 'is not open',
    taken: `is taken by ${quoted(worker ?? '', 80)}`,
    done: 'is done',
    failed: `has failed for good: ${reason ?? ''}`,
    blocked: blocker === null ? `needs the user: ${reason ?? ''}` : `is blocked by item ${blocker}`,
  }[state]
  return new EngineError('conflict', `Item ${item} ${why}.`, {
    field: 'item',
    hint: `holdfast work ready --effort ${effort_id}`,
  })
}

const stale = (
  { item, fence, effort_id }: ItemKey & { readonly fence: number },
  row: Existing,
): EngineError =>
  new EngineError(
    'conflict',
    row.fence === fence
      ? `The try of item ${item} has ended: it is ${row.state}. Nothing changed.`
      : row.fence > fence
        ? `Item ${item} was taken from you (fence ${fence}; now ${row.fence}), so nothing changed. Stop this work.`
        : `Item ${item} was never given out with fence ${fence}.`,
    { field: 'fence', hint: `holdfast work show ${item} --effort ${effort_id}` },
  )

/** The same for other writes of a worker. */
export const staleFence = stale
