import { enteredIn } from '../phase-move.ts'
import { contentKey } from '../../skill/contents.ts'
import type { Loader } from './loader.ts'

/** The phase that a command entered. */
export const entered: Loader<'entered'> = {
  looks: ['phase', 'contents'],
  async load(tx, { looked: { phase, event, contents }, window: { session } }) {
    const found = phase === undefined ? undefined : await enteredIn(tx, phase, { session, event })
    if (found === undefined) return undefined
    const key = contentKey(found.effort.skill, { ...found.effort, current_phase: found.phase })
    return { ...found, contents: contents?.get(key) ?? [] }
  },
}
