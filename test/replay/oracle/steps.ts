import { courseOf, endAll, type Stage } from '../course.ts'
import type { Effort, Mode } from './state.ts'

/** An effort whose plan was not touched. */
export const unbegun = (stages: readonly Stage[] | undefined, mode: Mode) => ({
  visits: [],
  done: new Set<string>(),
  begun: new Set<string>(),
  seen: new Map(),
  course: stages === undefined ? undefined : courseOf(stages, mode),
  phase: undefined,
  listed: new Set<string>(),
  ticked: new Set<string>(),
  approved: [],
})

/** The phases of its mode are todos, unless the skill names others. */
export const todosOf = ({ skill, course }: Effort): readonly string[] =>
  skill.todos ?? (course?.stages ?? []).filter(({ optional }) => optional !== true).map(({ name }) => name)

/** `user-request` always exists, optional steps are not required, and the next step ends the one before. */
export function mayBegin({ skill, visits, begun }: Effort, step: string): boolean {
  if (visits.includes(step)) return true
  if (skill.numbered === true) return begun.size === 0 && skill.steps[visits.length]?.file === step
  const consumes = skill.steps.find(({ file }) => file === step)?.consumes ?? []
  return consumes.every((artifact) => {
    const producers = skill.steps.filter(({ produces = [] }) => produces.includes(artifact))
    return (
      producers.length === 0 ||
      producers.some(({ file, optional }) => optional === true || (visits.includes(file) && !begun.has(file)))
    )
  })
}

/** True if every required step was read. */
export const isOver = ({ skill, visits, begun }: Effort): boolean =>
  skill.stages === undefined &&
  begun.size === 0 &&
  skill.steps.every(({ file, optional }) => optional === true || visits.includes(file))

/** True if the plan needs no more, although nobody said so. */
export function isFulfilled(effort: Effort): boolean {
  if (effort.course === undefined) return isOver(effort)
  const isTicked = (effort.skill.todos ?? []).every((text) => effort.ticked.has(text))
  return isTicked && effort.course.tries.size > 0 && endAll(effort.course, new Set()).status === 'completed'
}

/** What was read in part comes first. */
export const nextOf = (effort: Effort): string | undefined =>
  effort.visits.find((step) => effort.begun.has(step)) ??
  effort.skill.steps.find(({ file }) => !effort.visits.includes(file) && mayBegin(effort, file))?.file

/** The label of the step that was started last, and not ended. */
export function startedIn({ skill, visits, done }: Effort): string | undefined {
  const started = visits.findLast((step) => !done.has(step))
  const at = skill.steps.findIndex(({ file }) => file === started)
  return skill.numbered === true ? `${at + 1}` : started
}

/** The steps in the order of their start, with their outcomes; a phase also with the number of its entries. */
export function visitsIn({
  visits,
  done,
  course,
}: Pick<Effort, 'visits' | 'done' | 'course'>): readonly string[] {
  if (course === undefined) return visits.map((step) => `${step} ×1${done.has(step) ? ' ok' : ''}`)
  return [...course.tries].map(([label, tries]) =>
    `${label} ×${tries} ${course.outcomes.get(label) ?? ''}`.trim(),
  )
}
