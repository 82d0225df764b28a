import { keyReused } from '../../model/error.ts'
import type { TransactOptions } from '../../store/database.ts'
import { findKey, insertKey } from '../../store/key.ts'
import type { Tx } from '../../store/query.ts'
import type { Context } from './context.ts'

/** A call that may have been made before. */
export interface Keyed {
  readonly method: { readonly name: string; readonly effect: string }
  readonly key: string | undefined
  readonly digest: string
}

/** What is known of a call: its answer, or what it meant to do. */
export type Known = { readonly result: unknown } | { readonly intent: unknown }

/** Gives what is known of the call by its key; refuses a key that another call has used. */
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

/** Keeps the answer of a call under its key, as long-lived as what the call has changed. */
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

/** The same in memory, which is on disk within a second. */
export function rememberInMemory({ store }: Context, { key, method, digest }: Keyed, result: unknown): void {
  if (key !== undefined)
    store.volatile.remember({ key, method: method.name, digest, result: asStored(result) })
}

const asStored = (result: unknown): string => JSON.stringify(result ?? null)

/** Ends the preparation of a call that was answered before. */
class Answered extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('The call was answered before.')
    this.result = result
  }
}

/** What a repetition must know of what the first call intended: ids by name. */
export type Intended = Readonly<Record<string, number>>

/** The one read that may come before the transaction of a call; a repetition is told what the first call meant. */
export type Look = <T>(read: (tx: Tx, meant: Intended) => Promise<T>) => Promise<T>

/** Does what comes before the transaction of a call; gives the answer instead where the call was made before. */
export async function prepared<T>(
  context: Context,
  keyed: Keyed,
  prepare: (look: Look) => Promise<T>,
  options: TransactOptions,
): Promise<{ readonly prepared: T } | { readonly result: unknown }> {
  const look: Look = (read) =>
    context.store.transact(
      async (tx) => {
        const known = await recall(tx, context, keyed)
        if (known !== undefined && 'result' in known) throw new Answered(known.result)
        return await read(tx, (known?.intent as { readonly meant: Intended | null } | undefined)?.meant ?? {})
      },
      { ...options, reads: true, repeatable: true },
    )
  try {
    return { prepared: await prepare(look) }
  } catch (error) {
    if (error instanceof Answered) return error
    // What the call was about may be gone since it was answered.
    const known = await recallAlone(context, keyed, options)
    if (known !== undefined && 'result' in known) return known
    throw error
  }
}

/** The same as `recall`, with a transaction of its own. */
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
