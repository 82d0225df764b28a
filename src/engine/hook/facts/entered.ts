import { enteredIn } from '../../plan/phase-move.ts'
import type { Loader } from './loader.ts'

/** The phase that a command entered. */
export const entered: Loader<'entered'> = {
  looks: ['phase'],
  async load(tx, { looked: { phase, event }, window: { session } }) {
    return phase === undefined ? undefined : await enteredIn(tx, phase, { session, event })
  },
}
