/** What a session is watched for besides its plan. */
export interface Watch {
  /** The most tool calls without a log entry. */
  readonly heartbeat: number | undefined
  /** True if the agent was reminded since its last log entry. */
  readonly isReminded?: boolean
  /** True if the project requires an effort and the session has none. */
  readonly wantsEffort: boolean
  /** True if a sub-agent of the session may have a scope of its own. */
  readonly hasScopes?: boolean
  /** False if no sub-agent of the session has steps of a plan. */
  readonly hasDelegations?: boolean
  /** False if its project is not strict. */
  readonly isStrict?: boolean
  /** True if its effort is active and has a plan. */
  readonly hasPlan?: boolean
  /** True if that plan says from which step on some files may change. */
  readonly gatesWrites?: boolean
  /** True if that plan is a workflow whose first step must be printed and was not. */
  readonly awaitsFirstStep?: boolean
  /** True if an edit of that plan was not told yet. */
  readonly hasNews?: boolean
  /** True if it has a chain that goes on. */
  readonly hasChain?: boolean
}

const HEARTBEAT = 10

/** A heartbeat setting: `true`, or a number of tool calls, which skills write as text. */
export function heartbeatLimit(asked: unknown): number | undefined {
  if (asked === true) return HEARTBEAT
  const calls = typeof asked === 'string' && /^\d{1,6}$/.test(asked) ? Number(asked) : asked
  return typeof calls === 'number' && Number.isInteger(calls) && calls > 0 ? calls : undefined
}

/** The reminder comes after 3 of 10 calls. */
const REMIND_AT = 0.3

export const remindAt = (limit: number): number => Math.max(1, Math.round(limit * REMIND_AT))

/** Context usage marks in percent: first a warning, then an urgent one. */
export const CONTEXT_MARKS = [73, 80] as const

/** The highest mark passed; 0 if none or not measured. */
export const contextMark = (usage: number | null): number =>
  CONTEXT_MARKS.findLast((mark) => usage !== null && usage * 100 >= mark) ?? 0
