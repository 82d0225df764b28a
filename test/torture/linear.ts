/** A call of a history: what was asked, when, and the answer. */
export interface Timed<Op, Answer> {
  readonly op: Op
  readonly from: number
  /** Infinity if no answer came: it takes effect at some time after `from`, or never. */
  readonly until: number
  readonly answer?: Answer | undefined
}

/** What one object does if nobody else uses it. */
export interface Model<State, Op, Answer> {
  readonly initial: State
  /** The next state; undefined if the object cannot give this answer. An unknown answer is never wrong. */
  apply(state: State, op: Op, answer: Answer | undefined): State | undefined
  /** Whether no later state can give this answer, or change by this call without an answer; shortens the search. */
  isOver(state: State, op: Op, answer: Answer | undefined): boolean
  /** Equal for equal states only. */
  nameOf(state: State): string
}

const MOST_TRIED = 100_000

/**
 * Looks for an order of the calls, each at one moment between question and answer, in which the object could have
 * given all these answers. Wing and Gong's search; Lowe's memory of what was tried keeps it short. Returns nothing if
 * there is an order, else the calls that fit nowhere at the end of the longest order.
 */
export function unexplained<State, Op, Answer>(
  history: readonly Timed<Op, Answer>[],
  model: Model<State, Op, Answer>,
): readonly Timed<Op, Answer>[] | undefined {
  const calls = history.toSorted((a, b) => a.from - b.from)
  const tried = new Set<string>()
  let longest = { length: -1, stuck: calls.slice(0, 0) }
  const isDone = calls.map(() => false)
  const isHopeless = (state: State) =>
    calls.some(
      ({ op, answer }, index) =>
        isDone[index] === false && answer !== undefined && model.isOver(state, op, answer),
    )
  const untilOf = (index: number): number => calls[index]?.until ?? Infinity

  /** Calls that may come next: asked before the first answer that is still to be explained. */
  const candidates = (state: State): readonly number[] => {
    let first = Infinity
    const open: number[] = []
    for (const [index, { op, from, until }] of calls.entries()) {
      if (from > first) break
      if (isDone[index] === true || (until === Infinity && model.isOver(state, op, undefined))) continue
      first = Math.min(first, until)
      open.push(index)
    }
    return open.filter((index) => (calls[index]?.from ?? Infinity) <= first)
  }

  const search = (state: State, length: number): boolean => {
    const open = candidates(state)
    if (open.every((index) => untilOf(index) === Infinity)) return true
    const before = model.nameOf(state)
    // All other calls follow from these: asked earlier and done, or asked too late.
    const config = `${open.join()}|${before}`
    if (tried.has(config)) return false
    tried.add(config)
    if (tried.size > MOST_TRIED) throw new Error('The history is too long to decide.')
    if (length > longest.length) longest = { length, stuck: open.flatMap((index) => calls[index] ?? []) }
    // Answered calls first: most unanswered ones are explained by their repetition.
    for (const index of open.toSorted((a, b) => untilOf(a) - untilOf(b))) {
      const call = calls[index]
      const next = call === undefined ? undefined : model.apply(state, call.op, call.answer)
      const hasEffect = next !== undefined && model.nameOf(next) !== before
      // An unanswered call without an effect need not be placed.
      if (next === undefined || (!hasEffect && untilOf(index) === Infinity)) continue
      isDone[index] = true
      if (!isHopeless(next) && search(next, length + 1)) return true
      isDone[index] = false
      // Without an effect it fits here if anywhere, so the fault lies elsewhere.
      if (!hasEffect) return false
    }
    return false
  }

  return search(model.initial, 0) ? undefined : longest.stuck
}
