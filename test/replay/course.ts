/** A phase as its author wrote it. */
export interface Stage {
  readonly label: string
  readonly name: string
  readonly proof?: readonly string[]
  readonly optional?: boolean
  /** The only mode that includes it. */
  readonly only?: 'full' | 'quick'
  /** What follows each outcome, as far as that is not the order of the phases. */
  readonly next?: Readonly<Record<string, readonly string[]>>
  readonly limit?: number
  readonly onLimit?: string
}

/** Where an effort stands in its phases. */
export interface Course {
  readonly stages: readonly Stage[]
  readonly status: 'running' | 'completed' | 'parked'
  readonly current: string | undefined
  /** The phases that may be entered now. */
  readonly open: readonly string[]
  /** How often each was entered, in the order of the first entry. */
  readonly tries: ReadonlyMap<string, number>
  readonly outcomes: ReadonlyMap<string, string>
}

/** The course after a move, with how it left the phase before; undefined if the plan refuses it. */
export interface Step {
  readonly course: Course
  readonly left: { readonly label: string; readonly outcome: string } | undefined
}

/** A refusal; owed is set if only proof is missing. */
export interface Refused {
  readonly refused: true
  readonly owes: boolean
}

export const isRefusal = (step: Step | Refused): step is Refused => 'refused' in step

export function courseOf(all: readonly Stage[], mode: 'full' | 'quick'): Course {
  const stages = all.filter(({ only = mode }) => only === mode)
  const open = followers(stages, -1)
  return { stages, status: 'running', current: undefined, open, tries: new Map(), outcomes: new Map() }
}

export const stageOf = ({ stages }: Course, label: string | undefined): Stage | undefined =>
  stages.find((stage) => stage.label === label)

/** As it is shown and stored; a sub-phase may have no name. */
export const nameOf = ({ label, name }: Pick<Stage, 'label' | 'name'>): string =>
  name === '' ? label : `${label}: ${name}`

/** The label and the name in what somebody typed. */
export function typed(word: string): Pick<Stage, 'label' | 'name'> {
  const [label = '', name = ''] = word.split(': ')
  return { label, name }
}

const before = (a: string, b: string): boolean => {
  const [left, right] = [a.split('.').map(Number), b.split('.').map(Number)]
  const at = left.findIndex((part, depth) => part !== right[depth])
  return at < 0 ? left.length < right.length : (left[at] ?? 0) < (right[at] ?? -1)
}

/** A numbered sub-phase of the major phase that was entered last joins the plan: optional, with the same ways out. */
export function joined(course: Course, last: string | undefined, word: string): Course {
  const { label, name } = typed(word)
  const [from, path] = [typed(last ?? '').label, label.split('.')]
  const isSub = path.length > 1 && path[0] === from.split('.')[0] && /^[\d.]+$/.test(label)
  const here = stageOf(course, from)
  if (stageOf(course, label) !== undefined || here === undefined || !isSub || !before(from, label))
    return course
  const stage: Stage = { label, name, optional: true, ...(here.next !== undefined && { next: here.next }) }
  const earlier = course.stages.filter((one) => before(one.label, label))
  return { ...course, stages: [...earlier, stage, ...course.stages.slice(earlier.length)] }
}

/** The next required phase and the optional ones before it. */
function followers(stages: readonly Stage[], at: number): readonly string[] {
  const after = stages.slice(at + 1)
  const required = after.findIndex(({ optional }) => optional !== true)
  return after.slice(0, required < 0 ? after.length : required + 1).map(({ label }) => label)
}

/** What follows each outcome of a phase. */
export function waysOf({ stages }: Course, stage: Stage): Readonly<Record<string, readonly string[]>> {
  const after = followers(stages, stages.indexOf(stage))
  return { ok: after, ...(stage.optional === true && { skip: after }), ...stage.next }
}

/** A phase at its limit leads elsewhere, or nowhere. */
function withinLimits(course: Course, labels: readonly string[]): readonly string[] {
  const found = labels.flatMap((first) => {
    let label: string | undefined = first
    for (let turns = 0; label !== undefined && turns < course.stages.length; turns++) {
      const stage = stageOf(course, label)
      if ((course.tries.get(label) ?? 0) < (stage?.limit ?? Infinity)) return [label]
      label = stage?.onLimit
    }
    return []
  })
  return [...new Set(found)]
}

/** True if nothing but optional phases lies before the end. */
const mayEnd = (course: Course, labels: readonly string[]): boolean =>
  labels.length === 0 ||
  labels.some((label) => {
    const stage = stageOf(course, label)
    return stage?.optional === true && mayEnd(course, waysOf(course, stage)['ok'] ?? [])
  })

