import { query, queryOne, type Tx } from './query.ts'
import type { KnownKey } from './volatile.ts'

export interface StoredKey {
  readonly key: string
  readonly method: string
  readonly digest: string
  readonly intent: string | null
  readonly result: string | null
}

export const findKey = queryOne<{ key: string }, StoredKey>((db, p) =>
  db
    .selectFrom('idempotency_keys')
    .select(['key', 'method', 'digest', 'intent', 'result'])
    .where('key', '=', p.key),
)

export const insertKey = query<StoredKey & { readonly now: string }, unknown>((db, p) =>
  db.insertInto('idempotency_keys').values({
    key: p.key,
    method: p.method,
    digest: p.digest,
    intent: p.intent,
    result: p.result,
    created_at: p.now,
  }),
)

/** Replaces the intent, because the text will be at another offset. */
export const setIntent = query<{ key: string; intent: string }, unknown>((db, p) =>
  db.updateTable('idempotency_keys').set({ intent: p.intent }).where('key', '=', p.key),
)

/** Returns nothing if the call has another intent by now. */
export const setResult = queryOne<{ key: string; intent: string; result: string }, { key: string }>((db, p) =>
  db
    .updateTable('idempotency_keys')
    .set({ result: p.result })
    .where('key', '=', p.key)
    .where('intent', '=', p.intent)
    .returning('key'),
)

export const forgetKeysBefore = query<{ before: string }, unknown>((db, p) =>
  db.deleteFrom('idempotency_keys').where('created_at', '<', p.before),
)

const insertKnown = query<KnownKey, unknown>((db, p) =>
  db
    .insertInto('idempotency_keys')
    .values({ key: p.key, method: p.method, digest: p.digest, result: p.result })
    .onConflict((oc) => oc.column('key').doNothing()),
)

export async function flushKeys(tx: Tx, keys: ReadonlyMap<string, KnownKey>): Promise<void> {
  for (const known of keys.values()) await insertKnown(tx, known)
}
