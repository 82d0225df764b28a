import * as z from 'zod'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { checkTask, effortWish, oneEffort, placesIn } from '../effort/meant.ts'

export const meant = method({
  name: 'commands.effort.meant',
  summary:
    "Find the effort that a call refers to: the named one, the caller's own, or the only active one here.",
  effect: 'read',
  params: z.strictObject({
    ...effortWish,
    skill: p.skillName.optional().describe('The only skill whose efforts count.'),
    finished: z.boolean().default(false).describe("Take the caller's own effort even if it is finished."),
    cwd: p.cwd.optional().describe('The folder that the caller works in; used to find the effort.'),
  }),
  prepare: placesIn,
  async run(tx, { finished, ...given }, { context, prepared: places }) {
    await checkTask(tx, places)
    return await oneEffort(tx, { ...given, ...places }, context, { verb: 'worked on', finished })
  },
})
