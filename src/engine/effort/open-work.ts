import type { Effort } from '../../model/effort.ts'
import { finishCommand, formText, owedResult } from '../../model/result.ts'
import type { ResultSchema } from '../../model/result-schema.ts'
import { shellWord } from '../../model/shell/word.ts'
import { listed, oneLine } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { todosOf } from './todo-marks.ts'

/** What keeps an effort open although its plan is carried out. */
export interface OpenWork {
  /** The required todos that are not done. */
  readonly todos: readonly string[]
  /** The result of its run, if that is not written. */
  readonly unwritten: string | undefined
  /** The form of the result that it must end with, if it has none. */
  readonly owed: ResultSchema | undefined
}

export async function openWork(tx: Tx, effort: Effort, { unwritten }: Partial<SeenFiles>): Promise<OpenWork> {
  const todos = (await todosOf(tx, effort)).filter(({ done }) => !done).map(({ text }) => text)
  const { details } = (await skillOfEffort(tx, effort)) ?? {}
  return { todos, unwritten, owed: owedResult({ resultSchema: details?.result }, effort) }
}

export const isOpenWork = ({ todos, unwritten, owed }: OpenWork): boolean =>
  todos.length > 0 || unwritten !== undefined || owed !== undefined

/** True if open work keeps an effort from ending; a result is declared, even where the plan only advises. */
export const isKeptOpen = (work: OpenWork, isAdvice: boolean): boolean =>
  isAdvice ? work.owed !== undefined : isOpenWork(work)

const ROOM = 600

/** The same as sentences. */
export const openWorkTexts = ({ todos, unwritten, owed }: OpenWork): readonly string[] => [
  ...(todos.length === 0 ? [] : [`Open todos: ${listed(todos, ROOM)}.`]),
  ...(unwritten === undefined ? [] : [`Write the result of the run: ${oneLine(unwritten)}.`]),
  ...(owed === undefined ? [] : [formText(owed)]),
]

/** The command that ticks the first open todo; undefined if none is open. */
export const tickCommand = (id: number, { todos: [first] }: OpenWork): string | undefined =>
  first === undefined ? undefined : `holdfast effort tick ${id} ${shellWord(oneLine(first))}`

/** The command that goes on with the open work, or that ends the effort. */
export const closingCommand = (id: number, work: OpenWork): string =>
  tickCommand(id, work) ?? finishCommand(id, work.owed)
