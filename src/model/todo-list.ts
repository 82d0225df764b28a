import type { HookEvent, Todo } from './event.ts'

/** The todo list of a client's session, or news about it. */
export interface TodoNews {
  readonly todos: readonly Todo[]
  /** Set if these are the whole list. */
  readonly isWhole?: boolean | undefined
}

const MOST_TODOS = 100
const LONGEST_TODO = 300

/** What an event says about the client's todo list. */
export function todosBy(event: HookEvent): TodoNews | undefined {
  switch (event.kind) {
    case 'tool.after':
      return event.tool.does.kind === 'todos' ? event.tool.does : undefined
    case 'todo.created':
    case 'todo.completed':
      return { todos: [event.todo] }
    default:
      return undefined
  }
}

/** A list with the news: items are known by their id, else by their text; a deleted item is gone. */
export function todosAfter(old: TodoNews | undefined, news: TodoNews): TodoNews {
  if (old === undefined || news.isWhole === true) return { ...news, todos: kept(news.todos) }
  const todos = [...old.todos]
  for (const one of news.todos) {
    const at = todos.findIndex((known) => isSame(known, one))
    if (at === -1) todos.push(one)
    else todos[at] = merged(todos[at], one)
  }
  return { ...old, todos: kept(todos) }
}

/** Items of which only the id is known say nothing, unless they are news about a list that is not here. */
export const shownTodos = (todos: readonly Todo[]): readonly Todo[] =>
  todos.filter(({ text, status }) => text !== undefined && status !== 'deleted')

const isSame = (one: Todo, other: Todo): boolean =>
  one.id !== undefined && other.id !== undefined
    ? one.id === other.id
    : one.text !== undefined && one.text === other.text

const merged = (old: Todo | undefined, news: Todo): Todo => ({
  id: news.id ?? old?.id,
  text: news.text ?? old?.text,
  status: news.status ?? old?.status,
})

const kept = (todos: readonly Todo[]): readonly Todo[] =>
  todos.slice(-MOST_TODOS).map((one) => ({ ...one, text: one.text?.slice(0, LONGEST_TODO).toWellFormed() }))
