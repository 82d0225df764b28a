import { EngineError } from '../error.ts'
import { oneLine, quoted } from '../text/line.ts'
import { changed, type Change, contentIn } from './lines.ts'
import { type FieldFault, nameKey } from './problem.ts'
import { behindHeading, newSection } from './section-edits.ts'
import { readSessionFile, sectionOf, type SessionFile, type SessionTask } from './session-file.ts'
import {
  PENDING_TOKEN,
  readTaskLine,
  STATE_SIGNS,
  taskLine,
  type TaskState,
  type TaskWords,
  tokenCalled,
} from './task-line.ts'

/** A task to add, with the plan that it belongs to. */
export interface NewTask extends Omit<TaskWords, 'state' | 'token'> {
  readonly plan?: string | undefined
}

/** True if a task says what a call would add, which an interrupted one has written. */
export const isSameTask = (task: SessionTask, { plan, ...words }: NewTask): boolean =>
  task.state === 'pending' && task.plan?.name === plan && WORDS.every((word) => task[word] === words[word])

const WORDS = ['name', 'slug', 'command', 'model', 'restart', 'priority'] as const

const LONGEST_NAME = 120

/** What is wrong with the name of a new task; undefined if nothing is. */
export function nameFault(name: string): string | undefined {
  if (name.includes('**')) return 'The name of a task cannot have two stars in it.'
  if (name.length > LONGEST_NAME) return `The name of a task can have at most ${LONGEST_NAME} characters.`
  if (readTaskLine(taskLine({ name, state: 'pending', restart: false }))?.name !== name)
    return 'The name of a task cannot end with a star.'
  return undefined
}

/** What keeps a new task out of the file: its line would be read as something else. */
export function taskFault(task: NewTask): FieldFault | undefined {
  const message = nameFault(task.name)
  if (message !== undefined) return { field: 'name', message }
  const file = readSessionFile(addTask('', task))
  const [read] = file.tasks
  const field = WORDS.find((word) => read?.[word] !== task[word])
  const lost = field ?? (read?.plan?.name === task.plan ? undefined : 'plan')
  if (lost !== undefined)
    return {
      field: lost,
      message: `The ${lost} ${quoted(String(task[lost]))} would be read as something else.`,
    }
  const [problem] = file.problems
  return problem && { field: 'name', message: `${problem.message} ${problem.hint}` }
}

/** Adds a task with `#PNDNG` behind the last one of its section. */
export function addTask(text: string, { plan, ...words }: NewTask): string {
  const line = taskLine({ ...words, state: 'pending', token: PENDING_TOKEN })
  const puts = [line, ...(plan === undefined ? [] : [`  - Plan: ${plan} | Status: pending`])]
  return addTaskLines(text, words.slug === undefined ? 'tasks' : 'worktree', puts)
}

/** Adds lines of tasks behind the last task of a section, which is made if it is missing. */
export function addTaskLines(text: string, kind: SessionTask['section'], puts: readonly string[]): string {
  if (puts.length === 0) return text
  const file = readSessionFile(text)
  const section = sectionOf(file, kind)
  if (section === undefined) return newSection(text, kind, puts)
  const last = file.tasks.findLast(
    ({ section: of, line }) => of === kind && line > section.at && line <= section.end,
  )
  if (last !== undefined) return changed(file, [{ at: last.until, removes: 0, puts }])
  const { from, to } = contentIn(file.lines, section.at + 1, section.end)
  return changed(file, [
    from === to ? behindHeading(file.lines, section, puts) : { at: to, removes: 0, puts: ['', ...puts] },
  ])
}

/** Gives tasks other states, by name; the rest of their lines stays. */
export function setStates(text: string, states: ReadonlyMap<string, TaskState>): string {
  const file = readSessionFile(text)
  const changes: Change[] = []
  for (const task of file.tasks) {
    const state = states.get(nameKey(task.name))
    if (state === undefined || (state === task.state && isPlainSign(file, task))) continue
    const at = task.line - 1
    changes.push({ at, removes: 1, puts: [withState(file.lines[at]?.text ?? '', task, state)] })
  }
  return changed(file, changes)
}

/** A sign that nobody knows is replaced even by the state that it counts as. */
function isPlainSign({ lines }: SessionFile, { line, sign: [from, to] }: SessionTask): boolean {
  const read = readTaskLine(lines[line - 1]?.text ?? '')
  return from < to && read?.faults.every(({ code }) => code !== 'task-state') === true
}

function withState(text: string, { sign: [from, to] }: SessionTask, state: TaskState): string {
  const sign = STATE_SIGNS[state]
  const isBoxed = text[from - 1] === '['
  return text.slice(0, from) + (isBoxed ? sign : `[${sign}] `) + text.slice(to)
}

/** The task that a caller names by its name, its token or the beginning of its name. */
export function taskNamed<Task extends Named>(tasks: readonly Task[], wanted: string): Task {
  const key = nameKey(wanted)
  const token = tokenCalled(wanted)
  const exact = tasks.find((task) => nameKey(task.name) === key) ?? tasks.find((task) => task.token === token)
  if (exact !== undefined) return exact
  const begun = tasks.filter((task) => key !== '' && nameKey(task.name).startsWith(key))
  const [only] = begun
  if (only !== undefined && begun.length === 1) return only
  const known = begun.slice(0, MOST_NAMED).map(({ name }) => quoted(name, LONGEST_NAME))
  throw new EngineError(
    begun.length === 0 ? 'not-found' : 'conflict',
    begun.length === 0
      ? `The session file has no task ${quoted(oneLine(wanted), LONGEST_NAME)}.`
      : `${begun.length} tasks begin like that: ${known.join(', ')}${begun.length > MOST_NAMED ? ', …' : ''}.`,
    { field: 'name', hint: 'holdfast todo list' },
  )
}

interface Named {
  readonly name: string
  readonly token?: string | null | undefined
}

const MOST_NAMED = 5
