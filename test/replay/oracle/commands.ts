import { endAll, nameOf, resumedAt, stageOf } from '../course.ts'
import type { Act, Todo } from '../scene.ts'
import * as trails from '../trail.ts'
import { proofFor } from './phases.ts'
import { finishAndReturn } from './skills.ts'
import { type Client, type Decision, type Moment, refuse, say } from './state.ts'
import { isOver, isTicked, stepNamed, todosOf } from './steps.ts'

/** Only todos that the skill names itself are ticked by hand. */
export function tick(moment: Moment, { window }: Client, item: string): Decision {
  const effort = window?.effort
  if (effort?.skill.todos?.includes(item) !== true) return 'block'
  if (!effort.ticked.has(item)) say(moment, `todo.done ${item} #${effort.ordinal}`)
  effort.ticked.add(item)
  return 'allow'
}

/** A list must have every required todo that is not done, until all have been on a list. */
export function lacksTodos({ window }: Client, items: readonly Todo[]): boolean {
  const effort = window?.effort
  if (effort?.active !== true) return false
  const { listed, ticked } = effort
  const required = todosOf(effort)
  const isKnown = required.every((text) => listed.has(text) || ticked.has(text))
  const isThere = (text: string) => items.some(({ content }) => content === text)
  return !isKnown && required.some((text) => !ticked.has(text) && !isThere(text))
}

/** The required todos that a list names are listed or done. */
export function heardTodos(moment: Moment, { window }: Client, items: readonly Todo[]): void {
  const effort = window?.effort
  if (effort?.active !== true) return
  const { listed, ticked, ordinal } = effort
  for (const text of todosOf(effort)) {
    const about = items.filter(({ content }) => content === text)
    const isDone = about.some(({ status }) => status === 'completed')
    const marks = isDone ? ticked : listed
    const isNews = about.length > 0 && !ticked.has(text) && !marks.has(text)
    if (isNews) say(moment, `${isDone ? 'todo.done' : 'todo.listed'} ${text} #${ordinal}`)
    if (isNews) marks.add(text)
  }
}

/** The user allows a phase or step, or to leave out a field of proof. */
export function approve(moment: Moment, { window }: Client, subject: string): Decision {
  const effort = window?.effort
  if (effort?.active !== true) throw new Error('Nobody approves anything of no work.')
  const stage = effort.course === undefined ? undefined : stageOf(effort.course, subject)
  const isField = effort.course?.stages.some(({ proof = [] }) => proof.includes(subject)) === true
  const step = stepNamed(effort.skill, subject)
  if (stage === undefined && !isField && step === undefined) return 'block'
  const found =
    step !== undefined ? `step ${step}` : stage === undefined ? `proof ${subject}` : `phase ${nameOf(stage)}`
  // A blocked plan continues there, which uses the approval up.
  const { course, trail } = effort
  if (stage !== undefined && course?.status === 'parked') effort.course = resumedAt(course, subject)
  else if (step !== undefined && trail?.status === 'parked') effort.trail = trails.resumedAt(trail, step)
  else effort.approved.push(found)
  say(moment, `approval.given ${found} #${effort.ordinal}`)
  return 'allow'
}

/** What owes nothing ends well with the effort; anything else that is open must be given up. */
export function finishBy(
  moment: Moment,
  { project, window }: Client,
  act: Extract<Act, { kind: 'finish' }>,
): Decision {
  const effort = window?.effort
  if (effort?.active !== true) return 'allow'
  const { trail, ordinal } = effort
  const isCompleted = (trail ?? effort.course)?.status === 'completed'
  if (act.abandons && !(isCompleted && isTicked(effort))) {
    finishAndReturn(moment, project, effort, 'abandoned')
    return 'allow'
  }
  const course = effort.course === undefined ? undefined : endAll(effort.course, proofFor(effort, act.gives))
  const isDone = course === undefined ? isOver(effort) : course.status === 'completed'
  if (!(isDone && isTicked(effort)) && effort.skill.numbered !== true)
    return refuse(moment, `effort.refused #${ordinal}`)
  effort.trail = trail && trails.endAll(trail)
  effort.course = course
  finishAndReturn(moment, project, effort, 'completed')
  return 'allow'
}
