/** What a context window is watched for beside its plan. */
export interface Watch {
  /** So many tool calls its effort allows without a word in the log. */
  readonly heartbeat: number | undefined
  /** Whether the project wants an effort before files are changed, and the window works on none. */
  readonly wantsEffort: boolean
}

const HEARTBEAT = 10

/** What a skill or a caller asks for: `true`, or a number of tool calls, which skills write as text. */
export function heartbeatLimit(asked: unknown): number | undefined {
  if (asked === true) return HEARTBEAT
  const calls = typeof asked === 'string' && /^\d{1,6}$/.test(asked) ? Number(asked) : asked
  return typeof calls === 'number' && Number.isInteger(calls) && calls > 0 ? calls : undefined
}

/** The share of its calls after which an agent is reminded: 3 of 10. */
const REMIND_AT = 0.3

export const remindAt = (limit: number): number => Math.max(1, Math.round(limit * REMIND_AT))

/** How full a context window is when it is told, in percent: first to get ready, then to act. */
export const CONTEXT_MARKS = [73, 80] as const

/** The highest mark that a window has passed; 0 for none, or where nobody has measured it. */
export const contextMark = (usage: number | null): number =>
  CONTEXT_MARKS.findLast((mark) => usage !== null && usage * 100 >= mark) ?? 0