/** Leaves the current phase; undefined if its outcome leads nowhere. */
function leave(course: Course, outcome: string): Course | undefined {
  const stage = stageOf(course, course.current)
  // A failure without a way on opens the phase again.
  const ways = stage === undefined ? {} : waysOf(course, stage)
  const again = outcome === 'fail' && ways[outcome] === undefined
  const targets = again && stage !== undefined ? [stage.label] : ways[outcome]
  if (stage === undefined || targets === undefined) return undefined
  const outcomes = new Map([...course.outcomes, [stage.label, outcome]])
  const left = { ...course, current: undefined, outcomes, open: withinLimits(course, targets) }
  const ends = !again && mayEnd(course, targets)
  return { ...left, status: ends ? 'completed' : left.open.length > 0 ? 'running' : 'parked' }
}

function enter(course: Course, label: string): Course {
  const outcomes = new Map(course.outcomes)
  outcomes.delete(label)
  const tries = new Map([...course.tries, [label, (course.tries.get(label) ?? 0) + 1]])
  return { ...course, status: 'running', current: label, open: [], tries, outcomes }
}

const owes = (course: Course, given: ReadonlySet<string>): boolean =>
  stageOf(course, course.current)?.proof?.some((field) => !given.has(field)) === true

const REFUSED: Refused = { refused: true, owes: false }

/** Enters a phase; the current one ends by the outcome that leads there, and only success needs proof. */
export function goTo(course: Course, label: string, given: ReadonlySet<string>): Step | Refused {
  const { current } = course
  const stage = stageOf(course, current)
  if (stage === undefined)
    return course.open.includes(label) ? { course: enter(course, label), left: undefined } : REFUSED
  const outcomes = ['ok', ...Object.keys(waysOf(course, stage))]
  const outcome = outcomes.find((one) => leave(course, one)?.open.includes(label) === true) ?? 'ok'
  if (outcome === 'ok' && owes(course, given)) return { refused: true, owes: true }
  const left = leave(course, outcome)
  if (left?.open.includes(label) !== true) return REFUSED
  return { course: enter(left, label), left: { label: stage.label, outcome } }
}

/** Enters a phase that the user allowed. */
export function jumpTo(course: Course, label: string, given: ReadonlySet<string>): Step {
  const stage = stageOf(course, course.current)
  if (stage === undefined) return { course: enter(course, label), left: undefined }
  const ways = Object.entries(waysOf(course, stage))
  const [named] = ways.find(([, targets]) => targets.includes(label)) ?? []
  const isBack = course.stages.findIndex((one) => one.label === label) < course.stages.indexOf(stage)
  // A phase that is left for an earlier one and owes proof is not done.
  if (named === undefined && isBack && owes(course, given))
    return { course: enter(course, label), left: undefined }
  const outcome = named ?? 'ok'
  const left = leave(course, outcome) ?? course
  return { course: enter(left, label), left: { label: stage.label, outcome } }
}

/** Ends the current phase with an outcome, and enters the only one that follows. A skip needs no start, nor does another failure. */
export function endWith(
  course: Course,
  { label, outcome }: { readonly label: string; readonly outcome: string },
  given: ReadonlySet<string>,
): Step | Refused {
  const isBegun = course.current === label
  if (!isBegun && !course.open.includes(label)) return REFUSED
  const isOver = outcome === 'skip' || (outcome === 'fail' && course.tries.has(label))
  if (!isBegun && !isOver) return REFUSED
  const begun = isBegun ? course : enter(course, label)
  if (outcome === 'ok' && owes(begun, given)) return { refused: true, owes: true }
  const left = leave(begun, outcome)
  if (left === undefined) return REFUSED
  const [only, ...others] = left.open
  const goesOn = left.status === 'running' && only !== undefined && others.length === 0
  return { course: goesOn ? enter(left, only) : left, left: { label, outcome } }
}

/** The course once the current phase has ended well, if it can. */
export function endAll(course: Course, given: ReadonlySet<string>): Course {
  return course.current === undefined || owes(course, given) ? course : (leave(course, 'ok') ?? course)
}

/** A report that was given before changes nothing. */
export const isReported = ({ current, open, outcomes }: Course, label: string, outcome: string): boolean =>
  current !== label && !open.includes(label) && outcomes.get(label) === outcome

/** The first phase that may come next, as it is shown. */
export function nextIn(course: Course): string | undefined {
  const [label] = (course.current === undefined ? course : leave(course, 'ok'))?.open ?? []
  const stage = stageOf(course, label)
  return stage === undefined ? undefined : nameOf(stage)
}

/** The user lets a blocked plan continue at a phase. */
export const resumedAt = (course: Course, label: string): Course => ({
  ...course,
  status: 'running',
  current: undefined,
  open: [label],
})
