import { expect, test } from 'vitest'
import { MOST_PIECES } from './chunk.ts'
import { piecesOfSpoken } from './spoken.ts'

const said = (id: number, content: string) => ({ id, role: 'user' as const, content })

test('the pieces of a session are in the order of its messages, each with the id of its own', () => {
  const pieces = piecesOfSpoken([said(7, 'Second.'), said(3, '# First\n\na\n\n## Then\n\nb')])
  expect(pieces.map(({ line, text }) => [line, text])).toEqual([
    [3, 'a'],
    [3, 'b'],
    [7, 'Second.'],
  ])
})

test('of a session with more than one transaction may write, what was said last is kept', () => {
  const long = '# a\nb\n'.repeat(MOST_PIECES)
  const pieces = piecesOfSpoken([said(3, 'Last.'), said(2, long), said(1, 'First.')])
  expect(pieces).toHaveLength(MOST_PIECES)
  expect(pieces.at(-1)).toMatchObject({ line: 3, text: 'Last.' })
  expect(pieces[0]).toMatchObject({ line: 2 })
})
