import * as z from 'zod'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { checkTask, effortWish, oneEffort, placesIn } from '../effort/meant.ts'

export const meant = method({
  name: 'commands.effort.meant',
  summary: "Say which effort is meant: the one that is named, the caller's own, else the only one here.",
  effect: 'read',
  params: z.strictObject({
    ...effortWish,
    cwd: p.path.optional().describe('Where the caller works, to find the effort by.'),
  }),
  prepare: placesIn,
  async run(tx, given, { prepared: places }) {
    await checkTask(tx, places)
    return await oneEffort(tx, { ...given, ...places }, { verb: 'worked on' })
  },
})
