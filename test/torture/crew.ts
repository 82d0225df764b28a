import { setTimeout as sleep } from 'node:timers/promises'
import { RemoteError, type RpcConnection } from '../../src/rpc/connect.ts'

/** How many workers do how many items, at several daemons of one database. */
export interface Crew {
  readonly connections: readonly Pick<RpcConnection, 'call'>[]
  readonly effort_id: number
  readonly workers: number
  /** One in so many turns lasts longer than the lease. */
  readonly late: number
  /** Set for a planted bug: late workers report with the fence that the item has now. */
  readonly naive?: boolean
  /** Items that fail whatever a worker does. */
  readonly bad: ReadonlySet<string>
}

interface Item {
  readonly item: string
  readonly fence: number
  readonly attempts: number
  readonly worker: string
}

const LEASE_SECONDS = 1
const LATE_MILLISECONDS = 1300

/** What a crew did, and what must never happen. */
export interface CrewResult {
  readonly turns: number
  /** Turns that lasted longer than their lease. */
  readonly late: number
  /** Reports that were refused because somebody else had the item. */
  readonly stale: number
  readonly violations: readonly string[]
}

/** Lets workers take and end items until nothing is left, some of them too late. */
export async function crewRun(crew: Crew): Promise<CrewResult> {
  const { connections, effort_id, workers, bad } = crew
  const seen = { turns: 0, late: 0, stale: 0 }
  const violations: string[] = []
  const done = new Map<string, string>()

  async function turn(connection: Crew['connections'][number], worker: string, item: Item): Promise<void> {
    seen.turns++
    const isLate = seen.turns % crew.late === 0
    if (isLate) {
      seen.late++
      await sleep(LATE_MILLISECONDS)
    }
    const now =
      isLate && crew.naive === true
        ? await connection.call('work.show', { effort_id, item: item.item })
        : item
    const outcome = bad.has(item.item) ? 'failed' : 'done'
    const told = await connection
      .call('work.report', {
        effort_id,
        item: item.item,
        fence: (now as Item).fence,
        outcome,
        reason: 'as ever',
      })
      .catch((error: unknown) => {
        if (!(error instanceof RemoteError)) throw error
        return undefined
      })
    const answer = told as (Item & { readonly moved: boolean }) | undefined
    if (answer === undefined) return void seen.stale++
    if (!answer.moved) return
    if (answer.worker !== worker)
      violations.push(`${worker} ended item ${item.item}, which ${answer.worker} had`)
    if (outcome !== 'done') return
    if (done.has(item.item))
      violations.push(`item ${item.item} was done by ${done.get(item.item)} and ${worker}`)
    done.set(item.item, worker)
  }

  await Promise.all(
    Array.from({ length: workers }, async (_, index) => {
      const worker = `w${index}`
      const connection = connections[index % connections.length]
      for (;;) {
        const params = { effort_id, worker, lease_seconds: LEASE_SECONDS }
        const claimed = (await connection?.call('work.claim', params)) as { item: Item | null; over: boolean }
        if (connection === undefined || claimed.over) return
        if (claimed.item === null) await sleep(50)
        else await turn(connection, worker, claimed.item)
      }
    }),
  )
  return { ...seen, violations }
}

/** A graph in which each item waits for up to two before it. */
export const crewItems = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    item: `i${at}`,
    title: `Item ${at}`,
    limit: 100,
    blocked_by: at < 6 ? [] : [...new Set([`i${Math.floor(at / 2)}`, `i${at - 6}`])],
  }))
