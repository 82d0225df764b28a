import * as z from 'zod'
import { speaksOf } from '../../model/checklist.ts'
import { EngineError } from '../../model/error.ts'
import { listed } from '../../model/text/line.ts'
import { method } from '../call/method.ts'
import { effortToChange } from '../effort/holder.ts'
import * as p from '../call/params.ts'
import { markTodos, todosOf } from '../effort/todo-marks.ts'

const ROOM = 1200

export const tick = method({
  name: 'db.effort.tick',
  summary: 'Mark a todo of an effort as done.',
  effect: 'durable',
  params: z.strictObject({
    effort_id: p.id,
    item: p.textUpTo(1000).describe('The text of the todo.'),
    ...p.caller,
  }),
  async run(tx, { item, ...who }, call) {
    const effort = await effortToChange(tx, who, 'ticked', call.context)
    const { id: effortId } = effort
    const todos = await todosOf(tx, effort)
    const meant = todos.filter(({ text }) => speaksOf(item, text))
    if (meant.length === 0) {
      const known =
        todos.length === 0
          ? 'It has no todos.'
          : `Its todos: ${listed(
              todos.map(({ text }) => text),
              ROOM,
            )}.`
      throw new EngineError('not-found', `Skill ${effort.skill} has no such todo. ${known}`, {
        field: 'item',
        hint: `holdfast effort show ${effort.id}`,
      })
    }
    await markTodos(tx, { effortId, items: meant.map(({ text }) => ({ text, done: true })) }, call)
    return { effort_id: effortId, todos: await todosOf(tx, effort) }
  },
})
