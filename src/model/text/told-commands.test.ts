import { expect, test } from 'vitest'
import { withProgram } from './told-commands.ts'

const PATH = '/home/me/.local/state/holdfast/bin/holdfast'
const told = (text: string) => withProgram(text, PATH)

test.each([
  'holdfast effort finish 3',
  '  try: holdfast rpc --list',
  'Next: run holdfast pipeline next 3 or holdfast effort finish 3',
  'To list: holdfast queue list. To close it: holdfast queue resolve 7 "what was done"',
  'Open queue items (to close one: holdfast queue resolve ID TEXT):',
  'call a skill, or run holdfast effort start . SKILL (holdfast skill list names the skills)',
  'unset HOLDFAST_HTTP && holdfast daemon stop',
  'holdfast daemon stop; mkdir x',
  'Step "check" needs "change". Run `holdfast prove tests`.',
  '\u001B[36mholdfast session continue 2\u001B[39m',
  'next: \u001B[36mholdfast session continue 2\u001B[39m',
  'a\n- effort 2 of ship, in /x/holdfast log: holdfast session continue 2',
  'holdfast --help',
])('a command names the program of its reader: %j', (text) => {
  const parts = told(text).split(PATH)
  expect(parts.length).toBeGreaterThan(1)
  expect(parts.join('holdfast')).toBe(text)
  expect(told(text).replaceAll(PATH, '')).not.toMatch(/(?<![\w/])holdfast (?!log:)/)
})

test.each([
  'Holdfast: 3 tool calls with no log entry',
  'only plain holdfast commands are allowed',
  'x has schema version 9, but this holdfast supports versions up to 8',
  'holdfast: starting the daemon.',
  'holdfast: holdfast effort start needs DIR.',
  'the holdfast log is broken',
  'Last request: "run holdfast log x"',
  '- /home/me/holdfast demo/notes.md',
  'holdfast logging is off',
])('anything else stays: %j', (text) => expect(told(text)).toBe(text))

test('a reader who has the command reads its name', () =>
  expect(withProgram('run holdfast status', 'holdfast')).toBe('run holdfast status'))
