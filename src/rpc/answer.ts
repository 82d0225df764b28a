import { isUtf8 } from 'node:buffer'
import {
  answer,
  failure,
  INVALID_REQUEST,
  PARSE_ERROR,
  type RpcError,
  type RpcId,
  type RpcReply,
  toRequest,
  TOO_LARGE,
} from './message.ts'
import { type Limits, overLimit } from './scan.ts'

/** The caller of a method, as the dispatcher sees it. */
export interface Peer {
  notify(method: string, params: unknown): Promise<void>
  readonly gone: AbortSignal
  readonly deadline: number
}

/** Answers messages, independent of the transport. */
export interface Service {
  readonly dispatch: (method: string, params: unknown, peer: Peer) => Promise<unknown>
  readonly toError: (error: unknown) => RpcError
  readonly limits: Limits
  /** The deadline of a call that does not name one. */
  readonly deadlineMilliseconds: number
  /** The most unread bytes that are kept for a caller. */
  readonly maxUnreadBytes: number
}

/** Parses a message after checking its limits; returns its value or the problem. */
export function readMessage(
  bytes: Buffer,
  limits: Limits,
): { readonly json: unknown } | { readonly problem: RpcError } {
  const over = overLimit(bytes, limits)
  if (over !== undefined)
    return {
      problem: { code: TOO_LARGE, message: `A message exceeds the limit of ${limits[over]} for ${over}.` },
    }
  try {
    if (isUtf8(bytes)) return { json: JSON.parse(bytes.toString()) as unknown }
  } catch {
    // Answered below, like bytes that are not text.
  }
  return { problem: { code: PARSE_ERROR, message: 'The message is not JSON.' } }
}

type Answer = RpcReply | readonly RpcReply[]

/** Runs the calls of a message; returns undefined if none expects an answer. */
export async function answerTo(
  value: unknown,
  service: Service,
  peer: Omit<Peer, 'deadline'>,
): Promise<Answer | undefined> {
  if (!Array.isArray(value)) return await answerOne(value, service, peer)
  const { batch } = service.limits
  if (value.length === 0)
    return failure(null, { code: INVALID_REQUEST, message: 'A batch must not be empty.' })
  if (value.length > batch)
    return failure(null, { code: TOO_LARGE, message: `A batch may have at most ${batch} calls.` })
  const replies = (await Promise.all(value.map((one) => answerOne(one, service, peer)))).filter(
    (reply) => reply !== undefined,
  )
  return replies.length === 0 ? undefined : replies
}

async function answerOne(
  value: unknown,
  { dispatch, toError, deadlineMilliseconds }: Service,
  peer: Omit<Peer, 'deadline'>,
): Promise<RpcReply | undefined> {
  const request = toRequest(value)
  if ('problem' in request) return failure(request.id, { code: INVALID_REQUEST, message: request.problem })
  const { id, method, params } = request
  const deadline = Date.now() + Math.min(request.deadline_ms ?? Infinity, deadlineMilliseconds)
  const reply = await dispatch(method, params, { ...peer, deadline }).then(
    (result) => ({ result }),
    (error: unknown) => ({ error: toError(error) }),
  )
  if (id === undefined) return undefined
  return 'error' in reply ? failure(id, reply.error) : answer(id, reply.result)
}

/** Replaces an answer that is too large with an error, instead of closing the connection. */
export function encode(reply: Answer, { maxUnreadBytes, toError }: Service): string {
  const id = 'id' in reply ? reply.id : null
  try {
    const text = JSON.stringify(reply)
    return text.length > maxUnreadBytes ? problem(TOO_LARGE, ASK_FOR_LESS, id) : text
  } catch (error) {
    // An answer can exceed the longest possible string.
    if (error instanceof RangeError) return problem(TOO_LARGE, ASK_FOR_LESS, id)
    return JSON.stringify(failure(id, toError(error)))
  }
}

const ASK_FOR_LESS = 'The answer is too large; ask for less in one call.'

export const problem = (code: number, message: string, id: RpcId = null): string =>
  JSON.stringify(failure(id, { code, message }))
