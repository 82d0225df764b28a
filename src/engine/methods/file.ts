import * as z from 'zod'
import { listRoots } from '../../store/workplace.ts'
import { confine, placeAmong, realPath } from '../call/confine.ts'
import { appendMethod, directMethod } from '../call/method.ts'
import * as p from '../call/params.ts'

export const read = directMethod({
  name: 'fs.files.read',
  summary: 'Read a file inside a registered project.',
  effect: 'none',
  params: z.strictObject({
    path: p.path,
    offset: p.offset.describe('The offset to start at, in bytes.'),
    // A character can take four bytes, and a smaller limit would cut it.
    limit: z.int().min(4).max(524_288).default(262_144).describe('Maximum number of bytes.'),
  }),
  async call(context, { path, offset, limit }) {
    const place = await confine(context, path)
    const { isText: _, ...found } = await context.files.read({ ...place, offset, limit })
    return { path: place.path, ...found }
  },
})

export const resolve = directMethod({
  name: 'fs.paths.resolve',
  summary: 'Resolve a path to its real location and the project that contains it.',
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

export const append = appendMethod({
  name: 'fs.files.append',
  summary: 'Append text to a file inside a registered project; creates the file if missing.',
  params: z.strictObject({ path: p.path, content: z.string().min(1).max(524_288) }),
  async prepare(context, { path, content }, ask) {
    const real = await realPath(context, path)
    const place = await placeAmong(context, await ask((tx) => listRoots(tx, context.machine)), real)
    return { place, meant: {}, content: () => content, about: {}, answer: (written) => written }
  },
})
