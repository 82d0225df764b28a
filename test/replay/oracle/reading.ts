import { type Half, HALVES, LINES, shownBy, type SkillFile, skillNamed, type Tool } from '../scene.ts'
import { endAll, read, start } from '../trail.ts'
import { ownEffort, takeCharge } from './skills.ts'
import { type Client, type Effort, type Moment, openSpans, say, type Span, use } from './state.ts'

/** What was shown of a step, to the session itself or to a sub-agent that had it. */
interface Shown {
  readonly effort: Effort
  readonly step: string
  readonly halves: ReadonlySet<Half>
  readonly isGiven?: boolean
}

/** A step of an open skill with an explicit plan, before its inputs exist. */
export function refusedToRead(client: Client, files: readonly SkillFile[]): string | undefined {
  for (const { skill, file } of files) {
    const effort = openSpans(client).find((span) => span.skill === skill)?.effort
    if (effort === undefined || file === 'SKILL' || effort.skill.numbered === true) continue
    if (!mayRead(effort, file)) return `step.refused ${skill} ${file} #${effort.ordinal}`
  }
  return undefined
}

/** Reading SKILL.md starts a skill; reading a step of a closed skill is browsing. */
export function wasRead(moment: Moment, client: Client, tool: Extract<Tool, { kind: 'read' }>): void {
  const before = openSpans(client)
  const halves = new Set(shownBy(tool))
  const files = tool.files.filter(({ file }) => file === 'SKILL' || halves.size > 0)
  const spanOf = (skill: string) => before.find((span) => span.skill === skill)
  const atWork = files.filter(({ skill, file }) => file === 'SKILL' || spanOf(skill) !== undefined)
  const last = skillNamed(atWork.at(-1)?.skill ?? '')
  if (last !== undefined) takeCharge(moment, client, last, { effort: ownEffort(client, last) })
  for (const { skill, file } of atWork) {
    const span = spanOf(skill)
    if (file !== 'SKILL' && span?.effort !== undefined)
      visit(moment, client, span, { effort: span.effort, step: file, halves })
  }
}

/** What is in order, was read before or is allowed by the user. */
export const mayRead = ({ trail, approved }: Effort, step: string): boolean =>
  trail === undefined || read(trail, step, false) !== undefined || approved.includes(`step ${step}`)

/** A step counts by all that its session was shown; what a sub-agent was shown counts on its own. */
export function visit(
  moment: Moment,
  { name }: Client,
  span: Span,
  { effort, step, halves, isGiven = false }: Shown,
): void {
  const { trail, seen, ordinal, approved } = effort
  if (trail === undefined) return
  const key = `${name} ${step}`
  const before = isGiven ? new Set<Half>() : (seen.get(key) ?? new Set())
  const now = new Set([...before, ...halves])
  const isWhole = now.size === HALVES.length
  const planned = read(trail, step, !isWhole)
  const showsMore = trail.begun.has(step) && !isGiven && now.size > before.size
  if (planned === trail && !showsMore) return
  if (planned === undefined && !approved.includes(`step ${step}`) && span.steps.includes(step)) return
  if (!span.steps.includes(step)) span.steps.push(step)
  const about = `step.visited ${span.skill} ${step} #${ordinal}`
  if (planned === undefined && !use(approved, `step ${step}`)) return say(moment, `${about} out of order`)
  effort.trail = planned ?? start(endAll(trail), step, !isWhole)
  if (isWhole) {
    seen.delete(key)
    return say(moment, about)
  }
  seen.set(key, isGiven ? new Set() : now)
  say(moment, `${about} ${(now.size * LINES) / HALVES.length}/${LINES}`)
}
