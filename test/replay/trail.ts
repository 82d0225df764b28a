/** A step file as its author wrote it; the tests know no more of a plan. */
export interface Step {
  readonly file: string
  readonly consumes?: readonly string[]
  readonly produces?: readonly string[]
  readonly optional?: boolean
  /** What follows an outcome, as far as artifacts do not decide that. */
  readonly next?: Readonly<Record<string, readonly string[]>>
  readonly limit?: number
  readonly onLimit?: string
}

/** Where an effort stands in its step files. */
export interface Trail {
  readonly steps: readonly Step[]
  /** Ordered only by numbers: such a plan advises. */
  readonly isAdvice: boolean
  readonly status: 'running' | 'completed' | 'parked'
  /** Started and not ended, in order of their start. */
  readonly current: readonly string[]
  /** The steps that were read only in part. */
  readonly begun: ReadonlySet<string>
  /** How often each was started, in the order of the first start. */
  readonly tries: ReadonlyMap<string, number>
  readonly outcomes: ReadonlyMap<string, string>
  /** The failed steps that an approval has passed. */
  readonly waived: ReadonlySet<string>
  /** What an outcome or a limit has opened, and nobody started. */
  readonly led: ReadonlySet<string>
}

/** A trail that nobody has gone. */
export const trailOf = (steps: readonly Step[], isAdvice: boolean): Trail => ({
  steps,
  isAdvice,
  status: 'running',
  current: [],
  begun: new Set(),
  tries: new Map(),
  outcomes: new Map(),
  waived: new Set(),
  led: new Set(isAdvice ? steps.slice(0, 1).map(({ file }) => file) : []),
})

const stepIn = ({ steps }: Trail, file: string): Step => {
  const step = steps.find((one) => one.file === file)
  if (step === undefined) throw new Error(`There is no step ${file}.`)
  return step
}

/** What follows each outcome; numbers lead to the next one. */
const waysOf = (trail: Trail, step: Step): Readonly<Record<string, readonly string[]>> | undefined =>
  trail.isAdvice
    ? {
        ok: trail.steps
          .slice(trail.steps.indexOf(step) + 1, trail.steps.indexOf(step) + 2)
          .map(({ file }) => file),
      }
    : step.next

const isSpent = (trail: Trail, file: string): boolean =>
  (trail.tries.get(file) ?? 0) >= (stepIn(trail, file).limit ?? Infinity)

/** A step at its limit leads elsewhere, or nowhere. */
function withinLimit(trail: Trail, file: string): readonly string[] {
  if (!isSpent(trail, file)) return [file]
  const { onLimit } = stepIn(trail, file)
  return onLimit === undefined ? [] : withinLimit(trail, onLimit)
}

/** The steps that need what these make, directly or not. */
function behind({ steps }: Trail, files: readonly string[]): ReadonlySet<string> {
  const found = new Set(files)
  // The loop also visits what it adds.
  for (const file of found) {
    const made = steps.find((one) => one.file === file)?.produces ?? []
    for (const one of steps)
      if (one.consumes?.some((artifact) => made.includes(artifact)) === true) found.add(one.file)
  }
  return found
}

/** A target that comes before leads back; any other starts only by what leads to it. */
const isBack = (trail: Trail, from: string, to: string): boolean => behind(trail, [to]).has(from)

const isLedTo = (trail: Trail, file: string): boolean =>
  trail.isAdvice ||
  trail.steps.some((one) =>
    [...Object.values(one.next ?? {}).flat(), one.onLimit].some(
      (target) => target === file && !isBack(trail, one.file, file),
    ),
  )

/** Success, a permitted skip, and every other named outcome but failure. */
function isDone(trail: Trail, { file, optional, next = {} }: Step): boolean {
  const outcome = trail.outcomes.get(file)
  if (trail.waived.has(file)) return true
  if (outcome === undefined || outcome === 'fail') return false
  if (outcome === 'skip') return optional === true || 'skip' in next
  return outcome === 'ok' || outcome in next
}

