import { keyReused } from '../../model/error.ts'
import type { TransactOptions } from '../../store/database.ts'
import { findKey, insertKey } from '../../store/key.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from './context.ts'

/** A call with its idempotency key. */
export interface Keyed {
  readonly method: { readonly name: string; readonly effect: string }
  readonly key: string | undefined
  readonly digest: string
}

/** What is known about a call: its result or its intent. */
export type Known = { readonly result: unknown } | { readonly intent: unknown }

/** Looks up a call by its key; rejects a key that another call used. */
export async function recall(
  tx: Tx,
  { store }: Context,
  { method, key, digest }: Keyed,
): Promise<Known | undefined> {
  if (key === undefined) return undefined
  const known = store.volatile.recall(key) ?? (await findKey(tx, { key }))
  if (known === undefined) return undefined
  if (known.method !== method.name || known.digest !== digest) throw keyReused(key, known.method)
  if (known.result !== null) return { result: JSON.parse(known.result) as unknown }
  return { intent: JSON.parse('intent' in known ? (known.intent ?? '{}') : '{}') as unknown }
}

/** Stores the result of a call under its key, as durably as its change. */
export async function remember(
  tx: Tx,
  context: Context,
  keyed: Keyed,
  { result, now }: { readonly result: unknown; readonly now: string },
): Promise<void> {
  const { key, method, digest } = keyed
  if (key === undefined) return
  if (method.effect === 'volatile') rememberInMemory(context, keyed, result)
  else
    await insertKey(tx, {
      key,
      method: method.name,
      digest,
      result: asStored(result),
      intent: null,
      now,
    })
}

/** The same in memory, on disk within a second. */
export function rememberInMemory({ store }: Context, { key, method, digest }: Keyed, result: unknown): void {
  if (key !== undefined)
    store.volatile.remember({ key, method: method.name, digest, result: asStored(result) })
}

const asStored = (result: unknown): string => JSON.stringify(result ?? null)

/** Aborts the preparation of a call that already has a result. */
class Answered extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('The call already has a result.')
    this.result = result
  }
}

/** What a repeated call must know of the first call's intent: ids by name. */
export type Intended = Readonly<Record<string, number>>

/** The one read before the transaction of a call; a repeated call gets the first call's intent. */
export type Ask = <T>(read: (tx: Tx, meant: Intended) => Promise<T>) => Promise<T>

/** Prepares a call, or returns the stored result of a repeated call. */
export async function prepared<T>(
  context: Context,
  keyed: Keyed,
  prepare: (ask: Ask) => Promise<T>,
  options: TransactOptions,
): Promise<{ readonly prepared: T } | { readonly result: unknown }> {
  const ask: Ask = (read) =>
    context.store.transact(
      async (tx) => {
        const known = await recall(tx, context, keyed)
        if (known !== undefined && 'result' in known) throw new Answered(known.result)
        return await read(tx, (known?.intent as { readonly meant: Intended | null } | undefined)?.meant ?? {})
      },
      { ...options, reads: true, repeatable: true },
    )
  try {
    return { prepared: await prepare(ask) }
  } catch (error) {
    if (error instanceof Answered) return error
    // The subject of the call may be deleted since.
    const known = await recallAlone(context, keyed, options)
    if (known !== undefined && 'result' in known) return known
    throw error
  }
}

/** `recall` in its own transaction. */
export async function recallAlone(
  context: Context,
  keyed: Keyed,
  options: TransactOptions,
): Promise<Known | undefined> {
  if (keyed.key === undefined) return undefined
  return await context.store.transact((tx) => recall(tx, context, keyed), {
    ...options,
    reads: true,
    repeatable: true,
  })
}
