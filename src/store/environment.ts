import { sql } from 'kysely'
import type { SessionEnvironment } from '../model/environment.ts'
import { fromJson } from './json.ts'
import { query, queryOne, type Tx } from './query.ts'

const putRow = query<{ session: string; environment: string; now: string }, unknown>((db, p) =>
  db
    .insertInto('environments')
    .values({ session_id: p.session, environment: p.environment, recorded_at: p.now })
    .onConflict((oc) =>
      oc.column('session_id').doUpdateSet((eb) => ({
        environment: eb.ref('excluded.environment'),
        recorded_at: eb.ref('excluded.recorded_at'),
      })),
    ),
)

const findRow = queryOne<{ session: string }, { environment: string }>((db, p) =>
  db.selectFrom('environments').select('environment').where('session_id', '=', p.session),
)

/** Drops the environments of sessions that began before a moment. */
export const dropEnvironmentsBefore = query<{ before: string }, unknown>((db, p) =>
  db.deleteFrom('environments').where('recorded_at', '<', p.before),
)

/** Keeps the environment that a client's session began in. */
export async function putEnvironment(
  tx: Tx,
  { session, environment, now }: { session: string; environment: SessionEnvironment; now: string },
): Promise<void> {
  await putRow(tx, { session, environment: JSON.stringify(environment), now })
}

/** The environment that a client's session began in; undefined if it is unknown. */
export async function findEnvironment(tx: Tx, session: string): Promise<SessionEnvironment | undefined> {
  const row = await findRow(tx, { session })
  return row === undefined ? undefined : fromJson<SessionEnvironment | undefined>(row.environment, undefined)
}

const findRowOn = queryOne<{ session: string; machine_id: string }, { environment: string }>((db, p) =>
  db
    .selectFrom('environments')
    .innerJoin('sessions', 'sessions.native_id', 'environments.session_id')
    .innerJoin('workplaces', 'workplaces.id', 'sessions.workplace_id')
    .select('environments.environment')
    .where('environments.session_id', '=', p.session)
    .where('workplaces.machine_id', '=', p.machine_id)
    .limit(sql.lit(1)),
)

/** The same, of a session on one machine. */
export async function findEnvironmentOn(
  tx: Tx,
  about: { readonly session: string; readonly machine_id: string },
): Promise<SessionEnvironment | undefined> {
  const row = await findRowOn(tx, about)
  return row === undefined ? undefined : fromJson<SessionEnvironment | undefined>(row.environment, undefined)
}

const findClientRow = queryOne<{ quoted: string }, { session_id: string }>((db, p) =>
  db
    .selectFrom('environments')
    .select('session_id')
    .where('environment', 'like', p.quoted)
    .orderBy('recorded_at', 'desc')
    .limit(sql.lit(1)),
)

/** The session that a process of a client began or continued last. */
export const findSessionOfClient = async (tx: Tx, id: string): Promise<string | undefined> =>
  (await findClientRow(tx, { quoted: `%"${id}"%` }))?.session_id
