import { expect, test } from 'vitest'
import {
  commandFile,
  IN_CLIENT_NAMES,
  isCommandFile,
  ourPrompt,
  submittedDoor,
  typedDoor,
  wrongWords,
} from './in-client.ts'

test.each([
  ['/holdfast-status', { name: 'status', args: [] }],
  ['  /holdfast:pause 2h', { name: 'pause', args: ['2h'] }],
  ['/holdfast-continue  7\nplease', { name: 'continue', args: ['7', 'please'] }],
  ['/Holdfast:Why', { name: 'why', args: [] }],
  ['/holdfast-statusx', undefined],
  ['/holdfast', undefined],
  ['say /holdfast-pause', undefined],
])('%j', (prompt, expected) => {
  expect(ourPrompt(prompt)).toEqual(expected)
})

test('each has a file that the model cannot call', () => {
  for (const name of IN_CLIENT_NAMES) {
    expect(commandFile(name)).toMatch(/^---\n# .+\ndescription: "Holdfast: .+"\n/)
    expect(isCommandFile(commandFile(name))).toBe(true)
    expect(commandFile(name)).toContain('\ndisable-model-invocation: true\n---\n')
  }
})

test.each([
  `tmux send-keys -t 0 '/holdfast-pause 1d' Enter`,
  `tmux send-keys '/hold''fast-' pause Enter`,
  'tmux send-keys / h o l d f a s t - p a u s e Enter',
  'tmux send-keys /holdfast-pa Tab Enter',
  `printf '/holdfast:pause' | tmux load-buffer - && tmux paste-buffer`,
  `screen -S x -X stuff '/holdfast-pause\\n'`,
  `echo '/holdfast-pause 1d' | env -i /usr/bin/claude -p`,
  `unshare -rpf claude "/holdfast-pause 1d"`,
])('it types a pause: %s', (command) => {
  expect(typedDoor(command, () => ['claude'])).toEqual(['pause'])
})

test.each([
  `grep -rn '/holdfast-pause' docs`,
  `rg -n '/holdfast-pause' docs/tmux.md .claude/commands`,
  `tmux new -d 'cd ~/work/holdfast-plugin && npm test'`,
  'tmux send-keys -t 0 "ls /opt/holdfast-pause/bin" Enter',
  `tmux send-keys '/holdfast-status' Enter`,
  'cat .claude/commands/holdfast-pause.md',
])('it types no pause: %s', (command) => {
  expect(typedDoor(command, () => ['claude'])).toBeUndefined()
})

test('to give up a plan is a door too, to adopt one is not', () => {
  const words = ['skill', 'adopt', '--remove']
  expect(typedDoor(`tmux send-keys '/holdfast-adopt tdd --remove' Enter`, () => ['claude'])).toEqual(words)
  for (const keys of [
    '/ h o l d f a s t - a d o p t Space t d d Space - - r e m o v e Enter',
    `'/holdfast-adopt tdd --rem' 'ove' Enter`,
    `'/holdfast-adopt tdd --re' && tmux send-keys 'move' Enter`,
  ])
    expect(typedDoor(`tmux send-keys ${keys}`, () => ['claude'])).toEqual(words)
  expect(submittedDoor({ prompt: '/holdfast:adopt tdd --remove' })).toEqual(words)
  expect(typedDoor(`tmux send-keys '/holdfast-adopt tdd' Enter`, () => ['claude'])).toBeUndefined()
  expect(submittedDoor({ prompt: '/holdfast-adopt tdd' })).toBeUndefined()
})

test('a text that would be a pause as a prompt is found in the input of a tool', () => {
  expect(submittedDoor({ cron: '* * * * *', prompt: ' /holdfast-pause 1d' })).toEqual(['pause'])
  expect(submittedDoor([{ keys: ['/Holdfast:pause', 'Enter'] }])).toEqual(['pause'])
  expect(submittedDoor({ prompt: 'Document /holdfast-pause', other: null })).toBeUndefined()
})

test.each([
  ['/holdfast-step go ship --reason x', true],
  ['/holdfast-step --native-id one', true],
  ['/holdfast-continue 7 --take', true],
  ['/holdfast-continue --take', true],
  ['/holdfast-pause --project x', true],
  ['/holdfast-status --help', true],
  ['/holdfast-adopt tdd --scope user', true],
  ['/holdfast-adopt tdd --remove', false],
  ['/holdfast-adopt --all', false],
  ['/holdfast-continue 7', false],
  ['/holdfast-pause 2h', false],
  ['/holdfast-step', false],
])('%s: other words than its own: %s', (prompt, isWrong) => {
  const asked = ourPrompt(prompt)
  expect(asked !== undefined && wrongWords(asked) !== undefined).toBe(isWrong)
})

test('a long list does not hide a door', () => {
  const input = { items: [...Array.from({ length: 300_000 }, () => 'x'), '/holdfast-pause'] }
  expect(submittedDoor(input)).toBeDefined()
})