/** `user-request` always exists; what an optional step makes needs only what that step needs. */
function isThere(trail: Trail, artifact: string): boolean {
  const makers = trail.steps.filter(({ produces = [] }) => produces.includes(artifact))
  if (makers.length === 0 || makers.some((step) => isDone(trail, step))) return true
  const optional = makers.find((step) => step.optional === true)
  return optional !== undefined && (optional.consumes ?? []).every((needed) => isThere(trail, needed))
}

const isReady = (trail: Trail, { file, consumes = [], next }: Step): boolean => {
  const outcome = trail.outcomes.get(file)
  const isOver = next === undefined ? isDone(trail, stepIn(trail, file)) : outcome !== undefined
  return (
    !isOver &&
    !isLedTo(trail, file) &&
    !isSpent(trail, file) &&
    consumes.every((artifact) => isThere(trail, artifact))
  )
}

/** An outcome may end the plan, whatever is left. */
const isEnded = ({ steps, outcomes }: Trail): boolean =>
  steps.some(({ file, next }) => next?.[outcomes.get(file) ?? '']?.length === 0)

/** The steps that may start now, as their author listed them. */
export const openIn = (trail: Trail): readonly string[] =>
  trail.steps
    .filter((step) => !isEnded(trail) && (trail.led.has(step.file) || isReady(trail, step)))
    .map(({ file }) => file)
    .filter((file) => !trail.current.includes(file))

/** Nothing under way: the plan is over, or somebody must decide. */
function settled(trail: Trail, isLed: boolean): Trail {
  if (trail.current.length > 0) return { ...trail, status: 'running' }
  const open = openIn(trail)
  const isLeft = (step: Step) =>
    step.optional !== true &&
    !isDone(trail, step) &&
    // One that was chosen and failed is owed like any other.
    (!isLedTo(trail, step.file) || open.includes(step.file) || trail.outcomes.has(step.file))
  if (isEnded(trail) || (!isLed && !trail.steps.some(isLeft))) return { ...trail, status: 'completed' }
  return { ...trail, status: open.length > 0 ? 'running' : 'parked' }
}

/** The last number ends the plan, whatever was left out. */
const inLine = (trail: Trail, targets: readonly string[]): Trail =>
  trail.current.length === 0 && targets.length === 0
    ? { ...trail, status: 'completed', led: new Set() }
    : { ...trail, led: new Set([...trail.led, ...targets]) }

/** What an outcome has opened again waits as soon as something that it needs is to be made again. */
const mayStay = (trail: Trail, file: string): boolean =>
  isLedTo(trail, file) || (stepIn(trail, file).consumes ?? []).every((artifact) => isThere(trail, artifact))

/** Starts a step, whether it may or not; choosing one alternative closes the others. */
export function start(trail: Trail, file: string, isPartly = false): Trail {
  const outcomes = new Map(trail.outcomes)
  outcomes.delete(file)
  const isClosed = (one: string) => one === file || (isLedTo(trail, file) && isLedTo(trail, one))
  return {
    ...trail,
    status: 'running',
    current: [...trail.current, file],
    begun: isPartly ? new Set([...trail.begun, file]) : without(trail.begun, file),
    tries: new Map([...trail.tries, [file, (trail.tries.get(file) ?? 0) + 1]]),
    outcomes,
    waived: without(trail.waived, file),
    led: new Set([...trail.led].filter((one) => !isClosed(one))),
  }
}

