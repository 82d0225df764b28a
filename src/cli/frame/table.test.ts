import { describe, expect, test } from 'vitest'
import { show } from './show.ts'
import { pairs, table } from './table.ts'
import { shortId } from './print.ts'
import { cutTo, widthOf, wrap } from './wrap.ts'

const io = { color: false, width: 80 }
const narrow = (width: number) => ({ color: false, width })
const linesOf = (text: string) => text.split('\n')

describe('a line', () => {
  test.each([
    ['abc', 3],
    ['日本', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['\u001B[31mred\u001B[0m', 3],
    ['😀', 2],
  ])('%j takes %i columns', (text, width) => expect(widthOf(text)).toBe(width))

  test.each([
    ['fits', 10, ['fits']],
    ['one two three', 7, ['one two', 'three']],
    ['one two', 3, ['one', 'two']],
    ['/home/me/project/tasks/login', 12, ['/home/me/', 'project/', 'tasks/login']],
    ['see /home/me/project', 9, ['see', '/home/me/', 'project']],
    ['aaaaaaaaaa', 4, ['aaaa', 'aaaa', 'aa']],
    ['日本語日本語', 5, ['日本', '語日', '本語']],
    ['日', 1, ['日']],
    ['', 5, ['']],
  ])('%j within %i columns breaks between words, or else after a slash', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines)
  })

  test('wrapping loses no text at any width', () => {
    const text = 'holdfast effort phase 12 "4: Synthesis" in /home/me/日本語/a-very-long-name-of-a-folder'
    for (let width = 2; width < 90; width++) {
      const lines = wrap(text, width)
      expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width)
      expect(lines.join('').replaceAll(' ', '')).toBe(text.replaceAll(' ', ''))
    }
  })

  test.each([
    ['short', 5, 'short'],
    ['longer', 5, 'long…'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
  ])('%j is cut at %i columns and says so', (text, width, shown) => {
    expect(cutTo(text, width)).toBe(shown)
    expect(widthOf(cutTo(text, width))).toBeLessThanOrEqual(width)
  })
})

describe('a table', () => {
  test('leaves out columns that are empty everywhere', () => {
    const rows = [
      { a: 1, b: null, c: 0 },
      { a: 22, b: '', c: false },
    ]
    expect(table(io, rows)).toBe('a   c\n1   0\n22  false')
    expect(table(io, rows, { all: true })).toBe('a   b  c\n1      0\n22     false')
  })

  const path = '/home/somebody/projects/some-project/tasks/2026-03-01-ship-a-login-page'
  const rows = [
    { id: 1, task: path, note: 'The user wants a login page that works without a password.' },
    { id: 22, task: '/t', note: '日本語の説明' },
  ]

  test.each([30, 40, 60, 80, 120, 200])('fits into %i columns and keeps every letter', (width) => {
    const text = table(narrow(width), rows)
    expect(Math.max(...linesOf(text).map(widthOf))).toBeLessThanOrEqual(width)
    const letters = (all: string) => Array.from(all.replaceAll(/\s/g, '')).toSorted().join('')
    const values = rows.flatMap((row) => Object.values(row).map(String)).join('')
    expect(letters(text)).toBe(letters(`idtasknote${values}`))
  })

  test('wraps columns that users copy, and cuts only prose', () => {
    const text = table(narrow(60), rows, { cut: ['note'] })
    expect(
      linesOf(text)
        .map((line) => line.slice(4, 46).trim())
        .join(''),
    ).toContain(path)
    expect(text).toContain('…')
  })

  test('cuts the start of a path and the end of an id in columns that may be short', () => {
    const id = '0b5c8e4e-6f0a-4f7e-9a52-5b1d2f3a4c5d'
    const text = table(narrow(40), [{ no: 1, who: id, task: path }], { short: ['who', 'task'] })
    expect(linesOf(text)).toHaveLength(2)
    expect(linesOf(text)[1]).toMatch(/^1 {3}0b5c8e4e-\S*… +…\S*-login-page$/)
    expect(table(narrow(200), [{ task: path }], { short: ['task'] })).toContain(path)
  })

  test('prints its rows as records if its columns would be too narrow', () => {
    const wide = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`column_${at}`, 'x'.repeat(20)]))
    const [first = '', second = ''] = table(io, [wide, { column_0: 'y' }]).split('\n\n')
    expect(linesOf(first)).toHaveLength(9)
    expect(first).toMatch(/^column_0 {2}x{20}\ncolumn_1 {2}x{20}\n/)
    expect(second).toBe('column_0  y')
  })
})

test('values are beside their names, or below them on a narrow terminal', () => {
  const entries = [
    ['name', 'a b'],
    ['long_name', 'one two three four'],
    ['none', null],
  ] as const
  expect(pairs(narrow(23), entries)).toBe('name       a b\nlong_name  one two\n           three four')
  expect(pairs(narrow(14), entries)).toBe('name\n  a b\nlong_name\n  one two\n  three four')
})

test('a UUID is shown by its start, and any other id in full', () => {
  expect(shortId('0b5c8e4e-6f0a-4f7e-9a52-5b1d2f3a4c5d')).toBe('0b5c8e4e…')
  expect(shortId('two-idle')).toBe('two-idle')
})

describe('a result for users', () => {
  test('leaves out empty fields', () => {
    expect(show(io, [])).toBe('(none)')
    expect(show(io, { a: 1, list: ['x'], none: null, empty: [], object: {} })).toBe('a     1\nlist  ["x"]')
  })

  test('prints the lists of an object as tables below it, and cuts long texts', () => {
    const rows = [{ b: `x\n${'x '.repeat(150)}`, c: '' }, { b: 2 }]
    const shown = show(io, { rows, a: 1 })
    expect(shown).toMatch(/^a {2}1\n\nrows\nb\n(x ?)+\n/)
    expect(shown).toContain('…\n2')
    expect(show(io, { rows })).toMatch(/^rows\nb\n/)
    const command = 'holdfast '.repeat(40).trimEnd()
    expect(show(io, { rows: [{ command }] }).match(/holdfast/g)).toHaveLength(40)
  })

  test('prints relative times and no digests', () => {
    const [time, digest] = [new Date(Date.now() - 300_000).toISOString(), 'ab'.repeat(32)]
    expect(show(io, { id: 1, digest, at: time, seen: [{ at: time, digest }] })).toBe(
      'id  1\nat  5 min ago\n\nseen\nat\n5 min ago',
    )
    expect(show(io, [{ id: 1, digest, calls: { a: [{ at: time }] } }])).toBe(
      'id  calls\n1   {"a":[{"at":"5 min ago"}]}',
    )
  })
})
