import type { Message } from '../message.ts'
import { type Chunk, chunksOf } from './chunk.ts'

/** What somebody said in a session. */
export type Spoken = Pick<Message, 'id' | 'role' | 'content'>

/** The pieces of what was said; the line of each is the id of its message. */
export const chunksOfSpoken = (messages: readonly Spoken[]): readonly Chunk[] =>
  messages.flatMap(({ id, role, content }) =>
    chunksOf(content, role === 'user' ? 'prompt' : 'answer').map((chunk) => ({ ...chunk, line: id })),
  )