/** Ends a started step; undefined if its outcome leads nowhere. */
export function leave(trail: Trail, file: string, outcome: string): Trail | undefined {
  const step = stepIn(trail, file)
  const ways = waysOf(trail, step)
  const targets = ways?.[outcome]
  if (outcome === 'skip' && step.optional !== true && targets === undefined) return undefined
  const isPlain = outcome === 'ok' || outcome === 'skip'
  const fails = outcome === 'fail' && targets === undefined && ways !== undefined
  if (targets === undefined && ways !== undefined && !fails && (trail.isAdvice || !isPlain)) return undefined
  const left: Trail = {
    ...trail,
    current: trail.current.filter((one) => one !== file),
    outcomes: new Map([...trail.outcomes, [file, outcome]]),
  }
  if (trail.isAdvice) return inLine(left, targets ?? (fails ? [file] : []))
  // A failure that the plan has no way for opens the step again.
  const opens = fails || (!isPlain && (isSpent(trail, file) || isLedTo(trail, file)))
  const again = targets ?? (opens ? [file] : [])
  const back = (targets ?? []).filter((target) => isBack(trail, file, target))
  const undone = behind(trail, back)
  const gone: Trail = {
    ...left,
    outcomes: new Map([...left.outcomes].filter(([one]) => !undone.has(one))),
    waived: new Set([...left.waived].filter((one) => !undone.has(one))),
  }
  // A failure without a way on closes nothing.
  const kept = [...trail.led].filter((one) => fails || mayStay(gone, one))
  // One that is under way is done again already.
  const opened = again.flatMap((one) => withinLimit(trail, one)).filter((one) => !left.current.includes(one))
  const led = new Set([...kept, ...opened])
  // Where an outcome leads on, something is left to do.
  return settled({ ...gone, led }, targets !== undefined && targets.length > 0)
}

/** What was read whole ends well when something else starts, and with the effort. */
export const endAll = (trail: Trail): Trail =>
  trail.current.reduce((now, file) => (now.begun.has(file) ? now : (leave(now, file, 'ok') ?? now)), trail)

/** Reads a step: it starts, unless it is only read again; undefined if it may not start yet. */
export function read(trail: Trail, file: string, isPartly: boolean): Trail | undefined {
  const left = endAll(trail)
  // A loop or a failure may want it once more.
  if (!trail.current.includes(file) && openIn(left).includes(file)) return start(left, file, isPartly)
  if (!trail.tries.has(file)) return undefined
  if (isPartly || !trail.begun.has(file)) return trail
  return readOn(trail, file)
}

/** The rest of a step was shown. */
export const readOn = (trail: Trail, file: string): Trail => ({
  ...trail,
  begun: without(trail.begun, file),
})

const without = (files: ReadonlySet<string>, file: string): ReadonlySet<string> =>
  new Set([...files].filter((one) => one !== file))

/** The outcome of a started step that leads to another one; success, if none does. */
function outcomeTo(trail: Trail, file: string, to: string): string {
  const ways = waysOf(trail, stepIn(trail, file)) ?? {}
  const outcomes = ['ok', ...Object.keys(ways)]
  const opens = (outcome: string) => {
    const left = leave(trail, file, outcome)
    return left !== undefined && openIn(left).includes(to)
  }
  return outcomes.find((outcome) => ways[outcome]?.includes(to) === true) ?? outcomes.find(opens) ?? 'ok'
}

/** Leaves what is under way for another step, as far as that is possible. */
export const leaveFor = (trail: Trail, to: string): Trail =>
  trail.current.reduce((now, file) => {
    const outcome = outcomeTo(now, file, to)
    return outcome === 'ok' && now.begun.has(file) ? now : (leave(now, file, outcome) ?? now)
  }, trail)

/** Who goes back by the numbers puts down what comes later; it is neither under way nor done. */
export function putDown(trail: Trail, to: string): Trail {
  const files = trail.steps.map(({ file }) => file)
  const isKept = (file: string) => !trail.isAdvice || files.indexOf(file) <= files.indexOf(to)
  return { ...trail, current: trail.current.filter(isKept) }
}

/** What must be read next: the rest of a step, or another one. */
export const nextIn = (trail: Trail): string | undefined =>
  trail.current.find((file) => trail.begun.has(file)) ?? openIn(endAll(trail))[0]

/** The user lets the work go on at a step, past the failed ones before it. */
export function waivedFor(trail: Trail, file: string): Trail {
  const files = trail.steps.map((step) => step.file)
  const isPast = (one: string) =>
    trail.isAdvice ? files.indexOf(one) < files.indexOf(file) : one !== file && behind(trail, [one]).has(file)
  const passed = files.filter((one) => trail.outcomes.get(one) === 'fail' && isPast(one))
  return { ...trail, waived: new Set([...trail.waived, ...passed]) }
}

/** The user lets a blocked plan continue at a step. */
export const resumedAt = (trail: Trail, file: string): Trail => ({
  ...waivedFor(trail, file),
  status: 'running',
  led: new Set([file]),
})
