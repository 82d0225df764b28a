import { describe, expect, test } from 'vitest'
import { shownTodos, todosAfter } from './todo-list.ts'

const LIST = {
  isWhole: true,
  todos: [
    { id: '1', text: 'Write it', status: 'pending' },
    { id: '2', text: 'Test it', status: 'pending' },
  ],
}

describe('the todo list of a client', () => {
  test('is replaced by a whole list', () => {
    const next = { isWhole: true, todos: [{ text: 'Other', status: 'pending' }] }
    expect(todosAfter(LIST, next).todos).toMatchObject([{ text: 'Other' }])
  })

  test('takes news by id, and by text where an id is missing', () => {
    const done = todosAfter(LIST, { todos: [{ id: '1', status: 'completed' }] })
    expect(done).toMatchObject({
      isWhole: true,
      todos: [{ text: 'Write it', status: 'completed' }, { id: '2' }],
    })
    const created = todosAfter(undefined, { todos: [{ text: 'Plan', status: 'pending' }] })
    const named = todosAfter(created, { todos: [{ id: '7', text: 'Plan' }] })
    expect(named.todos).toEqual([{ id: '7', text: 'Plan', status: 'pending' }])
  })

  test('adds up in any split', () => {
    const steps = [
      LIST,
      { todos: [{ id: '2', status: 'completed' }] },
      { todos: [{ id: '3', text: 'Ship' }] },
    ]
    const whole = steps.reduce<typeof LIST | undefined>(
      (list, one) => todosAfter(list, one) as typeof LIST,
      undefined,
    )
    const [first, ...rest] = steps
    const later = rest.reduce<typeof LIST | undefined>(
      (list, one) => todosAfter(list, one) as typeof LIST,
      undefined,
    )
    expect(todosAfter(first, later ?? { todos: [] })).toEqual(whole)
  })

  test('keeps the last hundred, each short', () => {
    const todos = Array.from({ length: 150 }, (_, index) => ({ id: `${index}`, text: 'x'.repeat(1000) }))
    const kept = todosAfter(undefined, { todos }).todos
    expect(kept).toHaveLength(100)
    expect(kept.at(-1)?.id).toBe('149')
    expect(kept[0]?.text).toHaveLength(300)
  })

  test('does not show deleted items, nor those without a text', () => {
    const todos = [{ id: '1', text: 'a', status: 'deleted' }, { id: '2', status: 'completed' }, { text: 'b' }]
    expect(shownTodos(todos)).toEqual([{ text: 'b' }])
  })
})
