import { notesIn } from '../model/text/note.ts'
import { rule } from './rule.ts'

/** What was said to be for later would go with the context: it is put into the queue before. */
export const queueFlush = rule({
  name: 'queue-flush',
  summary: 'puts what was marked as a note for later into the queue, before the context is compacted',
  on: ['compact.before'],
  wakes: () => true,
  needs: ['said', 'work'],
  judge(_, { said = [], work }) {
    const notes = notesIn(said)
    return notes.length === 0 ? undefined : { changes: [{ kind: 'noted', notes, effort: work?.effort.id }] }
  },
})
