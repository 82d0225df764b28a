import * as z from 'zod'
import { listProjects } from '../../store/project.ts'
import { confine, placeAmong, realPath } from '../call/confine.ts'
import { appendMethod, directMethod } from '../call/method.ts'
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

export const append = appendMethod({
  name: 'fs.files.append',
  summary: 'Add text to the end of a file inside a registered project; makes the file where there is none.',
  params: z.strictObject({ path: p.path, content: z.string().min(1).max(524_288) }),
  async prepare(context, { path, content }, look) {
    const real = await realPath(context, path)
    const place = await placeAmong(context, await look((tx) => listProjects(tx, {})), real)
    return { place, meant: {}, content: () => content, about: {}, answer: (written) => written }
  },
})
