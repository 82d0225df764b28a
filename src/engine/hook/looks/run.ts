import { callInModes } from '../../../model/invocation.ts'
import { modesOf } from '../../../model/own-words.ts'
import { placeRun, skillMeant, wantsRun } from '../../skill/skill-run.ts'
import type { Look } from './look.ts'

/** The place for the run of a called skill. */
export const run: Look = {
  isOfSession: true,
  ask({ context, found }) {
    const [invocation] = found.invocations
    const { place } = found
    if (place === undefined || invocation === undefined) return undefined
    return async (tx) => {
      const { root, stored } = await skillMeant(tx, { ...place, ...context.machine }, invocation)
      return async ({ found: { place: at } }) => {
        const wants = wantsRun(invocation, { stored, fresh: at?.reading?.found })
        return wants
          ? { run: await placeRun(context, root, callInModes(invocation, modesOf(context.config(root)))) }
          : {}
      }
    }
  },
}
