import { phaseMentionIn } from '../../plan/phase-move.ts'
import type { Look } from './look.ts'

/** The phase move in a shell command. */
export const phase: Look = {
  find: ({ context, event }) => phaseMentionIn(context, event)?.then((found) => ({ phase: found })),
}
