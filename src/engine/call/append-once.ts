import { EngineError } from '../../model/error.ts'
import type { LedgerEntry } from '../../model/ledger.ts'
import { type Lease, LeaseLost } from '../../store/lease.ts'
import { insertKey, setIntent, setResult } from '../../store/key.ts'
import { appendsAfter, lastSeq } from '../../store/ledger.ts'
import type { Tx } from '../../store/query.ts'
import { callOf } from './moment.ts'
import type { Place } from './confine.ts'
import type { Context } from './context.ts'
import { type Keyed, type Intended, recall } from './keyed.ts'
import type { Call } from './method.ts'

/** A text to append to a file. */
export interface Append {
  readonly place: Place
  /** The folder of the file; created if missing. */
  readonly folder?: string
  readonly meant: Intended
  /** A repeated call writes the text with the time of the first call. */
  content(now: string): string
  /** Fields of the ledger entry besides the place. */
  readonly about: Omit<LedgerEntry, 'event_type' | 'payload' | 'project_id'>
  answer(
    written: { readonly path: string; readonly offset: number; readonly size: number },
    now: string,
  ): unknown
  /** Other changes, in the transaction that records the completion. */
  done?(tx: Tx, call: Call): Promise<void>
}

interface Intent {
  readonly path: string
  readonly offset: number
  /** The seq of the intent in the ledger; later entries belong to other calls. */
  readonly seq: number
  readonly now: string
  readonly meant: Intended
  /** Whose lease it was declared or taken over under, among daemons that share a disk. */
  readonly holder?: string
  readonly fence?: number
}

interface Wanted extends Append {
  readonly lease: Lease
}

/** Appends the text once. On failure, removes the folder that was created for it. */
export async function appendOnce(context: Context, keyed: Keyed, wanted: Wanted): Promise<unknown> {
  const { folder, place } = wanted
  const made = folder === undefined ? [] : await context.files.makeFolders({ path: folder, root: place.root })
  return await write(context, keyed, wanted).catch(async (error: unknown) => {
    await context.files.removeFolders(made)
    throw error
  })
}

/** The disk has no transactions: stores the intent, writes the file, then stores the completion. */
async function write(context: Context, keyed: Keyed, wanted: Wanted): Promise<unknown> {
  const { key } = keyed
  const { place, about, lease } = wanted
  const { path, root } = place
  const begun = await intend(context, keyed, wanted)
  if ('result' in begun) return begun.result
  const { now } = begun
  const content = wanted.content(now)
  const { intent, resume } = await stillThere(context, keyed, wanted, { ...begun, content })
  const wish = { path, root, content, check: lease.check, ...(resume !== undefined && { resume }) }
  const written = await context.files.append(wish)
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
    await lease.end(tx)
    if (key === undefined) return
    // INV_ONE_EFFECT: another daemon has taken the intent over, and its offset counts.
    if ((await setResult(tx, { key, intent, result: JSON.stringify(result) })) === undefined)
      throw new LeaseLost()
  })
  return result
}

interface Resume {
  readonly at: number
  readonly before: number
}

interface Begun {
  readonly now: string
  /** As it is stored. */
  readonly intent: string
  readonly resume?: Resume
}

async function intend(
  context: Context,
  keyed: Keyed,
  wanted: Wanted,
): Promise<Begun | { readonly result: unknown }> {
  const { key, method, digest } = keyed
  if (key === undefined) return { now: callOf(context, undefined).now, intent: '' }
  const offset = await context.files.size(wanted.place.path)
  return await context.store.transact(async (tx) => {
    await wanted.lease.renew(tx)
    const known = await recall(tx, context, keyed)
    if (known !== undefined && 'result' in known) return known
    if (known !== undefined) return await takeOver(tx, key, wanted, known.intent as Intent)
    const call = callOf(context, undefined)
    const intent = await declare(tx, wanted, { offset, now: call.now }, call)
    await insertKey(tx, { key, method: method.name, digest, intent, result: null, now: call.now })
    return { now: call.now, intent }
  })
}

/** Continues what a crash or another daemon left. */
async function takeOver(tx: Tx, key: string, { place, lease }: Wanted, found: Intent): Promise<Begun> {
  const isMarked = lease.mark.holder !== undefined
  // Another daemon began the same call meanwhile, and the lease is for another file.
  if (isMarked && found.path !== place.path) throw begunElsewhere(found.path)
  const intent = JSON.stringify({ ...found, ...lease.mark })
  if (isMarked) await setIntent(tx, { key, intent })
  return { now: found.now, intent, resume: await whatIsOurs(tx, found) }
}

/** Records in the ledger where the text will be. */
async function declare(
  tx: Tx,
  { place, about, meant, lease }: Wanted,
  { offset, now }: { readonly offset: number; readonly now: string },
  call: Call,
): Promise<string> {
  const { path, project_id } = place
  await call.record(tx, { event_type: 'file.appending', project_id, ...about, payload: { path, offset } })
  const seq = (await lastSeq(tx, {}))?.seq ?? 0
  const intent: Intent = { path, offset, seq, now, meant, ...lease.mark }
  return JSON.stringify(intent)
}

/** After a crash before the first byte, stores the new offset first; else a second crash could duplicate the text. */
async function stillThere(
  context: Context,
  { key }: Keyed,
  wanted: Wanted,
  { now, resume, intent, content }: Begun & { readonly content: string },
): Promise<Pick<Begun, 'intent' | 'resume'>> {
  if (key === undefined || resume === undefined) return { intent }
  const { path, root } = wanted.place
  if ((await context.files.standing({ path, root, content, ...resume })) > 0) return { intent, resume }
  const offset = await context.files.size(path)
  if (offset === resume.at && resume.before === Infinity) return { intent }
  return await context.store.transact(async (tx) => {
    await wanted.lease.renew(tx)
    const moved = await declare(tx, wanted, { offset, now }, callOf(context, undefined))
    await setIntent(tx, { key, intent: moved })
    return { intent: moved }
  })
}

/** After a crash, the range of the file that may contain the text, without later appends. */
async function whatIsOurs(tx: Tx, { path, offset, seq }: Intent): Promise<Resume> {
  const others = (await appendsAfter(tx, { seq }))
    .map(({ payload }) => JSON.parse(payload) as Pick<Intent, 'path' | 'offset'>)
    .filter((other) => other.path === path && other.offset >= offset)
  return { at: offset, before: Math.min(Infinity, ...others.map((other) => other.offset)) }
}

const begunElsewhere = (path: string) =>
  new EngineError('unavailable', `Another daemon has begun this call, for ${path}; nothing was changed.`, {
    hint: 'Repeat the call with the same idempotency_key.',
  })
