import { oneLine } from '../model/text/line.ts'
import { AiFailure, failureOf, notWaitedFor, withoutKey } from './failure.ts'

/** A request to a provider. */
export interface Post {
  /** The provider, as errors name it. */
  readonly who: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly key: string | undefined
  /** How long one attempt may take, in milliseconds. */
  readonly timeout: number
  readonly mostBytes: number
  readonly signal: AbortSignal | undefined
}

/** Sends JSON and reads JSON; rejects with an `AiFailure`. Never follows a redirect, which could take the key along. */
export async function post(asked: Post): Promise<unknown> {
  const { who, signal, key } = asked
  const late = AbortSignal.timeout(asked.timeout)
  try {
    const response = await fetch(asked.url, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...asked.headers },
      body: JSON.stringify(asked.body),
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    })
    const text = await bodyOf(response, asked)
    if (!response.ok) throw failureOf(who, { status: response.status, headers: response.headers, text, key })
    return parsed(who, text)
  } catch (error) {
    if (error instanceof AiFailure) throw error
    if (late.aborted && signal?.aborted !== true)
      throw new AiFailure('timeout', `${who} did not answer within ${asked.timeout / 1000} s.`, {
        mayPass: true,
      })
    if (signal?.aborted === true) throw notWaitedFor(who)
    throw new AiFailure('unavailable', `${who} cannot be reached: ${withoutKey(reasonOf(error), key)}.`, {
      mayPass: true,
      hint: 'holdfast ai status',
    })
  }
}

/** Reads at most so many bytes, so that no answer fills the memory. */
async function bodyOf(response: Response, { who, mostBytes }: Post): Promise<string> {
  const tooLarge = () => new AiFailure('too-large', `${who} sent more than ${mostBytes} bytes.`)
  if (Number(response.headers.get('content-length') ?? 0) > mostBytes) {
    await response.body?.cancel()
    throw tooLarge()
  }
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    // Leaving the loop cancels the rest.
    if (size > mostBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function parsed(who: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw new AiFailure('unavailable', `${who} sent no valid JSON.`, { mayPass: true })
  }
}

/** `fetch failed` hides its reason in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  const inner = cause instanceof AggregateError ? (cause.errors[0] as unknown) : cause
  const found = inner instanceof Error ? inner : error
  return oneLine(found instanceof Error ? found.message : String(found), 200)
}
