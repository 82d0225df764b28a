import { expect, test } from 'vitest'
import { commandFile, IN_CLIENT_NAMES, isCommandFile, ourPrompt, typesPause } from './in-client.ts'

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

test('a command that types a pause into a client is known', () => {
  expect(typesPause(`tmux send-keys -t 0 '/holdfast-pause 1d' Enter`)).toBe(true)
  expect(typesPause(`grep -rn '/holdfast-pause' docs`)).toBe(false)
})
