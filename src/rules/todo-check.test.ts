import { describe, expect, test } from 'vitest'
import type { HookEvent, Todo } from '../model/event.ts'
import { effort, event, facts, skill, subject } from './case.contract.ts'
import { todoCheck } from './todo-check.ts'

const asks = (more: Parameters<typeof skill>[0] = {}) =>
  facts({ work: { ...skill({ requiredTodos: ['gather-context', 'Write it'], ...more }), effort: effort() } })
const toolOf = (todos: readonly Todo[], isWhole: boolean | undefined = true) => ({
  name: 'Any',
  does: { kind: 'todos' as const, todos, isWhole },
  input: null,
})
const entries = (...texts: string[]): readonly Todo[] => texts.map((text) => ({ text, status: 'pending' }))
const writing = (todos: readonly Todo[], isWhole?: boolean) =>
  event('before', { tool: toolOf(todos, isWhole) })
const written = (todos: readonly Todo[]) =>
  event('after', { tool: { ...toolOf(todos), result: null, ended: false } })

describe('a list of things to do', () => {
  test('that lacks what the skill asks for is refused with what is missing', () => {
    expect(todoCheck.judge(writing(entries('Gather the context')), asks())?.block).toEqual({
      reason:
        'The todo list lacks items that skill "flow" requires: Write it. Next: write the list again with an item for each, in these exact words.',
      skill: 'flow',
      effort: 7,
    })
  })

  test.each([
    ['its plan only advises', asks({ enforceable: false })],
    ['it was complete before', asks({ marks: { listed: ['gather context', 'write it'], done: [] } })],
  ])('is only spoken of where %s', (_, given) => {
    const verdict = todoCheck.judge(writing([{}]), given)
    expect(verdict?.block).toBeUndefined()
    expect(verdict?.contexts?.[0]).toContain('requires: gather-context, Write it.')
  })

  test.each([
    ['has them all', writing(entries('gather CONTEXT', 'write it down')), asks()],
    [
      'lacks only what is done',
      writing(entries('write it')),
      asks({ marks: { listed: [], done: ['gather context'] } }),
    ],
    ['is only added to', writing(entries('x'), false), asks()],
    ['belongs to a skill that asks for nothing', writing([]), asks({ requiredTodos: [] })],
    ['belongs to no work', writing([]), facts()],
  ])('is left alone where it %s', (_, what, given) => {
    expect(todoCheck.judge(what, given)).toBeUndefined()
  })

  test('ticks what it says is done, and notes what stands on it', () => {
    const todos = [...entries('gather context'), { text: 'Write it', status: 'completed' }]
    expect(todoCheck.judge(written(todos), asks())).toEqual({
      changes: [
        {
          kind: 'todos.heard',
          effort: 7,
          items: [
            { text: 'gather-context', done: false },
            { text: 'Write it', done: true },
          ],
        },
      ],
    })
  })

  test('that says nothing new changes nothing', () => {
    const marks = { listed: ['gather context'], done: ['write it'] }
    const todos = [...entries('gather context'), { text: 'Write it', status: 'completed' }, {}]
    expect(todoCheck.judge(written(todos), asks({ marks }))).toBeUndefined()
  })
})

test.each([
  ['todo.created', 'pending', false],
  ['todo.completed', 'completed', true],
] as const)('%s of the client is heard too', (kind, status, done) => {
  const told: HookEvent = { client: 'claude-code', kind, todo: { text: 'write IT', status } }
  expect(todoCheck.judge(told, asks())?.changes).toEqual([
    { kind: 'todos.heard', effort: 7, items: [{ text: 'Write it', done }] },
  ])
})

test('nothing else is about todos', () => {
  const wakes = (of: HookEvent) => todoCheck.wakes(subject(of), facts())
  expect(wakes(writing([]))).toBe(true)
  expect([event('before'), event('after'), event('prompt')].some(wakes)).toBe(false)
})
