import { expect, test } from 'vitest'
import { EngineError } from '../../model/error.ts'
import type { Command } from './command.ts'
import { inWordsOf } from './in-words.ts'

const command = (name: string, usage = '', flags: readonly string[] = []): Command => ({
  name,
  summary: '',
  usage,
  flags: Object.fromEntries(flags.map((flag) => [flag, { kind: 'value', summary: '' }])),
  run: () => Promise.resolve(0),
})

const ofMethod = (field: string, what: string) =>
  new EngineError('invalid', `db.x.y: ${field} ${what}`, { field, hint: 'holdfast rpc --describe db.x.y' })

test.each([
  [command('recap', '', ['budget']), 'budget', '--budget must be at least 0.'],
  [command('recap', '', ['effort']), 'effort_id', '--effort must be at least 0.'],
  [command('log', '[TEXT|-]', ['effort']), 'effort_id', '--effort must be at least 0.'],
  [command('effort show', 'EFFORT'), 'effort_id', 'EFFORT must be at least 0.'],
  [command('effort start', 'DIR SKILL', ['reason']), 'user_approved', '--reason must be at least 0.'],
  [command('pipeline start', 'TASK SKILL'), 'task_id', 'TASK must be at least 0.'],
  [command('queue add', 'TEXT'), 'content', 'TEXT must be at least 0.'],
  [command('run publish', 'RUN'), 'content', 'content must be at least 0.'],
])('%o: an error names %s as the user typed it', (typed, field, message) => {
  expect(inWordsOf(typed, ofMethod(field, 'must be at least 0.'))).toMatchObject({
    code: 'invalid',
    message,
    field,
    hint: `holdfast ${typed.name} --help`,
  })
})

test('an invalid argument leads to the help of its command, unless a better hint exists', () => {
  const bare = new EngineError('invalid', 'No.')
  expect(inWordsOf(command('log'), bare)).toMatchObject({ message: 'No.', hint: 'holdfast log --help' })
  const known = new EngineError('invalid', 'No.', { hint: 'holdfast log TEXT' })
  expect(inWordsOf(command('log'), known)).toBe(known)
})

test('callers of methods get the names of the method, and other errors stay unchanged', () => {
  const error = ofMethod('limit', 'must be a number.')
  expect(inWordsOf(command('rpc', 'METHOD [JSON]'), error)).toBe(error)
  for (const other of [new EngineError('conflict', 'No.'), new Error('bug'), 'x'])
    expect(inWordsOf(command('log'), other)).toBe(other)
})
