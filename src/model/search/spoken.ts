import type { Message } from '../message.ts'
import { MOST_PIECES } from './chunk.ts'
import { type Piece, piecesOf } from './piece.ts'

/** What somebody said in a session. */
export type Spoken = Pick<Message, 'id' | 'role' | 'content'>

/** The pieces of what was said last, oldest first, of messages that are given newest first; the line of each is the id of its message. */
export function piecesOfSpoken(newestFirst: readonly Spoken[]): readonly Piece[] {
  const byMessage: (readonly Piece[])[] = []
  let room = MOST_PIECES
  for (const { id, role, content } of newestFirst) {
    const pieces = piecesOf(content, role === 'user' ? 'prompt' : 'answer').slice(0, room)
    byMessage.push(pieces.map((piece) => ({ ...piece, line: id })))
    room -= pieces.length
    if (room === 0) break
  }
  return byMessage.toReversed().flat()
}
