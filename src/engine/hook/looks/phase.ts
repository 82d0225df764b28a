import { phaseMentionIn } from '../../plan/phase-move.ts'
import type { Look } from './look.ts'

/** What a shell command has to do with phases. */
export const phase: Look = {
  find: ({ context, event }) => phaseMentionIn(context, event)?.then((found) => ({ phase: found })),
}
