import { type Chunk, chunksOf } from './chunk.ts'
import { termsIn } from './terms.ts'

/** A chunk with what the index knows it by. */
export interface Piece extends Chunk {
  /** The terms of the heading, then in a second line those of the text. */
  readonly words: string
}

/** Splits a text into pieces for the index. It takes about a second per million characters. */
export const piecesOf = (text: string, title: string): readonly Piece[] => chunksOf(text, title).map(pieceOf)

/** A chunk as it is indexed. */
export const pieceOf = (chunk: Chunk): Piece => ({
  ...chunk,
  words: `${termsIn(chunk.heading).join(' ')}\n${termsIn(chunk.text).join(' ')}`,
})

/** The terms of a piece, of its heading and of its text. */
export function termsOfPiece(words: string): readonly [heading: readonly string[], text: readonly string[]] {
  const [heading = '', text = ''] = words.split('\n')
  return [heading.split(' '), text.split(' ')]
}
