import { expect, test } from 'vitest'
import { transcript } from './transcript.ts'

const AT = '2026-01-01T00:00:00.000Z'
const line = (type: string, content: unknown, more: object = {}, message: object = {}) =>
  JSON.stringify({ type, timestamp: AT, message: { role: type, content, ...message }, ...more })
const said = (...lines: string[]) =>
  transcript(lines.join('\n')).messages.map(({ role, content, toolName }) => [role, content, toolName])

test.each<[string, readonly string[], readonly (readonly [string, string, string | undefined])[]]>([
  ['a prompt', [line('user', 'Do it.')], [['user', 'Do it.', undefined]]],
  ['a prompt in parts', [line('user', [{ type: 'text', text: 'Do it.' }])], [['user', 'Do it.', undefined]]],
  [
    'a command as typed',
    [
      line(
        'user',
        '<command-message>x</command-message>\n<command-name>/x</command-name>\n<command-args>a b</command-args>',
      ),
    ],
    [['user', '/x a b', undefined]],
  ],
  ['the output of a command', [line('user', '<local-command-stdout>x</local-command-stdout>')], []],
  [
    'news from the client',
    [line('user', '<task-notification>x')],
    [['system', '<task-notification>x', undefined]],
  ],
  ['an answer', [line('assistant', [{ type: 'text', text: 'Done.' }])], [['assistant', 'Done.', undefined]]],
  [
    'a call with its result',
    [
      line('assistant', [{ type: 'tool_use', id: 't', name: 'Bash', input: { command: 'ls' } }]),
      line('user', [{ type: 'tool_result', tool_use_id: 't', content: 'a b' }]),
    ],
    [['tool', '{"command":"ls"} → a b', 'Bash']],
  ],
  [
    'a failed call that began before the part that is read',
    [line('user', [{ type: 'tool_result', tool_use_id: 't', is_error: true, content: 'no' }])],
    [['tool', ' → failed: no', '']],
  ],
  ['a sub-agent', [line('user', 'x', { isSidechain: true })], []],
  ['a meta entry', [line('user', 'x', { isMeta: true })], []],
  ['other entries and half lines', [line('system', 'x'), '{"type":"user","mess', 'null', '[]', '7', ''], []],
  ['a line that is too long', [line('user', 'x'.repeat(300_000))], []],
  [
    'a command without an end tag',
    [line('user', `<command-name>${' '.repeat(8000)}x`)],
    [['user', `<command-name>${' '.repeat(8000)}x`, undefined]],
  ],
  [
    'a command with blanks around it',
    [line('user', '<command-name> /x </command-name>')],
    [['user', '/x', undefined]],
  ],
  ['an entry without a time', [line('user', 'x', { timestamp: 'never' })], []],
])('%s', (_, lines, expected) => {
  expect(said(...lines)).toEqual(expected)
})

test.each([
  ['missing without counts', {}, undefined],
  ['missing if all counts are zero', { usage: { input_tokens: 0 } }, undefined],
  [
    'the sum of all input',
    { usage: { input_tokens: 1000, cache_read_input_tokens: 99_000, output_tokens: 7 } },
    0.5,
  ],
  ['relative to the larger window above the usual one', { usage: { input_tokens: 500_000 } }, 0.5],
])('usage is %s', (_, message, usage) => {
  expect(transcript(line('assistant', [], {}, message)).usage?.usage).toBe(usage)
})
