import {
  type Course,
  goTo,
  endWith,
  isRefusal,
  isReported,
  joined,
  jumpTo,
  nameOf,
  stageOf,
  type Step,
  typed,
} from '../course.ts'
import type { Move } from '../scene.ts'
import { beat } from './presence.ts'
import { finishAndReturn } from './skills.ts'
import { type Client, type Decision, type Effort, type Moment, refuse, say, use } from './state.ts'
import { isTicked } from './steps.ts'

/** Moves an effort in its phases, by whichever spelling. */
export function moveInPhases(moment: Moment, client: Client, effort: Effort, move: Move): Decision {
  const { skill, ordinal } = effort
  if (effort.course === undefined) throw new Error('Only an effort with phases moves in them.')
  const { by, outcome, gives } = move
  const { label: to } = typed(move.to)
  const course = by === 'done' ? effort.course : joined(effort.course, effort.phase, move.to)
  const about = `${skill.name} ${to} #${ordinal}`
  const stage = stageOf(course, to)
  if (stage === undefined) {
    if (by === 'phase') say(moment, `phase.refused ${skill.name} ${move.to} #${ordinal}`)
    return 'block'
  }
  const proof = proofFor(effort, gives)
  if (by === 'done') {
    if (isReported(course, to, outcome)) return 'allow'
    const ended = endWith(course, { label: to, outcome }, proof)
    if (isRefusal(ended)) return refuse(moment, `step.refused ${about}`)
    say(moment, `${outcome === 'fail' ? 'step.failed' : 'step.completed'} ${about} ${outcome}`)
    follow(moment, client, effort, ended, gives)
    return 'allow'
  }
  if (course.current === to) return 'allow'
  const planned = goTo(course, to, proof)
  if (!isRefusal(planned)) {
    follow(moment, client, effort, planned, gives)
    return 'allow'
  }
  const isBack =
    course.stages.indexOf(stage) < course.stages.findIndex(({ label }) => label === course.current)
  const isAllowed = (!planned.owes || isBack) && use(effort.approved, `phase ${nameOf(stage)}`)
  const refused =
    by === 'phase' ? `phase.refused ${skill.name} ${move.to} #${ordinal}` : `step.refused ${about}`
  if (!isAllowed) return refuse(moment, refused)
  say(moment, `phase.skipped ${skill.name} ${nameOf(stage)} #${ordinal}`)
  follow(moment, client, effort, jumpTo(course, to, proof), gives)
  return 'allow'
}

/** True if a move may enter its phase: by the plan, or because the user has allowed it. */
export function mayEnter(effort: Effort, known: Course, { to: word, gives }: Move): boolean {
  const { label: to } = typed(word)
  const course = joined(known, effort.phase, word)
  const stage = stageOf(course, to)
  if (course.current === to) return true
  if (stage === undefined) return false
  const isPlanned = !isRefusal(goTo(course, to, proofFor(effort, gives)))
  return isPlanned || effort.approved.includes(`phase ${nameOf(stage)}`)
}

/** A waiver is used up when a phase ends well by it. */
function follow(
  moment: Moment,
  client: Client,
  effort: Effort,
  { course, left }: Step,
  gives: readonly string[],
): void {
  const before = effort.course
  effort.course = course
  if (before !== undefined && left?.outcome === 'ok')
    for (const field of stageOf(before, left.label)?.proof ?? [])
      if (!gives.includes(field)) use(effort.approved, `proof ${field}`)
  const stage = stageOf(course, course.current)
  const { skill, ordinal } = effort
  if (stage !== undefined) {
    beat(moment, client, effort)
    say(moment, `phase.entered ${skill.name} ${nameOf(stage)} #${ordinal}`)
    effort.phase = nameOf(stage)
  }
  if (course.status === 'parked') say(moment, `plan.parked #${ordinal}`)
  if (course.status === 'completed' && course.open.length === 0 && isTicked(effort))
    finishAndReturn(moment, client.project, effort)
}

/** The proof that a move has: what it gives, and what the user waived. */
export function proofFor({ approved }: Effort, gives: readonly string[]): ReadonlySet<string> {
  const waived = approved.filter((one) => one.startsWith('proof ')).map((one) => one.slice('proof '.length))
  return new Set([...gives, ...waived])
}
