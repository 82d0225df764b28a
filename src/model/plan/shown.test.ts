import { expect, test } from 'vitest'
import { addSeen, bodyOf, linesShown, seenOf, shownOf } from './shown.ts'

const STEP = '---\nproduces: [view]\n---\n\n# Look\n\nOpen the door.\n  - 12: wide\n'
const BODY = bodyOf(STEP)

test('the body is what follows the frontmatter, without blank lines, counted from the top of the file', () => {
  expect(BODY).toEqual([
    { at: 5, text: '# Look' },
    { at: 7, text: 'Open the door.' },
    { at: 8, text: '- 12: wide' },
  ])
  expect(bodyOf('# Look\r\n\r\nOpen.\r\n')).toEqual([
    { at: 1, text: '# Look' },
    { at: 3, text: 'Open.' },
  ])
  expect(bodyOf('\n---\na: 1\n...\nOpen.')).toEqual([{ at: 5, text: 'Open.' }])
  expect(bodyOf('---\nproduces: [view]\n---\n')).toEqual([])
  // A line of hyphens that nothing closes is a rule.
  expect(bodyOf('---\nOpen.')).toHaveLength(2)
  expect(bodyOf('Open.\n---\nClose.')).toHaveLength(3)
})

test.each([
  ['the file', STEP, [5, 7, 8]],
  ['no line', '', []],
  ['other text', 'Close the door.\n3 steps/look.md', []],
  ['a part of a line', 'Open the', []],
  ['a part of the file', 'Open the door.\n  - 12: wide', [7, 8]],
  ['numbers with an arrow', '     5→# Look\n     6→\n     7→Open the door.', [5, 7]],
  ['numbers with a tab', '     5\t# Look\n     8\t  - 12: wide', [5, 8]],
  ['a search with numbers', '5:# Look\n6-\n7-Open the door.', [5, 7]],
  [
    'a search in several files',
    '/s/a.md:5:# Look\nsteps/a.md-7-Open the door.\nb.md:  - 12: wide',
    [5, 7, 8],
  ],
  ['a bar', '   7 │ Open the door.', [7]],
])('a text with %s shows those lines', (_, text, lines) => {
  expect(linesShown(BODY, text)).toEqual(lines)
})

test('a line that a tool cuts counts by its beginning', () => {
  const long = 'word '.repeat(200)
  expect(linesShown(bodyOf(long), `${long.slice(0, 500)}... [cut]`)).toEqual([1])
})

test('answers add up, and a changed text starts anew', () => {
  const body = { digest: 'd', lines: BODY }
  const first = seenOf(body, [5])
  expect(first).toEqual({ digest: 'd', total: 3, missing: [7, 8] })
  expect(shownOf(first)).toBe(1)
  expect(addSeen(undefined, first)).toEqual(first)
  expect(addSeen({ ...first, bySubagent: 1 }, seenOf(body, [7]))).toEqual({
    digest: 'd',
    total: 3,
    missing: [8],
  })
  const changed = seenOf({ ...body, digest: 'e' }, [7])
  expect(addSeen(first, changed)).toEqual(changed)
})
