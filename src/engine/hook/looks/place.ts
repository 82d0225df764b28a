import type { HookEvent } from '../../../model/event.ts'
import type { Tx } from '../../../store/query.ts'
import type { Store } from '../../../store/store.ts'
import { rootAt } from '../../call/here.ts'
import { locationOf } from '../../skill/arrival.ts'
import { knownDigests, readFiles } from '../../skill/sync.ts'
import type { Look, Looked, Looking } from './look.ts'

/** The folder of the client; for skill calls and session starts also the skills on disk. */
export const place: Look = {
  find: (looking) =>
    isCall(looking.found) || !isKnown(looking.context.store, looking.event)
      ? locationOf(looking.context, looking.event.cwd).then((found) => ({ place: found }))
      : undefined,
  ask({ context, event, found }) {
    const { place: at } = found
    // Events of sub-agents and events without a session need no place.
    const isOurs = event.session !== undefined && event.subagent === undefined
    if (at === undefined || !isOurs || !isCall(found)) return undefined
    return async (tx) => {
      const { path: root, known } = await rootAt(tx, { ...at, ...context.machine })
      const digests = await knownDigests(tx, known?.workplace?.id)
      return async () => ({ place: { ...at, reading: await readFiles(context, root, digests) } })
    }
  },
}

const isCall = ({ invocations, event }: Looked): boolean =>
  invocations.length > 0 || event.kind === 'session.started'

/** Sessions whose place is in the store, so that not every hook reads the disk. */
const known = new WeakMap<Store, Set<string>>()
const MOST_KNOWN = 10_000

const isKnown = (store: Store, { session }: HookEvent): boolean =>
  session !== undefined && known.get(store)?.has(session) === true

/** Marks the place of this session as stored, unless the transaction is rolled back. */
export function rememberPlace(tx: Tx, { context, event }: Pick<Looking, 'context' | 'event'>): void {
  const { session, subagent } = event
  if (session === undefined || subagent !== undefined) return
  const sessions = known.get(context.store) ?? new Set<string>()
  if (sessions.size >= MOST_KNOWN) sessions.clear()
  known.set(context.store, sessions.add(session))
  tx.onRollback(() => void sessions.delete(session))
}
