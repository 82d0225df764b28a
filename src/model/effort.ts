import { ownTodos } from './checklist.ts'
import { isGuide, type Plan } from './plan/plan.ts'
import type { ResultSchema } from './result-schema.ts'

/** One skill applied to one task; active until it is finished. */
export interface Effort {
  readonly id: number
  readonly task_id: string
  readonly skill: string
  readonly mode: string | null
  readonly ordinal: number
  readonly lifecycle: 'active' | 'finished'
  readonly current_phase: string | null
  readonly discovered_directives: readonly string[]
  readonly discovered_directories: readonly string[]
  readonly metadata: Readonly<Record<string, unknown>>
  readonly agent_id: string | null
  /** Where its last session works. */
  readonly workplace_id: number
  readonly created_at: string
  readonly finished_at: string | null
  /** The words that the skill was called with; null if no call started it. */
  readonly request: string | null
  /** The plan that it keeps; null in older efforts until their skill changes. */
  readonly plan_digest: string | null
  /** The session that began or continued it last; it may serve another effort now. */
  readonly last_session_id: number | null
  /** What it ended with, as JSON; null if it is active or ended without one. */
  readonly result: unknown
  readonly artifact_prefix: string
}

/** What the user asked for, as far as it is known. */
export function wordsOf({ request, metadata }: Pick<Effort, 'request' | 'metadata'>): string {
  const { taskSummary } = metadata
  return request ?? (typeof taskSummary === 'string' ? taskSummary : '')
}

/** The command that resumes an effort. */
export const resumeCommand = ({ id }: Pick<Effort, 'id'>): string => `holdfast session continue ${id}`

/** The same if a session works on it. */
export const forcedCommand = (effort: Pick<Effort, 'id'>): string => `${resumeCommand(effort)} --take`

/** An active effort as another session hears of it. */
export interface OpenEffort extends Effort {
  /** Where it stands in its plan. */
  readonly position: string
  /** When somebody last worked on it. */
  readonly heard_at: string
  /** Who works on it now; null if it is free. */
  readonly holder: string | null
  /** Set if it is a sub-agent of the asker that works on it. */
  readonly isBelow?: boolean
  /** The agent that works on it, if it is another one. */
  readonly owner?: string | undefined
  /** The other checkout that it works in, as seen from the asker's; null if it is the same. */
  readonly elsewhere: string | null
  /** Where it lives, if that is in another project. */
  readonly root?: string | undefined
}

/** The position of an effort that nothing followed. */
export const NOT_STARTED = 'not started'

/** The skill of the ad-hoc effort, which serves sessions without a tracked skill. */
export const AD_HOC_SKILL = 'do'
export const AD_HOC_ORDINAL = 0

/** True for the ad-hoc effort of a task. */
export const isAdHoc = ({ ordinal }: Pick<Effort, 'ordinal'>): boolean => ordinal === AD_HOC_ORDINAL

/** True for work that is not finished; the ad-hoc effort is none. */
export const isUnfinished = (effort: Pick<Effort, 'ordinal' | 'lifecycle'>): boolean =>
  effort.lifecycle === 'active' && !isAdHoc(effort)

/** What a skill asks for. */
interface Asking {
  readonly plan: Plan | undefined
  readonly requiredTodos: readonly string[]
  readonly heartbeat?: number | undefined
  readonly resultSchema?: ResultSchema | undefined
}

/** True if an effort of a skill has something to follow: a plan, required todos, a heartbeat or a result. */
export const isTracked = ({ plan, requiredTodos, heartbeat, resultSchema }: Asking): boolean =>
  plan !== undefined || requiredTodos.length > 0 || heartbeat !== undefined || resultSchema !== undefined

/** True if calls of a skill become efforts; a plan that was only guessed asks for none. */
export function startsEffort(skill: Asking): boolean {
  const { plan, requiredTodos } = skill
  if (plan === undefined || !isGuide(plan)) return isTracked(skill)
  const titles = plan.steps.map(({ title }) => title)
  return isTracked({ ...skill, plan: undefined, requiredTodos: ownTodos(requiredTodos, titles) })
}

/** What the names of artifacts are made of. */
export type Named = Pick<Effort, 'ordinal' | 'skill' | 'metadata'>

/**
 * Efforts share a task folder, so each artifact name starts with the ordinal. The type of the task names it, or else
 * the skill. // INV_EFFORT_ORDINAL_ARTIFACTS
 */
export function artifactPrefix({ ordinal, skill, metadata: { taskType } }: Named): string {
  const name = typeof taskType === 'string' && /[\p{L}\p{N}]/u.test(taskType) ? taskType : skill
  return `${ordinal}_${name
    .slice(0, LONGEST_NAME)
    .replaceAll(/[^\p{L}\p{N}]+/gu, '_')
    .toUpperCase()}`
}

const LONGEST_NAME = 100

/** The file name of an artifact; the debrief is the one without a type. */
export function artifactName(effort: Named, type?: string): string {
  const prefix = artifactPrefix(effort)
  return type === undefined ? `${prefix}.md` : `${prefix}_${type.toUpperCase()}.md`
}

/** Whether a file name in the task folder has the whole prefix, so that 1_FIX_ALL.md never belongs to another skill. */
export function isNamedFor(effort: Named, name: string): boolean {
  const prefix = artifactPrefix(effort)
  return name.startsWith(prefix) && /^(_[^/]*)?\.md$/i.test(name.slice(prefix.length))
}

/** The path of an artifact; only this function decides it. */
export const artifactPath = (effort: Named & Pick<Effort, 'task_id'>, type?: string): string =>
  `${effort.task_id}/${artifactName(effort, type)}`

/** The kinds of files that a skill may want in the task folder. */
export const WANTED_FILES = ['debrief', 'log', 'plan'] as const
export type WantedFile = (typeof WANTED_FILES)[number]

/** The path of such a file. */
export const wantedPath = (effort: Named & Pick<Effort, 'task_id'>, kind: WantedFile): string =>
  artifactPath(effort, kind === 'debrief' ? undefined : kind)
