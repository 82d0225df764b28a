import type { Move } from '../scene.ts'
import { leave, leaveFor, openIn, putDown, readOn, start, type Trail, waivedFor } from '../trail.ts'
import { finishAndReturn } from './skills.ts'
import { type Client, type Decision, type Effort, type Moment, refuse, say, use } from './state.ts'
import { stepNamed } from './steps.ts'

/** Moves an effort in its step files, by whichever spelling. */
export function moveInSteps(moment: Moment, client: Client, effort: Effort, move: Move): Decision {
  const { trail, skill, ordinal } = effort
  const step = stepNamed(skill, move.to)
  if (trail === undefined || step === undefined) return 'block'
  const about = `${skill.name} ${step} #${ordinal}`
  if (move.by !== 'done') return go(moment, { effort, trail, step, about })
  const { outcome } = move
  if (isReported(trail, step, outcome)) return 'allow'
  const ended = endWith(trail, step, outcome)
  if (ended === undefined) return refuse(moment, `step.refused ${about}`)
  say(moment, `${outcome === 'fail' ? 'step.failed' : 'step.completed'} ${about} ${outcome}`)
  effort.trail = ended
  if (ended.status === 'parked') say(moment, `plan.parked #${ordinal}`)
  if (ended.status === 'completed' && openIn(ended).length === 0)
    finishAndReturn(moment, client.project, effort)
  return 'allow'
}

interface Going {
  readonly effort: Effort
  readonly trail: Trail
  readonly step: string
  readonly about: string
}

/** `step go` shows the whole text, so that the step counts as read. */
function go(moment: Moment, { effort, trail, step, about }: Going): Decision {
  if (trail.current.includes(step)) {
    if (trail.begun.has(step)) say(moment, `step.visited ${about}`)
    effort.trail = readOn(trail, step)
    return 'allow'
  }
  const left = leaveFor(trail, step)
  const isOpen = openIn(left).includes(step)
  const isAllowed = isOpen || use(effort.approved, `step ${step}`) || trail.isAdvice
  if (!isAllowed) return refuse(moment, `step.refused ${about}`)
  effort.trail = start(isOpen ? left : waivedFor(putDown(left, step), step), step)
  say(moment, `step.started ${about}`)
  return 'allow'
}

/** A report that was given before changes nothing, unless the step waits for another round. */
const isReported = (trail: Trail, step: string, outcome: string): boolean =>
  !trail.current.includes(step) && trail.outcomes.get(step) === outcome && !openIn(trail).includes(step)

/** Only what was read whole ends well. A skip ends a step that nobody started, a failure one that was tried before. */
function endWith(trail: Trail, step: string, outcome: string): Trail | undefined {
  const isBegun = trail.current.includes(step)
  const isRead = isBegun && !trail.begun.has(step)
  const isOver = outcome === 'skip' || (outcome === 'fail' && trail.tries.has(step))
  const mayEnd = isBegun ? isRead || outcome !== 'ok' : openIn(trail).includes(step) && isOver
  if (!mayEnd && !trail.isAdvice) return undefined
  return leave(isBegun ? trail : start(trail, step), step, outcome)
}
