import { expect, test } from 'vitest'
import {
  commandFile,
  holdsPause,
  IN_CLIENT_NAMES,
  isCommandFile,
  ourPrompt,
  typesPause,
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
  expect(typesPause(command, ['claude'])).toBe(true)
})

test.each([
  `grep -rn '/holdfast-pause' docs`,
  `rg -n '/holdfast-pause' docs/tmux.md .claude/commands`,
  `tmux new -d 'cd ~/work/holdfast-plugin && npm test'`,
  'tmux send-keys -t 0 "ls /opt/holdfast-pause/bin" Enter',
  `tmux send-keys '/holdfast-status' Enter`,
  'cat .claude/commands/holdfast-pause.md',
])('it types no pause: %s', (command) => {
  expect(typesPause(command, ['claude'])).toBe(false)
})

test('a text that would be a pause as a prompt is found in the input of a tool', () => {
  expect(holdsPause({ cron: '* * * * *', prompt: ' /holdfast-pause 1d' })).toBe(true)
  expect(holdsPause([{ keys: ['/Holdfast:pause', 'Enter'] }])).toBe(true)
  expect(holdsPause({ prompt: 'Document /holdfast-pause', other: null })).toBe(false)
})

test.each([
  ['/holdfast-step go ship --reason x', true],
  ['/holdfast-step --native-id one', true],
  ['/holdfast-continue 7 --take', true],
  ['/holdfast-continue --take', true],
  ['/holdfast-pause --project x', true],
  ['/holdfast-status --help', true],
  ['/holdfast-continue 7', false],
  ['/holdfast-pause 2h', false],
  ['/holdfast-step', false],
])('%s: other words than its own: %s', (prompt, isWrong) => {
  const asked = ourPrompt(prompt)
  expect(asked !== undefined && wrongWords(asked) !== undefined).toBe(isWrong)
})
