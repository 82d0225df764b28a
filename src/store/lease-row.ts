import { sql } from 'kysely'
import { query, queryOne } from './query.ts'

/** How long a claim holds unless it is renewed, by the clock of the database. */
export const LEASE_MILLISECONDS = 1500

/** One daemon's claim of one place. */
export interface Claim {
  readonly name: string
  /** Never the same for two claims. */
  readonly holder: string
}

export interface Claimed extends Claim {
  /** How often the place was taken over from a daemon that died or was paused. */
  readonly fence: number
}

/** Only PostgreSQL has more than one daemon, so only its clock is asked. */
const moment = (milliseconds: number) =>
  sql<string>`to_char((clock_timestamp() + ${sql.lit(milliseconds)} * interval '1 millisecond') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** Returns nothing while another holder has the name. */
export const insertLease = queryOne<Claim, { fence: number }>((db, p) =>
  db
    .insertInto('leases')
    .values({ name: p.name, holder: p.holder, expires_at: moment(LEASE_MILLISECONDS) })
    .onConflict((oc) =>
      oc
        .column('name')
        .doUpdateSet((eb) => ({
          holder: eb.ref('excluded.holder'),
          fence: sql<number>`leases.fence + 1`,
          expires_at: eb.ref('excluded.expires_at'),
        }))
        // The holder itself may have missed the answer to its claim.
        .where((eb) =>
          eb.or([
            eb('leases.expires_at', '<=', moment(0)),
            eb('leases.holder', '=', eb.ref('excluded.holder')),
          ]),
        ),
    )
    .returning('fence'),
)

/** Returns nothing if another holder has the name now. */
export const renewLease = queryOne<Claimed, { fence: number }>((db, p) =>
  db
    .updateTable('leases')
    .set({ expires_at: moment(LEASE_MILLISECONDS) })
    .where('name', '=', p.name)
    .where('holder', '=', p.holder)
    .where('fence', '=', p.fence)
    .returning('fence'),
)

export const deleteLease = query<Claimed, unknown>((db, p) =>
  db
    .deleteFrom('leases')
    .where('name', '=', p.name)
    .where('holder', '=', p.holder)
    .where('fence', '=', p.fence),
)

/** Leases of daemons that died with them, for places that nobody changed since. */
export const forgetLeasesBefore = query<{ before: string }, unknown>((db, p) =>
  db.deleteFrom('leases').where('expires_at', '<', p.before),
)
