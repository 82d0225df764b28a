import { accepts } from '../../model/agent.ts'
import type { Effort } from '../../model/effort.ts'
import { isTerminal } from '../../model/session.ts'
import { findAgent, toAgent } from '../../store/agent.ts'
import type { Tx } from '../../store/query.ts'
import { lastHoldersIn, openInProject } from '../../store/holder.ts'
import type { Volatile } from '../../store/volatile.ts'

interface Heard {
  readonly id: number
  readonly native_id: string | null
  readonly agent_id: string | null
  readonly heard_at: string
}

/** The efforts that other open sessions serve, return to after a called skill, or began before. */
export async function heldByOthers(
  tx: Tx,
  scene: {
    readonly projectId: number
    /** The session of the caller. */
    readonly window: number | undefined
    /** Sessions without activity since then are stale. */
    readonly since: string
    /** Whether a stale session of a client holds its effort too; its client may only be waiting. */
    readonly countsStale?: boolean
    readonly volatile: Volatile
  },
): Promise<ReadonlySet<number>> {
  const { projectId, window, since, countsStale = false, volatile } = scene
  // A log entry is activity that only the database knows.
  const isHeard = (id: number, heardAt: string) => heardAt >= since || (volatile.heardAt(id) ?? '') >= since
  const isOther = (one: Heard) =>
    one.id !== window &&
    ((countsStale && one.native_id !== null) || isTerminal(one) || isHeard(one.id, one.heard_at))
  const others = (await openInProject(tx, { project_id: projectId })).filter(isOther)
  const earlier = (await lastHoldersIn(tx, { project_id: projectId })).filter(isOther)
  return new Set([
    ...others.flatMap(({ effort_id, waits_for }) =>
      waits_for === null ? [effort_id] : [effort_id, waits_for],
    ),
    ...earlier.map(({ effort_id }) => effort_id),
  ])
}

/** The efforts among these that `session continue` gives to the caller. */
export async function resumableBy(
  tx: Tx,
  efforts: readonly Effort[],
  scene: Omit<Parameters<typeof heldByOthers>[1], 'countsStale'> & { readonly agent_id: string | null },
): Promise<readonly Effort[]> {
  if (efforts.length === 0) return []
  const { agent_id } = scene
  const row = agent_id === null ? undefined : await findAgent(tx, { id: agent_id })
  const held = await heldByOthers(tx, scene)
  return efforts.filter(({ id, skill, agent_id: owner }) => {
    if (owner !== null) return owner === agent_id
    return !held.has(id) && (row === undefined || accepts(toAgent(row), skill))
  })
}
