import * as z from 'zod'
import { appendOnce } from '../call/append-once.ts'
import { confine } from '../call/confine.ts'
import { digestOf } from '../call/digest.ts'
import { inTurn } from '../call/turn.ts'
import { directMethod, KEY } from '../call/method.ts'
import * as p from '../call/params.ts'

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

const APPEND = 'fs.files.append'

export const append = directMethod({
  name: APPEND,
  summary: 'Add text to the end of a file inside a registered project; makes the file where there is none.',
  effect: 'effect',
  params: z.strictObject({ path: p.path, content: z.string().min(1).max(524_288), idempotency_key: KEY }),
  async call(context, { idempotency_key: key, ...params }) {
    const place = await confine(context, params.path)
    const wanted = {
      method: APPEND,
      key,
      digest: digestOf(params),
      place,
      meant: null,
      content: () => params.content,
      about: {},
      answer: (written: object) => written,
    }
    return await inTurn(`file ${place.path}`, () => appendOnce(context, wanted))
  },
})
