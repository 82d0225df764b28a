/** What is known of the required todos of a skill, by key. */
export interface TodoMarks {
  /** Todos on the client's list. */
  readonly listed: readonly string[]
  readonly done: readonly string[]
}

export const NO_MARKS: TodoMarks = { listed: [], done: [] }

/** A required todo and its state in an effort. */
export interface ChecklistItem {
  readonly text: string
  readonly listed: boolean
  readonly done: boolean
}

/** The required todos with their states, matched by words, ignoring case and punctuation. */
export const checklistOf = (
  required: readonly string[],
  { listed, done }: TodoMarks = NO_MARKS,
): readonly ChecklistItem[] =>
  required.map((text) => {
    const key = todoKey(text)
    const isDone = done.includes(key)
    return { text, listed: isDone || listed.includes(key), done: isDone }
  })

/** `Gather-Context!` and `gather context` are the same. */
export const todoKey = (text: string): string => wordsOf(text).join(' ')

/** True if an entry of the client's list contains all words of the item. */
export function speaksOf(entry: string, item: string): boolean {
  const words = new Set(wordsOf(entry))
  const wanted = wordsOf(item)
  return wanted.length > 0 && wanted.every((word) => words.has(word))
}

const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** Adds news to the marks; undefined if nothing is new. */
export function withMarks(
  marks: TodoMarks,
  heard: readonly { readonly text: string; readonly done: boolean }[],
): { readonly marks: TodoMarks; readonly news: readonly { text: string; done: boolean }[] } {
  const known = new Set(marks.listed)
  const done = new Set(marks.done)
  const news = heard.filter((one) => {
    const of = one.done ? done : known
    const key = todoKey(one.text)
    const isNews = !of.has(key)
    of.add(key)
    return isNews
  })
  return { marks: { listed: [...known], done: [...done] }, news }
}

/** The todos that a skill asks for beside its phases, which are its todos if it names no others. */
export const ownTodos = (todos: readonly string[], phases: readonly string[]): readonly string[] =>
  todos.filter((text) => !phases.includes(text))
