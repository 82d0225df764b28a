import { expect, test } from 'vitest'
import { COMMAND_DOORS, isDoor } from './door.ts'
import { AGENT_COMMANDS, isForAgents, isNameable, outsideOf } from './lock.ts'

test('no command that leaves the sandbox is a door by itself', () => {
  expect(AGENT_COMMANDS.filter((name) => isDoor(name.split(' ')))).toEqual([])
})

test('only commands that we have leave the sandbox', () => {
  const known = AGENT_COMMANDS.filter((name) => COMMAND_DOORS.has(name.replace(' --continue', '')))
  expect(known).toEqual(AGENT_COMMANDS)
})

test('each of them is excluded by the path of the launcher', () => {
  expect(outsideOf({ launcher: '/home/u/bin/holdfast' })).toContain('/home/u/bin/holdfast step')
  expect(isNameable('/home/u/bin/holdfast')).toBe(true)
  expect(isNameable('/home/a b/bin/holdfast')).toBe(false)
})

test.each([
  [['step'], true],
  [['step', 'done', 'a@b'], true],
  [['stepx'], false],
  [['query', 'select 1'], false],
  [['log', '@file'], false],
  [['step', 'done', '--set=@file'], false],
])('%j is for agents: %s', (words, expected) => {
  expect(isForAgents(words)).toBe(expected)
})
