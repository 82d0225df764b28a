import { checklistOf, type ChecklistItem, speaksOf } from '../model/checklist.ts'
import type { HookEvent, Todo } from '../model/event.ts'
import { listed, oneLine } from '../model/text/line.ts'
import type { Facts } from './facts.ts'
import { rule, type Verdict } from './rule.ts'

/** The checklist is ours, and the client's own list of things to do is held against it where there is one. */
export const todoCheck = rule({
  name: 'todo-check',
  summary: 'holds the list of things to do against the todos that the skill asks for, and ticks what is done',
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

/** Until all items have stood on a list, one without them is refused; later it is only said. */
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
  const reason = `The list of things to do lacks what the skill ${oneLine(name)} asks for: ${names}. Write the list again with an item for each, in its own words.`
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
