import type { Effort } from '../../model/effort.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listed, oneLine } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { todosOf } from './todo-marks.ts'

/** What keeps an effort open although its plan is carried out. */
export interface OpenWork {
  /** The required todos that are not done. */
  readonly todos: readonly string[]
  /** The result of its run, if that is not written. */
  readonly unwritten: string | undefined
}

export async function openWork(tx: Tx, effort: Effort, { unwritten }: Partial<SeenFiles>): Promise<OpenWork> {
  const todos = (await todosOf(tx, effort)).filter(({ done }) => !done).map(({ text }) => text)
  return { todos, unwritten }
}

export const isOpenWork = ({ todos, unwritten }: OpenWork): boolean =>
  todos.length > 0 || unwritten !== undefined

const ROOM = 600

/** The same as sentences. */
export const openWorkTexts = ({ todos, unwritten }: OpenWork): readonly string[] => [
  ...(todos.length === 0 ? [] : [`Open todos: ${listed(todos, ROOM)}.`]),
  ...(unwritten === undefined ? [] : [`Write the result of the run: ${oneLine(unwritten)}.`]),
]

/** The command that ticks the first open todo; undefined if none is open. */
export const tickCommand = (id: number, { todos: [first] }: OpenWork): string | undefined =>
  first === undefined ? undefined : `holdfast effort tick ${id} ${shellWord(oneLine(first))}`
