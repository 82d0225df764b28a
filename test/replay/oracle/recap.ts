import { nextIn } from '../course.ts'
import { isHeld } from './presence.ts'
import type { Client, Effort, Moment } from './state.ts'
import { labelOf, nextOf } from './steps.ts'

/** What a new window must read. */
export interface Recap {
  readonly kind: 'work' | 'waiting'
  readonly skill: string
  readonly ordinal: number
  /** The step to read, unless all were read. */
  readonly next?: string | undefined
  /** The label of the step to end, once all were read. */
  readonly done?: string | undefined
  /** Set if only the user can say how it goes on. */
  readonly isParked?: boolean
  /** The labels of the steps that the user has allowed and nobody started. */
  readonly allowed?: readonly string[]
  /** For phases: the current one, if any. */
  readonly phase?: string | null
}

/** Own work comes first, then the newest effort that waits. */
export function recapFor(moment: Moment, client: Client): Recap | undefined {
  const work = client.window?.effort
  const isWork = work?.active === true
  const waits = (one: Effort) => one.active && !isHeld(moment, one, client)
  const effort = isWork ? work : client.project.efforts.findLast(waits)
  if (effort === undefined) return undefined
  const { skill, ordinal } = effort
  const [kind, next] = [isWork ? ('work' as const) : ('waiting' as const), nextOf(effort)]
  if (effort.course !== undefined)
    return { kind, skill: skill.name, ordinal, phase: effort.phase ?? null, next: nextIn(effort.course) }
  const [started] = effort.trail?.current ?? []
  const done = next === undefined && started !== undefined ? labelOf(skill, started) : undefined
  const isParked = effort.trail?.status === 'parked'
  const steps = skill.steps.filter(({ file }) => effort.approved.includes(`step ${file}`))
  const allowed = steps.map(({ file }) => labelOf(skill, file))
  return { kind, skill: skill.name, ordinal, next, done, isParked, allowed }
}
