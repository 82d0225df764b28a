import { EngineError, type ErrorCode } from '../model/error.ts'
import { oneLine } from '../model/text/line.ts'
import { textAt } from './json.ts'

/** A failed attempt, and whether another one may succeed. Callers get the error that it carries. */
export class AiFailure extends Error {
  readonly told: EngineError
  readonly mayPass: boolean
  /** Milliseconds that the provider asks to wait. */
  readonly wait: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    { mayPass = false, wait, hint }: { mayPass?: boolean; wait?: number | undefined; hint?: string } = {},
  ) {
    super(message)
    this.told = new EngineError(code, message, hint === undefined ? {} : { hint })
    this.mayPass = mayPass
    this.wait = wait
  }
}

/** The caller gave up first. */
export const notWaitedFor = (who: string) =>
  new AiFailure('timeout', `The call gave up before ${who} answered.`)

const LONGEST_REASON = 300

/** What an answer that is no success means. The reason is the provider's text without the key. */
export function failureOf(
  who: string,
  { status, headers, text, key }: { status: number; headers: Headers; text: string; key: string | undefined },
): AiFailure {
  const reason = reasonIn(text, key)
  const said = `${who} answered ${status}${reason === '' ? '.' : `: ${reason}`}`
  const wait = waitOf(headers)
  if (status >= 300 && status < 400)
    return new AiFailure('unavailable', `${who} answered with a redirect, which is not followed.`, {
      hint: 'holdfast ai status',
    })
  if (status === 401 || status === 403)
    return new AiFailure('forbidden', said, { hint: 'holdfast ai status' })
  if (status === 404) return new AiFailure('not-found', said, { hint: 'holdfast ai status' })
  if (status === 413) return new AiFailure('too-large', said)
  if (status === 408 || status === 409 || status === 429 || status >= 500)
    return new AiFailure('unavailable', said, { mayPass: true, wait })
  return new AiFailure('invalid', said, { hint: 'holdfast ai status' })
}

/** Providers put their reason into different fields. */
function reasonIn(text: string, key: string | undefined): string {
  const parsed = parsedOr(text)
  const found =
    textAt(parsed, 'error', 'message') ??
    textAt(parsed, 'error') ??
    textAt(parsed, 'detail') ??
    textAt(parsed, 'message') ??
    ''
  return withoutKey(oneLine(found, LONGEST_REASON), key)
}

/** Some providers repeat the key, or a part of it, in their error. */
export function withoutKey(text: string, key: string | undefined): string {
  const shown = key === undefined || key === '' ? text : text.replaceAll(key, '[key]')
  return shown.replaceAll(/\b(?:sk-|pa-|AIza)[-\w*.]{6,}/g, '[key]')
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The wait of a Retry-After in milliseconds: seconds, or a date. */
function waitOf(headers: Headers, now = Date.now()): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}(?:\.\d+)?$/.test(text)) return Number(text) * 1000
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
