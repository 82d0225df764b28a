import type { LedgerEntry } from '../../model/ledger.ts'
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
}

/** Appends the text once. On failure, removes the folder that was created for it. */
export async function appendOnce(context: Context, keyed: Keyed, wanted: Append): Promise<unknown> {
  const { folder, place } = wanted
  const made = folder === undefined ? [] : await context.files.makeFolders({ path: folder, root: place.root })
  return await write(context, keyed, wanted).catch(async (error: unknown) => {
    await context.files.removeFolders(made)
    throw error
  })
}

/** The disk has no transactions: stores the intent, writes the file, then stores the completion. */
async function write(context: Context, keyed: Keyed, wanted: Append): Promise<unknown> {
  const { key } = keyed
  const { place, about } = wanted
  const { path, root } = place
  const begun = await intend(context, keyed, wanted)
  if ('result' in begun) return begun.result
  const { now } = begun
  const content = wanted.content(now)
  const resume = await stillThere(context, keyed, wanted, { ...begun, content })
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

async function intend(
  context: Context,
  keyed: Keyed,
  wanted: Append,
): Promise<Begun | { readonly result: unknown }> {
  const { key, method, digest } = keyed
  if (key === undefined) return { now: callOf(context, undefined).now }
  const offset = await context.files.size(wanted.place.path)
  return await context.store.transact(async (tx) => {
    const known = await recall(tx, context, keyed)
    if (known !== undefined && 'result' in known) return known
    if (known !== undefined) {
      const intent = known.intent as Intent
      return { now: intent.now, resume: await whatIsOurs(tx, intent) }
    }
    const call = callOf(context, undefined)
    const intent = await declare(tx, wanted, { offset, now: call.now }, call)
    await insertKey(tx, { key, method: method.name, digest, intent, result: null, now: call.now })
    return { now: call.now }
  })
}

/** Records in the ledger where the text will be. */
async function declare(
  tx: Tx,
  { place, about, meant }: Append,
  { offset, now }: { readonly offset: number; readonly now: string },
  call: Call,
): Promise<string> {
  const { path, project_id } = place
  await call.record(tx, { event_type: 'file.appending', project_id, ...about, payload: { path, offset } })
  const intent: Intent = { path, offset, seq: (await lastSeq(tx, {}))?.seq ?? 0, now, meant }
  return JSON.stringify(intent)
}

/** After a crash before the first byte, stores the new offset first; else a second crash could duplicate the text. */
async function stillThere(
  context: Context,
  { key }: Keyed,
  wanted: Append,
  { now, resume, content }: Begun & { readonly content: string },
): Promise<Resume | undefined> {
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

/** After a crash, the range of the file that may contain the text, without later appends. */
async function whatIsOurs(tx: Tx, { path, offset, seq }: Intent): Promise<Resume> {
  const others = (await appendsAfter(tx, { seq }))
    .map(({ payload }) => JSON.parse(payload) as Pick<Intent, 'path' | 'offset'>)
    .filter((other) => other.path === path && other.offset >= offset)
  return { at: offset, before: Math.min(Infinity, ...others.map((other) => other.offset)) }
}
