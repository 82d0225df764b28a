import { describe, expect, test } from 'vitest'
import { SHIPPED_SHORTCUTS } from './shipped-shortcuts.ts'
import { isShortcutKey, mayBeShortcut, type Shortcut, shortcutKey, shortcutsIn } from './shortcut.ts'

const OWN: readonly Shortcut[] = [
  ...SHIPPED_SHORTCUTS,
  { word: 'wip', form: 'alone', name: 'your own', asks: 'Commit as work in progress.' },
  { word: 'bug', form: 'colon', name: 'your own', asks: 'Find the cause first.' },
]
const used = (prompt: string) =>
  shortcutsIn(prompt, OWN).map(({ shortcut, words }) => [shortcutKey(shortcut), words])

const ALONE = OWN.filter(({ form }) => form === 'alone')
const COLON = OWN.filter(({ form }) => form === 'colon')

describe('a shortcut alone', () => {
  test.each(ALONE)('is the whole prompt, or its first line: $word', ({ word }) => {
    for (const prompt of [
      word,
      ` ${word}\n`,
      word.toUpperCase(),
      `${word}\nbut only the first task`,
      `\n${word}\r\nmore`,
    ])
      expect([prompt, used(prompt)]).toEqual([prompt, [[word, '']]])
    for (const prompt of [
      `${word} it`,
      `please\n${word}`,
      `\`${word}\``,
      `/${word}`,
      `"${word}"`,
      `\`\`\`\n${word}\n\`\`\``,
    ])
      expect([prompt, used(prompt)]).toEqual([prompt, []])
  })
})

describe('a shortcut with a colon', () => {
  test.each(COLON)('takes the words of its paragraph: $word', ({ word }) => {
    const key = `${word}:`
    expect(used(`${key} the port is wrong`)).toEqual([[key, 'the port is wrong']])
    expect(used(`${key} the port\n  is wrong\n\nAnd go on.`)).toEqual([[key, 'the port is wrong']])
    expect(used(`Go on.\n\n${key}  it`)).toEqual([[key, 'it']])
    expect(used(`${word.toUpperCase()}: it`)).toEqual([[key, 'it']])
    for (const prompt of [
      key,
      `${key} `,
      `${key}it`,
      `see ${key} it`,
      `> ${key} it`,
      `\`${key} it\``,
      `    ${key} it`,
      `\`\`\`\n${key} it\n\`\`\``,
    ])
      expect([prompt, used(prompt)]).toEqual([prompt, []])
  })

  test('may come several times', () => {
    expect(used('d: one?\np: two\np: three\n```\np: four\n```\nfive')).toEqual([
      ['d:', 'one?'],
      ['p:', 'two'],
      ['p:', 'three'],
    ])
  })
})

test.each(['Mend the port', 'status', 'y', 'c', 'https://a.b: c', '{"d": 1}', 'Note: this', ''])(
  'other text is none: %j',
  (prompt) => {
    expect(used(prompt)).toEqual([])
  },
)

test('every prompt that uses one may be one, and most others are none', () => {
  for (const { word, form } of OWN)
    expect(mayBeShortcut(form === 'alone' ? `${word}\nmore` : `Go on.\n${word}: it`)).toBe(true)
  for (const prompt of ['Mend the port', 'Do this. Then that: done', '/flow it', '{"a":1}\n{"b":2}'])
    expect(mayBeShortcut(prompt)).toBe(false)
})

test('takes linear time', () => {
  for (const text of [' ', ':', 'd: ', 'a:b', '\n', 'p: x\n', '```\n'])
    expect(shortcutsIn(text.repeat(100_000), OWN)).toBeInstanceOf(Array)
})

test('a key is one word', () => {
  expect(['x', 'wip', 'b:', '?', 'läuft:'].filter(isShortcutKey)).toHaveLength(5)
  expect(['', ':', 'a b', 'a::', '/x', 'x'.repeat(31)].filter(isShortcutKey)).toEqual([])
})
