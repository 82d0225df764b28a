import type { Selectable } from 'kysely'
import type { Agent } from '../model/agent.ts'
import { fromJson } from './json.ts'
import { locked, query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'

type Row = Selectable<Tables['agents']>

export const toAgent = ({ id, label, claims, effort_id }: Row): Agent => ({
  id,
  label,
  claims: fromJson<readonly string[]>(claims, []),
  effort_id,
})

/** Registering again changes only the given fields. */
export const upsertAgent = queryOne<
  { id: string; label: string | null; claims: string | null; now: string },
  Row
>((db, p) =>
  db
    .insertInto('agents')
    .values({ id: p.id, label: p.label, claims: p.claims, registered_at: p.now })
    .onConflict((oc) =>
      oc.column('id').doUpdateSet((eb) => ({
        label: eb.fn.coalesce('excluded.label', 'agents.label'),
        claims: eb.fn.coalesce('excluded.claims', 'agents.claims'),
      })),
    )
    .returningAll(),
)

export const findAgent = queryOne<{ id: string }, Row>((db, p) =>
  db.selectFrom('agents').selectAll().where('id', '=', p.id),
)

export const lockAgent = queryOne<{ id: string }, Row>((db, p, kind) =>
  locked(db.selectFrom('agents').selectAll().where('id', '=', p.id), kind),
)

export const findOwner = queryOne<{ effort_id: number }, Row>((db, p) =>
  db.selectFrom('agents').selectAll().where('effort_id', '=', p.effort_id),
)

export const setAgentEffort = query<{ id: string; effort_id: number | null }, unknown>((db, p) =>
  db.updateTable('agents').set({ effort_id: p.effort_id }).where('id', '=', p.id),
)

/** An agent with its effort and session, if any. */
export interface AgentAtWork extends Row {
  readonly skill: string | null
  readonly ordinal: number | null
  readonly current_phase: string | null
  readonly task_id: string | null
}

export const listAgents = query<object, AgentAtWork>((db) =>
  db
    .selectFrom('agents')
    .leftJoin('efforts', 'efforts.id', 'agents.effort_id')
    .selectAll('agents')
    .select(['efforts.skill', 'efforts.ordinal', 'efforts.current_phase', 'efforts.task_id'])
    .orderBy('agents.id'),
)
