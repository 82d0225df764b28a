import { checklistOf, type ChecklistItem, speaksOf } from '../model/checklist.ts'
import type { HookEvent, Todo } from '../model/event.ts'
import { listed } from '../model/text/line.ts'
import type { Facts } from './facts.ts'
import { rule, type Verdict } from './rule.ts'
import { todosLacking } from './told/words.ts'

/** Compares the client's todo list with the checklist of the effort. */
export const todoCheck = rule({
  name: 'todo-check',
  summary: 'requires the todos of the skill on the todo list, and ticks those that are done',
  on: ['tool.before', 'tool.after', 'todo.created', 'todo.completed'],
  wakes: ({ event }) => isAboutTodos(event),
  needs: ['work'],
  judge(event, { work }) {
    const entries = entriesIn(event)
    if (entries === undefined || work === undefined || work.requiredTodos.length === 0) return undefined
    const items = checklistOf(work.requiredTodos, work.marks)
    return event.kind === 'tool.before' ? lacking(event, items, work) : heard(entries, items, work)
  },
})

const isAboutTodos = (event: HookEvent): boolean => entriesIn(event) !== undefined

function entriesIn(event: HookEvent): readonly Todo[] | undefined {
  switch (event.kind) {
    case 'tool.before':
    case 'tool.after':
      return event.tool.does.kind === 'todos' ? event.tool.does.todos : undefined
    case 'todo.created':
    case 'todo.completed':
      return [event.todo]
    default:
      return undefined
  }
}

type Work = NonNullable<Facts['work']>

const ROOM = 2000

/** Refuses an incomplete list until every item has been listed once; later only advises. */
function lacking(
  event: Extract<HookEvent, { kind: 'tool.before' }>,
  items: readonly ChecklistItem[],
  { name, enforceable, effort }: Work,
): Verdict | undefined {
  const { does } = event.tool
  if (does.kind !== 'todos' || does.isWhole !== true) return undefined
  const missing = items.filter(
    ({ text, done }) => !done && !does.todos.some((entry) => speaksOf(entry.text ?? '', text)),
  )
  if (missing.length === 0) return undefined
  const names = listed(
    missing.map(({ text }) => text),
    ROOM,
  )
  const reason = `${todosLacking(name, names)} Next: write the list again with an item for each, in these exact words.`
  const wasComplete = items.every((item) => item.listed)
  return enforceable && !wasComplete
    ? { block: { reason, skill: name, effort: effort.id } }
    : { contexts: [reason] }
}

function heard(
  entries: readonly Todo[],
  items: readonly ChecklistItem[],
  { effort }: Work,
): Verdict | undefined {
  const news = items.flatMap((item) => {
    const about = entries.filter((entry) => speaksOf(entry.text ?? '', item.text))
    const isDone = about.some(({ status }) => status === 'completed')
    const isNews = isDone ? !item.done : about.length > 0 && !item.listed
    return isNews ? [{ text: item.text, done: isDone }] : []
  })
  return news.length === 0
    ? undefined
    : { changes: [{ kind: 'todos.heard', effort: effort.id, items: news }] }
}
