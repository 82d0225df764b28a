import { notesIn } from '../model/text/note.ts'
import { rule } from './rule.ts'

/** Saves notes for later in the queue before a compaction loses them. */
export const queueFlush = rule({
  name: 'queue-flush',
  summary: 'puts notes marked TODO, FIXME and the like into the queue before the context is compacted',
  setting: 'todo_capture',
  on: ['compact.before'],
  wakes: () => true,
  needs: ['said', 'work'],
  judge(_, { said = [], work }) {
    const notes = notesIn(said)
    return notes.length === 0 ? undefined : { changes: [{ kind: 'noted', notes, effort: work?.effort.id }] }
  },
})
