import { z } from 'zod'
import { EngineError, keyReused } from '../model/error.ts'
import { isInside, projectOf } from '../model/project.ts'
import { findKey, insertKey, setResult } from '../store/key.ts'
import { listProjects } from '../store/project.ts'
import { callOf, digestOf } from './call-details.ts'
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
    limit: z.int().min(1).max(524_288).default(262_144).describe('How many bytes at most.'),
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
}

export const append = directMethod({
  name: 'fs.files.append',
  summary: 'Add text to the end of a file inside a registered project; makes the file where there is none.',
  effect: 'effect',
  params: z.strictObject({ path: p.path, content: z.string().min(1).max(524_288), idempotency_key: KEY }),
  async call(context, { idempotency_key: key, ...params }) {
    const place = await confine(context, params.path)
    return await inTurn(place.path, () => appendOnce(context, place, { ...params, key }))
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
  const known = key === undefined ? undefined : await intend(context, { key, digest, path })
  if (known?.result !== undefined) return known.result
  const written = await context.files.append({
    path,
    root,
    content,
    ...(known !== undefined && { resumeAt: known.intent.offset }),
  })
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

async function intend(context: Context, wish: { key: string; digest: string; path: string }) {
  const { key, digest, path } = wish
  const intent: Intent = { path, offset: await context.files.size(path) }
  return await context.store.transact(async (tx) => {
    const known = await findKey(tx, { key })
    if (known !== undefined && (known.method !== append.name || known.digest !== digest))
      throw keyReused(key, known.method)
    if (known !== undefined)
      return {
        intent: JSON.parse(known.intent ?? 'null') as Intent,
        ...(known.result !== null && { result: JSON.parse(known.result) as unknown }),
      }
    const call = callOf(context, undefined)
    await insertKey(tx, {
      key,
      method: append.name,
      digest,
      intent: JSON.stringify(intent),
      result: null,
      now: call.now,
    })
    await call.record(tx, { event_type: 'file.appending', payload: { ...intent } })
    return { intent }
  })
}

interface Place {
  readonly path: string
  readonly root: string
  readonly project_id: number
}

/** A path is what it really leads to, and that must lie in a project. */
async function confine(context: Context, path: string): Promise<Place> {
  if (path.split('/').includes('..'))
    throw new EngineError('forbidden', `${path} holds "..", which is not followed.`, {
      field: 'path',
      hint: 'Give the path it leads to.',
    })
  const real = await context.files.canonical(path)
  // Opening the database's files would drop SQLite's locks on them, so our own folder is nobody's project.
  if (isInside(await context.files.canonical(context.daemon.status().home), real))
    throw new EngineError('forbidden', `${real} belongs to holdfast itself.`, {
      field: 'path',
      hint: 'holdfast query "SELECT ..."',
    })
  const projects = await context.store.transact((tx) => listProjects(tx, {}), { reads: true })
  const project = projectOf(projects, real)
  if (project === undefined)
    throw new EngineError('forbidden', `${real} is not inside a registered project.`, {
      field: 'path',
      hint: 'holdfast project upsert FOLDER',
    })
  return { path: real, root: project.path, project_id: project.id }
}

const turns = new Map<string, Promise<unknown>>()

/** Two appends to one file come one after the other, so that they never interleave. */
async function inTurn<T>(path: string, work: () => Promise<T>): Promise<T> {
  const before = turns.get(path)
  const mine = (async () => {
    await before?.catch(() => undefined)
    return await work()
  })()
  turns.set(path, mine)
  try {
    return await mine
  } finally {
    if (turns.get(path) === mine) turns.delete(path)
  }
}
