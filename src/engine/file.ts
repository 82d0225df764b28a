import * as z from 'zod'
import { keyReused } from '../model/error.ts'
import { findKey, insertKey, setIntent, setResult } from '../store/key.ts'
import { appendsAfter, lastSeq } from '../store/ledger.ts'
import type { Tx } from '../store/query.ts'
import { callOf, confine, digestOf, inTurn, type Place } from './call-details.ts'
import type { Context } from './context.ts'
import { directMethod, KEY } from './method.ts'
import * as p from './params.ts'

export const read = directMethod({
  name: 'fs.files.read',
  summary: 'Read a file inside a registered project.',
  effect: 'none',
  params: z.strictObject({
    path: p.path,
    offset: p.offset.describe('Where to begin, in bytes.'),
    // A character may take four bytes, and half of one would be lost.
    limit: z.int().min(4).max(524_288).default(262_144).describe('How many bytes at most.'),
  }),
  async call(context, { path, offset, limit }) {
    const place = await confine(context, path)
    return { path: place.path, ...(await context.files.read({ ...place, offset, limit })) }
  },
})

export const resolve = directMethod({
  name: 'fs.paths.resolve',
  summary: 'Say where a path really leads and which project it lies in.',
  effect: 'none',
  params: z.strictObject({ path: p.path }),
  async call(context, { path }) {
    const place = await confine(context, path)
    return {
      path: place.path,
      project_id: place.project_id,
      project: place.root,
      kind: await context.files.kind(place.path),
    }
  },
})

interface Intent {
  readonly path: string
  readonly offset: number
  /** The ledger's entry of this intent; what comes after it was done by others. */
  readonly seq: number
}

export const append = directMethod({
  name: 'fs.files.append',
  summary: 'Add text to the end of a file inside a registered project; makes the file where there is none.',
  effect: 'effect',
  params: z.strictObject({ path: p.path, content: z.string().min(1).max(524_288), idempotency_key: KEY }),
  async call(context, { idempotency_key: key, ...params }) {
    const place = await confine(context, params.path)
    return await inTurn(`file ${place.path}`, () => appendOnce(context, place, { ...params, key }))
  },
})

/** The disk has no transactions: first what is going to happen is durable, then it happens, then that it did. */
async function appendOnce(
  context: Context,
  place: Place,
  params: { path: string; content: string; key: string | undefined },
) {
  const { key, content } = params
  const { path, root } = place
  const digest = digestOf({ path: params.path, content })
  const known = key === undefined ? undefined : await intend(context, place, { key, digest })
  if (known?.result !== undefined) return known.result
  const resume = await stillThere(context, place, { key, content, resume: known?.resume })
  const written = await context.files.append({ path, root, content, ...(resume !== undefined && { resume }) })
  const result = { path, ...written }
  await context.store.transact(async (tx) => {
    await callOf(context, undefined).record(tx, {
      event_type: 'file.appended',
      project_id: place.project_id,
      payload: { path, offset: written.offset, bytes: Buffer.byteLength(content) },
    })
    if (key !== undefined) await setResult(tx, { key, result: JSON.stringify(result) })
  })
  return result
}

async function intend(context: Context, place: Place, { key, digest }: { key: string; digest: string }) {
  const offset = await context.files.size(place.path)
  return await context.store.transact(async (tx) => {
    const known = await findKey(tx, { key })
    const used = context.store.volatile.recall(key) ?? known
    if (used !== undefined && (used.method !== append.name || used.digest !== digest))
      throw keyReused(key, used.method)
    if (known?.result != null) return { result: JSON.parse(known.result) as unknown }
    if (known !== undefined)
      return { resume: await whatIsOurs(tx, JSON.parse(known.intent ?? '{}') as Intent) }
    const { intent, now } = await declare(tx, context, place, offset)
    await insertKey(tx, { key, method: append.name, digest, intent, result: null, now })
    return {}
  })
}

/** Says in the ledger where the text is going to stand. */
async function declare(tx: Tx, context: Context, { path, project_id }: Place, offset: number) {
  const call = callOf(context, undefined)
  await call.record(tx, { event_type: 'file.appending', project_id, payload: { path, offset } })
  const intent: Intent = { path, offset, seq: (await lastSeq(tx, {}))?.seq ?? 0 }
  return { intent: JSON.stringify(intent), now: call.now }
}

/**
 * Where a crash came before the first byte, the text will now stand elsewhere. That must be durable before it is
 * written there, or a second crash would be taken for the first one again, and the text be written twice.
 */
async function stillThere(
  context: Context,
  place: Place,
  wish: { key: string | undefined; content: string; resume: { at: number; before: number } | undefined },
) {
  const { key, content, resume } = wish
  if (key === undefined || resume === undefined) return undefined
  const { path, root } = place
  if ((await context.files.standing({ path, root, content, ...resume })) > 0) return resume
  const offset = await context.files.size(path)
  if (offset === resume.at && resume.before === Infinity) return undefined
  await context.store.transact(async (tx) => {
    const { intent } = await declare(tx, context, place, offset)
    await setIntent(tx, { key, intent })
  })
  return undefined
}

/** After a crash, the part of the file in which the text may stand: what others have added since is theirs. */
async function whatIsOurs(tx: Tx, { path, offset, seq }: Intent) {
  const others = (await appendsAfter(tx, { seq }))
    .map(({ payload }) => JSON.parse(payload) as Pick<Intent, 'path' | 'offset'>)
    .filter((other) => other.path === path && other.offset >= offset)
  return { at: offset, before: Math.min(Infinity, ...others.map((other) => other.offset)) }
}
