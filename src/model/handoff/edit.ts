import { EngineError } from '../error.ts'
import { quoted } from '../text/line.ts'
import { type HandedOver, handOver } from './handing-over.ts'
import { type LearningWords, withLearnings } from './learnings.ts'
import { nameKey } from './problem.ts'
import { emptySessionFile } from './section-edits.ts'
import { readSessionFile } from './session-file.ts'
import { addTask, type NewTask, setStates } from './task-edits.ts'
import type { TaskState } from './task-line.ts'
import { putTokens } from './tokens.ts'

/** One change of a session file or of the learnings, as data, so that it can be repeated after a crash. */
export type Edit =
  | { readonly kind: 'add'; readonly date: string; readonly task: NewTask }
  | { readonly kind: 'set'; readonly name: string; readonly state: TaskState }
  | { readonly kind: 'tokens'; readonly tokens: readonly (readonly [name: string, token: string])[] }
  | { readonly kind: 'learn'; readonly learnings: readonly LearningWords[] }
  | { readonly kind: 'handoff'; readonly given: HandedOver }

/** The text after an edit; an edit that was made already changes nothing. */
export function applyEdit(edit: Edit, text: string | undefined): string {
  switch (edit.kind) {
    case 'add':
      return addOnce(text ?? emptySessionFile(edit.date), edit.task)
    case 'set':
      return setStates(text ?? '', new Map([[nameKey(edit.name), edit.state]]))
    case 'tokens':
      return putTokens(text ?? '', new Map(edit.tokens.map(([name, token]) => [nameKey(name), token])))
    case 'learn':
      return withLearnings(text, edit.learnings)
    case 'handoff':
      return handOver(text, edit.given)
  }
}

/** Whether an edit fits a file that somebody has changed meanwhile: it replaces no words. */
export const fitsAnyText = ({ kind }: Edit): boolean => kind !== 'handoff'

/** Two callers may add a task of the same name at the same moment. */
function addOnce(text: string, task: NewTask): string {
  const there = readSessionFile(text).tasks.find(({ name }) => nameKey(name) === nameKey(task.name))
  if (there === undefined) return addTask(text, task)
  if (there.command === task.command && there.slug === task.slug) return text
  throw nameTaken(task.name, `is in line ${there.line} of the session file`)
}

/** The error for a name of a new task that is used, with the command that lists such names. */
export const nameTaken = (name: string, where: string, list = 'holdfast todo list') =>
  new EngineError('conflict', `A task with the name ${quoted(name, LONGEST)} ${where}.`, {
    field: 'name',
    hint: `Choose another name. The names in use: ${list}`,
  })

const LONGEST = 120
