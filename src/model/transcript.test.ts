import { expect, test } from 'vitest'
import type { Happening, HookEvent } from './event.ts'
import { messagesAfter, newsIn, type NewMessage, outcomesOf, textsOf } from './transcript.ts'

const messagesOf = (event: HookEvent, at: string) => [...textsOf(event, at), ...outcomesOf(event, at)]
const tool = { id: 't1', name: 'Read', does: { kind: 'other' }, input: { file_path: '/a' } } as const

test.each<[string, Happening, readonly (readonly [string, string, string?])[]]>([
  ['a prompt', { kind: 'prompt.submitted', text: ' Do it. ', by: 'user' }, [['user', 'Do it.']]],
  ['an empty prompt', { kind: 'prompt.submitted', text: ' ', by: 'user' }, []],
  ['news of the client', { kind: 'prompt.submitted', text: 'News', by: 'client' }, [['system', 'News']]],
  ['a call that begins', { kind: 'tool.before', tool }, []],
  [
    'a call and its result',
    { kind: 'tool.after', tool: { ...tool, result: { ok: 1 }, ended: true } },
    [['tool', '{"file_path":"/a"} → {"ok":1}', 't1']],
  ],
  [
    'a call that failed',
    { kind: 'tool.failed', tool, error: 'gone', interrupted: false },
    [['tool', '{"file_path":"/a"} → failed: gone', 't1']],
  ],
  [
    'a call that was not permitted',
    { kind: 'permission.denied', tool, reason: 'too risky' },
    [['tool', '{"file_path":"/a"} → denied: too risky', 't1']],
  ],
  [
    'the end of a turn',
    { kind: 'turn.stopped', again: false, running: 0, lastMessage: 'Done.' },
    [['assistant', 'Done.']],
  ],
  ['a turn that ends without a word', { kind: 'turn.stopped', again: false, running: 0 }, []],
  ['a turn that fails', { kind: 'turn.failed', error: 'x', lastMessage: 'Half.' }, [['assistant', 'Half.']]],
])('%s', (_, happening, expected) => {
  const said = messagesOf({ client: 'c', ...happening }, 'now')
  expect(
    said.map(({ role, content, nativeId }) => [role, content, ...(nativeId === undefined ? [] : [nativeId])]),
  ).toEqual(expected)
})

test('texts are cut, and too many that wait lose the oldest', () => {
  const long = messagesOf({ client: 'c', kind: 'prompt.submitted', text: 'x'.repeat(50_000), by: 'user' }, '')
  expect(long[0]?.content.length).toBe(10_000)
  const big = { ...tool, input: 'x'.repeat(9000), result: 'y'.repeat(9000), ended: true }
  expect(messagesOf({ client: 'c', kind: 'tool.after', tool: big }, '')[0]?.content.length).toBeLessThan(2600)
  const many = Array.from({ length: 600 }, (_, n): NewMessage => ({ role: 'user', content: `${n}`, at: '' }))
  const kept = messagesAfter([], many)
  expect([kept.length, kept.at(-1)?.content]).toEqual([500, '599'])
})

const at = (second: number) => `2026-01-01T00:00:${second}Z`
const user = (content: string, second: number, nativeId?: string): NewMessage => ({
  role: 'user',
  content,
  nativeId,
  at: at(second),
})
const call = (nativeId: string): NewMessage => ({ role: 'tool', content: '', nativeId, at: at(30) })
let rows = 0
const stored = (content: string, second: number, id: string | null = null, role?: 'user' | 'tool') => ({
  id: ++rows,
  role: role ?? (id === null ? ('user' as const) : ('tool' as const)),
  content,
  timestamp: at(second),
  native_id: id,
})

test('of a tail only what is not stored is missing, as often as it was said', () => {
  const tail = [user('go on', 20, 'u1'), call('a'), user('go on', 40, 'u2'), call('b')]
  const missing = (...known: readonly ReturnType<typeof stored>[]) =>
    newsIn(tail, known).missing.map(({ nativeId }) => nativeId)
  expect(missing(stored('go on', 21), stored('', 31, 'a'))).toEqual(['u2', 'b'])
  expect(missing(stored('go on', 41))).toEqual(['u1', 'a', 'b'])
  expect(missing(stored('go on', 41), stored('go on', 42))).toEqual(['a', 'b'])
  expect(missing(stored('', 10, 'a'))).toEqual(['u1', 'u2', 'b'])
})

test('a text of a hook matches one text of the transcript, whether that has an id or not', () => {
  const told = stored('Done.', 20)
  const { missing, shown } = newsIn([user('Done.', 19, 'u1')], [told])
  expect([missing, shown]).toEqual([[], [{ id: told.id, nativeId: 'u1' }]])
  const known = stored('Done.', 20, 'u1', 'user')
  const later = newsIn([user('Done.', 19, 'u1'), user('Done.', 21, 'u2')], [known])
  expect(later).toEqual({ missing: [user('Done.', 21, 'u2')], shown: [] })
  expect(newsIn([user('Done.', 19)], [told]).shown).toEqual([{ id: told.id, nativeId: '' }])
  expect(newsIn([user('Done.', 21)], [stored('Done.', 20, '', 'user')]).missing).toEqual([
    user('Done.', 21, ''),
  ])
})
