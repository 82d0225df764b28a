import { expect, test } from 'vitest'
import { Turns } from '../../model/history.ts'
import { history } from './history.ts'

const AT = '2026-01-01T00:00:00.000Z'
const line = (type: string, content: unknown, more: object = {}): string =>
  JSON.stringify({
    type,
    timestamp: AT,
    uuid: 'u',
    cwd: '/home/user/project',
    message: { role: type, content },
    ...more,
  })
const textOf = (given: string) => {
  const read = history.read(given)
  return read.kind === 'said' ? read.text : read.kind
}

test.each<[string, string, string]>([
  ['a prompt', line('user', 'Do it.'), 'Do it.'],
  [
    'a prompt in parts',
    line('user', [
      { type: 'text', text: 'Do' },
      { type: 'text', text: 'it.' },
    ]),
    'Do\nit.',
  ],
  ['a prompt with a picture', line('user', [{ type: 'image' }, { type: 'text', text: 'See?' }]), 'See?'],
  ['a prompt with a reminder', line('user', 'Do <system-reminder>x</system-reminder>it.'), 'Do it.'],
  ['an answer', line('assistant', [{ type: 'text', text: 'Done.' }]), 'Done.'],
  ['a call of a tool', line('assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }]), 'other'],
  ['a thought', line('assistant', [{ type: 'thinking', thinking: 'Hm.' }]), 'other'],
  [
    'a result of a tool',
    line('user', [
      { type: 'tool_result', content: 'x' },
      { type: 'text', text: 'note' },
    ]),
    'other',
  ],
  [
    'a command with words',
    line('user', '<command-name>/design</command-name>\n<command-args>a cache</command-args>'),
    '/design a cache',
  ],
  [
    'a command alone',
    line('user', '<command-name>/clear</command-name>\n<command-args></command-args>'),
    'other',
  ],
  ['a shell command of the user', line('user', '<bash-input>ls -l</bash-input>'), '! ls -l'],
  ['its output', line('user', '<bash-stdout>x</bash-stdout>'), 'other'],
  ['the output of a command', line('user', '<local-command-stdout>x</local-command-stdout>'), 'other'],
  ['a notification', line('user', '<task-notification>x'), 'other'],
  ['an interruption', line('user', [{ type: 'text', text: '[Request interrupted by user]' }]), 'other'],
  ['a sub-agent', line('user', 'x', { isSidechain: true }), 'other'],
  ['a note of the client', line('user', 'x', { isMeta: true }), 'other'],
  ['a summary', line('user', 'x', { isCompactSummary: true }), 'other'],
  [
    'a failure of the service',
    line('assistant', [{ type: 'text', text: 'API Error' }], { isApiErrorMessage: true }),
    'other',
  ],
  ['another kind', JSON.stringify({ type: 'file-history-snapshot' }), 'other'],
  ['a kind of a later version', JSON.stringify({ type: 'hologram' }), 'unknown'],
  ['no time', line('user', 'x', { timestamp: 'soon' }), 'unknown'],
  ['no content', line('user', { a: 1 }), 'unknown'],
  ['blocks of another form', line('user', [1, null]), 'unknown'],
  ['half a line', '{"type":"user","mess', 'unknown'],
  ['no object', 'null', 'unknown'],
  ['a list', '[]', 'unknown'],
  ['nothing', '', 'unknown'],
  ['NUL and halves of characters', line('user', 'a\0b\ud800c'), 'a\u{fffd}b\u{fffd}c'],
])('%s', (_, given, expected) => {
  expect(textOf(given)).toBe(expected)
})

test('a session is the main thread of a file in the folder of a project', () => {
  expect(history.sessionOf('-home-user/5be1.jsonl')).toBe('5be1')
  for (const other of [
    '5be1.jsonl',
    '-home/agent-1.jsonl',
    '-home/5be1/subagents/a.jsonl',
    '-home/x.json',
    '-home/a b.jsonl',
  ])
    expect(history.sessionOf(other)).toBeUndefined()
})

test('a line names the folder of its session', () => {
  expect(history.cwdIn(line('user', 'x'))).toBe('/home/user/project')
  for (const none of ['', '{}', '{"cwd":7}', '{"cwd":"relative"}'])
    expect(history.cwdIn(none)).toBeUndefined()
})

test('of each turn the prompt and the last answer are kept, and a turn that goes on waits for its end', () => {
  const turns = new Turns(0)
  const said = [
    line('user', 'One?'),
    line('assistant', [{ type: 'text', text: 'Hm.' }]),
    line('assistant', [{ type: 'text', text: 'One.' }]),
  ]
  said.forEach((text, at) => turns.add(history.read(text), { from: at * 10, to: at * 10 + 10 }))
  const first = turns.take()
  expect([first.messages.map(({ content }) => content), first.to]).toEqual([['One?'], 10])
  turns.add(history.read(line('user', 'Two?')), { from: 30, to: 40 })
  expect(turns.count).toBe(2)
  turns.add({ kind: 'unknown' }, { from: 40, to: 50 })
  const last = turns.end()
  expect([last.messages.map(({ content }) => content), last.to]).toEqual([['One.', 'Two?'], 50])
})
