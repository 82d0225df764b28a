import type { Message } from '../message.ts'
import { type Piece, piecesOf } from './piece.ts'

/** What somebody said in a session. */
export type Spoken = Pick<Message, 'id' | 'role' | 'content'>

/** The pieces of what was said; the line of each is the id of its message. */
export const piecesOfSpoken = (messages: readonly Spoken[]): readonly Piece[] =>
  messages.flatMap(({ id, role, content }) =>
    piecesOf(content, role === 'user' ? 'prompt' : 'answer').map((chunk) => ({ ...chunk, line: id })),
  )
