import { moveOf } from '../phase-move.ts'
import type { Loader } from './loader.ts'

/** The phase that a command would enter. */
export const move: Loader<'move'> = {
  looks: ['phase', 'records'],
  async load(tx, { looked, window: { session } }) {
    const call = looked.event.kind === 'tool.before' ? looked.phase?.call : undefined
    return call === undefined ? undefined : await moveOf(tx, call, { session, digests: looked.digests })
  },
}
