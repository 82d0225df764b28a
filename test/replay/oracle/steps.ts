import * as phases from '../course.ts'
import type { Skill } from '../scene.ts'
import * as files from '../trail.ts'
import type { Effort, Mode } from './state.ts'

/** An effort whose plan was not touched. */
export const unbegun = ({ stages, steps, numbered = false }: Skill, mode: Mode) => ({
  trail: steps.length === 0 ? undefined : files.trailOf(steps, numbered),
  seen: new Map(),
  course: stages === undefined ? undefined : phases.courseOf(stages, mode),
  phase: undefined,
  listed: new Set<string>(),
  ticked: new Set<string>(),
  approved: [],
})

/** The phases of its mode are todos, unless the skill names others. */
export const todosOf = ({ skill, course }: Effort): readonly string[] =>
  skill.todos ?? (course?.stages ?? []).filter(({ optional }) => optional !== true).map(({ name }) => name)

/** True if nothing of the plan was begun. */
export const isUntouched = ({ request, trail, course }: Effort): boolean =>
  request === '' && (trail?.tries ?? course?.tries)?.size === 0

/** True if every todo that the skill names itself is done; until then, the last step ends no effort. */
export const isTicked = ({ skill, ticked }: Effort): boolean =>
  (skill.todos ?? []).every((text) => ticked.has(text))

/** True if every required step was read. */
export const isOver = ({ trail }: Effort): boolean =>
  trail !== undefined && files.endAll(trail).status === 'completed'

/** True if the plan needs no more, although nobody said so. */
export function isFulfilled(effort: Effort): boolean {
  const { course } = effort
  if (course === undefined) return isOver(effort)
  return isTicked(effort) && course.tries.size > 0 && phases.endAll(course, new Set()).status === 'completed'
}

/** What owes nothing ends well with its effort. */
export function endPlan(effort: Effort): void {
  const trail = effort.trail && files.endAll(effort.trail)
  if (trail?.status === 'completed') effort.trail = trail
  const course = effort.course && phases.endAll(effort.course, new Set())
  if (course?.status === 'completed') effort.course = course
}

/** What was read in part comes first. */
export const nextOf = ({ trail }: Effort): string | undefined =>
  trail === undefined ? undefined : files.nextIn(trail)

/** A step as commands name it. */
export const labelOf = ({ numbered, steps }: Skill, file: string): string =>
  numbered === true ? `${steps.findIndex((step) => step.file === file) + 1}` : file

/** The step that a word means. */
export const stepNamed = (skill: Skill, word: string): string | undefined =>
  skill.steps.find(({ file }) => labelOf(skill, file) === word)?.file

/** The step or phases in the order of their first start, with the number of starts and the last outcome. */
export const visitsIn = ({ trail, course }: Pick<Effort, 'trail' | 'course'>): readonly string[] =>
  [...((trail ?? course)?.tries ?? [])].map(([label, tries]) =>
    `${label} ×${tries} ${(trail ?? course)?.outcomes.get(label) ?? ''}`.trim(),
  )
