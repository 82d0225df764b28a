import { keyReused } from '../../model/error.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import { findKey, insertKey, setIntent, setResult } from '../../store/key.ts'
import { appendsAfter, lastSeq } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import { callOf } from './moment.ts'
import { type Place } from './confine.ts'
import type { Context } from './context.ts'
import type { Call } from './method.ts'

/** A call that may have been made before. */
interface Keyed {
  readonly method: string
  readonly key: string | undefined
  readonly digest: string
}

/** Text that is to be added to a file. */
interface Append<Meant, Result> extends Keyed {
  readonly place: Place
  /** What a repetition must know of the first call, beside where and when it was. */
  readonly meant: Meant
  /** A repetition writes what the first call meant to write, with the time of that call. */
  content(now: string): string
  /** What the ledger says of it besides the place. */
  readonly about: Omit<LedgerEntry, 'event_type' | 'payload' | 'project_id'>
  answer(
    written: { readonly path: string; readonly offset: number; readonly size: number },
    now: string,
  ): Result
  /** What else changes when it is done, in the transaction that says so. */
  done?(tx: Tx, call: Call): Promise<void>
}

interface Intent<Meant> {
  readonly path: string
  readonly offset: number
  /** The ledger's entry of this intent; what comes after it was done by others. */
  readonly seq: number
  readonly now: string
  readonly meant: Meant
}

/** What is known of a call with a key: its answer, or what it meant to do. */
export async function recallAppend<Meant>(
  context: Context,
  call: Keyed,
): Promise<{ readonly result?: unknown; readonly meant?: Meant } | undefined> {
  return await context.store.transact((tx) => recall<Meant>(tx, context, call), { reads: true })
}

async function recall<Meant>(tx: Tx, { store }: Context, { method, key, digest }: Keyed) {
  if (key === undefined) return undefined
  const known = await findKey(tx, { key })
  const used = store.volatile.recall(key) ?? known
  if (used !== undefined && (used.method !== method || used.digest !== digest))
    throw keyReused(key, used.method)
  if (known === undefined) return undefined
  if (known.result !== null) return { result: JSON.parse(known.result) as unknown }
  const intent = JSON.parse(known.intent ?? '{}') as Intent<Meant>
  return { intent, meant: intent.meant }
}

/** The disk has no transactions: first what is going to happen is durable, then it happens, then that it did. */
export async function appendOnce<Meant, Result>(
  context: Context,
  wanted: Append<Meant, Result>,
): Promise<Result> {
  const { key, place, about } = wanted
  const { path, root } = place
  const begun = await intend(context, wanted)
  if ('result' in begun) return begun.result as Result
  const { now } = begun
  const content = wanted.content(now)
  const resume = await stillThere(context, wanted, { ...begun, content })
  const written = await context.files.append({ path, root, content, ...(resume !== undefined && { resume }) })
  const result = wanted.answer({ path, ...written }, now)
  await context.store.transact(async (tx) => {
    const call = callOf(context, undefined)
    await call.record(tx, {
      event_type: 'file.appended',
      project_id: place.project_id,
      ...about,
      payload: { path, offset: written.offset, bytes: Buffer.byteLength(content) },
    })
    await wanted.done?.(tx, call)
    if (key !== undefined) await setResult(tx, { key, result: JSON.stringify(result) })
  })
  return result
}

interface Resume {
  readonly at: number
  readonly before: number
}

interface Begun {
  readonly now: string
  readonly resume?: Resume
}

async function intend<Meant, Result>(
  context: Context,
  wanted: Append<Meant, Result>,
): Promise<Begun | { readonly result: unknown }> {
  const { key, method, digest, place } = wanted
  if (key === undefined) return { now: callOf(context, undefined).now }
  const offset = await context.files.size(place.path)
  return await context.store.transact(async (tx) => {
    const known = await recall<Meant>(tx, context, wanted)
    if (known?.intent !== undefined)
      return { now: known.intent.now, resume: await whatIsOurs(tx, known.intent) }
    if (known !== undefined) return { result: known.result }
    const call = callOf(context, undefined)
    const intent = await declare(tx, wanted, { offset, now: call.now }, call)
    await insertKey(tx, { key, method, digest, intent, result: null, now: call.now })
    return { now: call.now }
  })
}

/** Says in the ledger where the text is going to stand. */
async function declare<Meant, Result>(
  tx: Tx,
  { place, about, meant }: Append<Meant, Result>,
  { offset, now }: { readonly offset: number; readonly now: string },
  call: Call,
): Promise<string> {
  const { path, project_id } = place
  await call.record(tx, { event_type: 'file.appending', project_id, ...about, payload: { path, offset } })
  const intent: Intent<Meant> = { path, offset, seq: (await lastSeq(tx, {}))?.seq ?? 0, now, meant }
  return JSON.stringify(intent)
}

/**
 * Where a crash came before the first byte, the text will now stand elsewhere. That must be durable before it is
 * written there, or a second crash would be taken for the first one again, and the text be written twice.
 */
async function stillThere<Meant, Result>(
  context: Context,
  wanted: Append<Meant, Result>,
  { now, resume, content }: Begun & { readonly content: string },
): Promise<Resume | undefined> {
  const { key } = wanted
  if (key === undefined || resume === undefined) return undefined
  const { path, root } = wanted.place
  if ((await context.files.standing({ path, root, content, ...resume })) > 0) return resume
  const offset = await context.files.size(path)
  if (offset === resume.at && resume.before === Infinity) return undefined
  await context.store.transact(async (tx) => {
    const intent = await declare(tx, wanted, { offset, now }, callOf(context, undefined))
    await setIntent(tx, { key, intent })
  })
  return undefined
}

/** After a crash, the part of the file in which the text may stand: what others have added since is theirs. */
async function whatIsOurs<Meant>(tx: Tx, { path, offset, seq }: Intent<Meant>): Promise<Resume> {
  const others = (await appendsAfter(tx, { seq }))
    .map(({ payload }) => JSON.parse(payload) as Pick<Intent<Meant>, 'path' | 'offset'>)
    .filter((other) => other.path === path && other.offset >= offset)
  return { at: offset, before: Math.min(Infinity, ...others.map((other) => other.offset)) }
}
