import type { Head } from './gate.ts'

/** A request that came whole and in its plainest form. */
export interface PlainPost extends Head {
  /** By lowercase names. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

const MAX_HEAD_BYTES = 4096
const LINE_END = '\r\n'
const HEAD_END = LINE_END + LINE_END
/** A value is empty, or printable ASCII with single spaces inside. */
const HEAD = /^POST \/[a-z0-9/-]+ HTTP\/1\.1(?:\r\n[A-Za-z-]+: (?:[!-~]+(?: [!-~]+)*)?)+$/
const LENGTH = /^[1-9][0-9]{0,6}$/
/** None of these changes where a request ends; `Connection` is checked. */
const HARMLESS = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'holdfast-agent',
  'holdfast-pane',
  'host',
  'origin',
  'user-agent',
])

/** Reads bytes that are exactly one plain request; undefined for all others, because a guess could be wrong. */
export function plainPost(bytes: Buffer): PlainPost | undefined {
  const end = bytes.indexOf(HEAD_END)
  if (end === -1 || end > MAX_HEAD_BYTES) return undefined
  const text = bytes.toString('latin1', 0, end)
  const head = kept.get(text) ?? keep(text, plainHead(text))
  const body = bytes.subarray(end + HEAD_END.length)
  return head?.length === body.length ? { ...head.post, body } : undefined
}

interface PlainHead {
  readonly post: Omit<PlainPost, 'body'>
  readonly length: number
}

const MOST_KEPT = 100
/** A kept connection repeats its head, except for the length. */
const kept = new Map<string, PlainHead>()

function keep(text: string, head: PlainHead | undefined): PlainHead | undefined {
  if (kept.size >= MOST_KEPT) kept.clear()
  if (head !== undefined) kept.set(text, head)
  return head
}

function plainHead(head: string): PlainHead | undefined {
  if (!HEAD.test(head)) return undefined
  const [first = '', ...lines] = head.split(LINE_END)
  const headers: Record<string, string> = {}
  const rawHeaders: string[] = []
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon).toLowerCase()
    if (!HARMLESS.has(name) || headers[name] !== undefined) return undefined
    const value = line.slice(colon + ': '.length)
    headers[name] = value
    rawHeaders.push(name, value)
  }
  const { connection = 'keep-alive', 'content-length': length = '' } = headers
  if (connection !== 'keep-alive' || !LENGTH.test(length)) return undefined
  const url = first.slice('POST '.length, -' HTTP/1.1'.length)
  return { post: { method: 'POST', url, rawHeaders, headers }, length: Number(length) }
}
