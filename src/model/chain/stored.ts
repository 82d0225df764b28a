import type { Cooperation } from './frame.ts'

/** A skill with the words for it. */
export interface SkillCall {
  readonly skill: string
  readonly args: string
}

/** One skill of a chain, as it is stored. */
export interface StoredFrame extends SkillCall {
  /** 0 until it is stored. */
  readonly id: number
  readonly chain_id: number
  readonly project_id: number
  readonly task_id: string | null
  /** The client's id of the session that has the chain. */
  readonly session_id: string | null
  readonly effort_id: number | null
  readonly position: number
  /** What the user said about this skill besides its arguments. */
  readonly context: string
  readonly status: 'waiting' | 'running' | 'completed' | 'failed' | 'parked' | 'dropped'
  /** The skill that runs if this one fails. */
  readonly on_error: SkillCall | null
  /** Whether its call ended its caller; null for the first of a chain. */
  readonly call: 'tail' | 'nested' | null
  readonly level: Cooperation
  /** Why it failed, is parked or was dropped. */
  readonly reason: string | null
  /** The frame that a subroutine was pushed by, or that a branch stands for. */
  readonly parent: number | null
  /** When the end of a turn asked for it. */
  readonly asked_at: string | null
  /** What the skill returned, as JSON. */
  readonly result: string | null
  readonly created_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
}

/** The frame to call next. */
export const nextOf = (frames: readonly StoredFrame[]): StoredFrame | undefined =>
  frames.find(({ status }) => status === 'waiting')

/** The frame that runs next, or that its chain is parked before. */
export const comingOf = (frames: readonly StoredFrame[]): StoredFrame | undefined =>
  nextOf(frames) ?? frames.find(({ status, started_at }) => status === 'parked' && started_at === null)

/** The frame whose skill is in charge: the innermost that runs. */
export const currentOf = (frames: readonly StoredFrame[]): StoredFrame | undefined =>
  frames.findLast(({ status }) => status === 'running')

export const isOpen = ({ status }: StoredFrame): boolean => status === 'waiting' || status === 'running'

/** Where a chain stands. */
export function standOf(frames: readonly StoredFrame[]): 'running' | 'parked' | 'ended' {
  if (frames.some(isOpen)) return 'running'
  return frames.some(({ status }) => status === 'parked') ? 'parked' : 'ended'
}

/** A chain as a line of calls. */
export const chainLine = (frames: readonly Pick<SkillCall, 'skill'>[]): string =>
  frames.map(({ skill }) => `/${skill}`).join(' → ')
