import { type Selectable, sql } from 'kysely'
import type { Delegation } from '../model/delegation.ts'
import { fromJson } from './json.ts'
import { delegationChange } from './open-windows.ts'
import { query, queryOne } from './query.ts'
import type { Tables } from './schema.ts'
import { SESSION_COLUMNS, type SessionRow } from './session.ts'

type Row = Selectable<Tables['delegations']>

export const toDelegation = ({
  call_id: call,
  skill,
  effort_id,
  steps,
  agent_id,
  stopped,
  request,
}: Row): Delegation => ({
  call,
  skill,
  effort: effort_id ?? undefined,
  steps: fromJson<readonly string[]>(steps, []),
  agent: agent_id ?? undefined,
  stopped: fromJson<readonly string[]>(stopped, []),
  request: request ?? undefined,
})

/** Inserts nothing if the call is already known. */
export const insertDelegation = delegationChange<
  {
    session_id: string
    call_id: string
    skill: string
    effort_id: number | null
    steps: string
    request?: string | undefined
    prompt_id?: string | undefined
    now: string
  },
  Row
>((db, p) =>
  db
    .insertInto('delegations')
    .values({
      session_id: p.session_id,
      call_id: p.call_id,
      skill: p.skill,
      effort_id: p.effort_id,
      steps: p.steps,
      request: p.request ?? null,
      prompt_id: p.prompt_id ?? null,
      created_at: p.now,
    })
    .onConflict((oc) => oc.columns(['session_id', 'call_id', 'skill']).doNothing())
    .returningAll(),
)

/** Open delegations of a client session, oldest first. */
export const openDelegations = query<{ session_id: string }, Row>((db, p) =>
  db
    .selectFrom('delegations')
    .selectAll()
    .where('session_id', '=', p.session_id)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('call_id'),
)

/** Open delegations of an effort, of all sessions. */
export const delegationsOfEffort = query<{ effort_id: number }, Row>((db, p) =>
  db
    .selectFrom('delegations')
    .selectAll()
    .where('effort_id', '=', p.effort_id)
    .where('ended_at', 'is', null)
    .orderBy('call_id'),
)

interface Key {
  readonly session_id: string
  readonly call_id: string
  readonly skill: string
}

export const setDelegationAgents = delegationChange<
  Key & { agent_id: string | null; stopped: string | null },
  unknown
>((db, p) =>
  db
    .updateTable('delegations')
    .set({ agent_id: p.agent_id, stopped: p.stopped })
    .where('session_id', '=', p.session_id)
    .where('call_id', '=', p.call_id)
    .where('skill', '=', p.skill),
)

export const setDelegationSteps = delegationChange<Key & { steps: string }, unknown>((db, p) =>
  db
    .updateTable('delegations')
    .set({ steps: p.steps })
    .where('session_id', '=', p.session_id)
    .where('call_id', '=', p.call_id)
    .where('skill', '=', p.skill),
)

export const endDelegation = delegationChange<Key & { outcome: 'ok' | 'failed'; now: string }, Row>((db, p) =>
  db
    .updateTable('delegations')
    .set({ outcome: p.outcome, ended_at: p.now })
    .where('session_id', '=', p.session_id)
    .where('call_id', '=', p.call_id)
    .where('skill', '=', p.skill)
    .where('ended_at', 'is', null)
    .returningAll(),
)

/** The next skill call of a prompt that no sub-agent has; oldest first. */
export const nextFork = queryOne<{ session_id: string; prompt_id: string }, Row>((db, p) =>
  db
    .selectFrom('delegations')
    .selectAll()
    .where('session_id', '=', p.session_id)
    .where('prompt_id', '=', p.prompt_id)
    .where('request', 'is not', null)
    .where('agent_id', 'is', null)
    .where('ended_at', 'is', null)
    .orderBy('created_at')
    .orderBy('call_id')
    .limit(sql.lit(1)),
)

/** Gives a skill call to a sub-agent, unless another one was faster. */
export const takeFork = delegationChange<Key & { agent_id: string }, Row>((db, p) =>
  db
    .updateTable('delegations')
    .set({ agent_id: p.agent_id })
    .where('session_id', '=', p.session_id)
    .where('call_id', '=', p.call_id)
    .where('skill', '=', p.skill)
    .where('agent_id', 'is', null)
    .returningAll(),
)

/** The last windows of scopes that wait for sub-agents of their own. */
export const delegatingScopesOf = query<{ scope_of: string }, SessionRow>((db, p) =>
  db
    .selectFrom('sessions')
    .select(SESSION_COLUMNS)
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('sessions as own')
        .innerJoin('delegations', 'delegations.session_id', 'own.native_id')
        .select((of) => of.fn.max('own.id').as('id'))
        .where('own.scope_of', '=', p.scope_of)
        .where('delegations.ended_at', 'is', null)
        .groupBy('own.native_id'),
    )
    .orderBy('id'),
)
