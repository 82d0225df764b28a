import { filesOf } from '../../effort/skill-facts.ts'
import { moveOf } from '../../plan/phase-move.ts'
import type { Loader } from './loader.ts'

/** The phase that a command would enter. */
export const move: Loader<'move'> = {
  looks: ['phase', 'records'],
  async load(tx, { looked, window: { session }, project }) {
    const call = looked.event.kind === 'tool.before' ? looked.phase?.call : undefined
    const files = filesOf({ project, digests: looked.digests })
    return call === undefined ? undefined : await moveOf(tx, call, { session, files })
  },
}
