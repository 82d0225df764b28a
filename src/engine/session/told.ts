import type { Change } from '../../model/change.ts'
import { MOST_TOLD, toldAfter } from '../../model/directive.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import type { Session } from '../../model/session.ts'
import { findEffort, setDiscoveredDirectives, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { setContextTold, setLostEfforts, setToldDirectives } from '../../store/watch.ts'
import type { Call } from '../call/method.ts'
import { type ProjectSession, recordIn } from './project-session.ts'

/** Stores with the session which notices it got and which tool calls have an unknown outcome. */
export async function markSession(
  tx: Tx,
  change: Extract<Change, { kind: 'context.told' | 'directives.told' | 'losses.told' | 'calls.unknown' }>,
  at: ProjectSession,
  call: Call,
): Promise<Session> {
  const { session } = at
  const { volatile } = call.context.store
  const record = (entry: LedgerEntry) => recordIn(tx, at, { effort_id: session.effort_id, ...entry }, call)
  switch (change.kind) {
    case 'context.told': {
      const { mark, usage } = change
      await setContextTold(tx, volatile, { id: session.id, mark })
      if (mark > session.context_told)
        await record({ event_type: 'context.warned', payload: { mark, usage } })
      return { ...session, context_told: mark }
    }
    case 'directives.told': {
      const { effort_id: effort, told_directives: before } = session
      const told_directives = toldAfter(
        before,
        change.told.map(({ path, how }) => ({ path, how, effort })),
      )
      await setToldDirectives(tx, volatile, { id: session.id, told: JSON.stringify(told_directives) })
      const told = change.told.filter(({ how }) => how !== 'refused')
      // What was told to an earlier effort is not told again.
      const news = told.filter(({ path, how }) => !before.some((one) => one.path === path && one.how === how))
      if (news.length > 0) await record({ event_type: 'directive.told', payload: { told: news } })
      await discover(
        tx,
        session.effort_id,
        told.map(({ path }) => path),
      )
      return { ...session, told_directives }
    }
    case 'losses.told':
      await setLostEfforts(tx, volatile, { id: session.id, lost: null })
      return { ...session, lost_efforts: [] }
    case 'calls.unknown':
      for (const { id, tool, what } of change.calls)
        await record({ event_type: 'tool.unknown', payload: { id, tool, what } })
      volatile.add(session.id, { calls: [{ ended: 'all' }] })
      return { ...session, open_calls: [] }
    default:
      return change satisfies never
  }
}

/** An effort knows the directives that its sessions were told, so that it can be checked against them. */
async function discover(tx: Tx, effortId: number, paths: readonly string[]): Promise<void> {
  const row = paths.length === 0 ? undefined : await findEffort(tx, { id: effortId })
  if (row === undefined) return
  const { id, discovered_directives: before } = toEffort(row)
  const all = [...new Set([...before, ...paths])].slice(-MOST_TOLD)
  if (all.length > before.length) await setDiscoveredDirectives(tx, { id, paths: JSON.stringify(all) })
}
