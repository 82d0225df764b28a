import { joined, nameOf, stageOf, typed } from '../course.ts'
import type { Move } from '../scene.ts'
import { mayEnter, moveInPhases } from './phases.ts'
import { type Client, type Decision, type Moment, refuseCall } from './state.ts'
import { moveInSteps } from './step-moves.ts'

/** A command of the agent that moves its effort, whatever its plan is. */
export function moveBy(moment: Moment, client: Client, move: Move): Decision {
  const effort = client.window?.effort
  if (effort === undefined) throw new Error('Only an effort moves.')
  const moveIn = effort.trail === undefined ? moveInPhases : moveInSteps
  return moveIn(moment, client, effort, move)
}

/** The same as a tool call: one that enters a phase is judged before it runs. */
export function commandOf(moment: Moment, client: Client, id: string, move: Move): Decision {
  const effort = client.window?.effort
  if (effort?.active !== true || (effort.course ?? effort.trail) === undefined) return 'allow'
  const { course, skill, ordinal } = effort
  if (course !== undefined && move.by !== 'done' && !mayEnter(effort, course, move)) {
    const stage = stageOf(joined(course, effort.phase, move.to), typed(move.to).label)
    const name = stage === undefined ? move.to : nameOf(stage)
    return refuseCall(moment, client, id, `phase.refused ${skill.name} ${name} #${ordinal}`)
  }
  moveBy(moment, client, move)
  return 'allow'
}
