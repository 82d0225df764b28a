import { expect, test } from 'vitest'
import { inOurVoice, VOICE_BYTES } from './voice.ts'

test.each([
  ['Step "a" needs "b".', 'Holdfast: step "a" needs "b".'],
  ['A word.', 'Holdfast: a word.'],
  ['10 tool calls.', 'Holdfast: 10 tool calls.'],
  ['/p/A.md must be read.', 'Holdfast: /p/A.md must be read.'],
  ['AGENTS.md must be read.', 'Holdfast: AGENTS.md must be read.'],
])('a message %j becomes %j', (text, told) => {
  expect(inOurVoice(text)).toBe(told)
  expect(inOurVoice(told)).toBe(told)
  expect(told).toHaveLength(text.length + VOICE_BYTES)
})

test('an empty message stays empty', () => {
  expect(inOurVoice('')).toBe('')
})
