import { expect, test } from 'vitest'
import { chunksOf, MOST_PIECES, MOST_TEXT } from './chunk.ts'

test('a text is split at its headings, and each piece knows those above it', () => {
  const text = '# Guide\n\nFirst.\n\n## Install\n\nOne.\n\n### Linux\n\nTwo.\n\n## Use\n\nThree.\n'
  expect(chunksOf(text, 'Guide')).toEqual([
    { line: 3, heading: 'Guide', text: 'First.' },
    { line: 7, heading: 'Guide > Install', text: 'One.' },
    { line: 11, heading: 'Guide > Install > Linux', text: 'Two.' },
    { line: 15, heading: 'Guide > Use', text: 'Three.' },
  ])
})

test('a title that the text does not repeat stays above its headings', () => {
  expect(chunksOf('# A\n\nx\n\n### C\n\ny', 'readme').map(({ heading }) => heading)).toEqual([
    'readme > A',
    'readme > A > C',
  ])
})

test('what looks like a heading in fenced code is code, and the fence stays whole', () => {
  const code = '```sh\n# no heading\n\nls\n```'
  expect(chunksOf(`a\n\n${code}\n\nb`, 't')).toEqual([{ line: 1, heading: 't', text: `a\n\n${code}\n\nb` }])
  expect(chunksOf('````\n```\n# x\n````\n\n# y\n\nz', 't').map(({ heading }) => heading)).toEqual([
    't',
    't > y',
  ])
})

test('short paragraphs share a piece, and a long text has several', () => {
  const paragraph = 'word '.repeat(60).trim()
  const chunks = chunksOf(Array.from({ length: 12 }, () => paragraph).join('\n\n'), 't')
  expect(chunks.map(({ line }) => line)).toEqual([1, 7, 13, 19])
  expect(Math.max(...chunks.map(({ text }) => text.length))).toBeLessThanOrEqual(1100)
})

test('a line of megabytes is cut, between characters, and nothing before the limit is lost', () => {
  const line = '😀x'.repeat(500_000)
  const chunks = chunksOf(line, 't')
  const whole = chunks.map(({ text }) => text).join('')
  expect(whole).toHaveLength(MOST_TEXT)
  expect(line.startsWith(whole.slice(0, -1))).toBe(true)
  expect(chunks.every(({ text }) => text.isWellFormed())).toBe(true)
})

test('an empty text has no piece', () => {
  expect(chunksOf('\n\n# Only a heading\n', 't')).toEqual([])
})

test('a line of spaces behind the mark of a heading takes no longer than any other line', () => {
  const row = `# ${' '.repeat(20_000)}x${'#'.repeat(20_000)} y`
  expect(chunksOf(row, 't').map(({ heading }) => heading)).toContain('t')
})

test('the marks that end a heading are not part of it, but those of a word are', () => {
  const headings = chunksOf('# C#  ##\n\nx\n\n## F# \n\ny', 't').map(({ heading }) => heading)
  expect(headings).toEqual(['t > C#', 't > C# > F#'])
})

test('a text with a heading on every other line has no more pieces than one transaction may write', () => {
  expect(chunksOf('# a\nb\n'.repeat(20_000), 't')).toHaveLength(MOST_PIECES)
})

test('no secret and no sign that a database refuses is in a piece, and the lines stay', () => {
  const key = `sk-ant-${'a1B2'.repeat(10)}`
  const [first, second] = chunksOf(`The key is ${key}.\n\n# Next\n\nnul\0 and half \ud800\n`, 't')
  expect(first).toMatchObject({ line: 1, text: expect.not.stringContaining('a1B2') as string })
  expect(second).toMatchObject({ line: 5, heading: 't > Next' })
  expect(second?.text).toMatch(/^nul\ufffd and half \ufffd$/)
})
