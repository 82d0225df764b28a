import { markdownNamedIn } from './text/named-files.ts'
import type { Plan } from './plan/plan.ts'

/** Steps that one call has handed to a sub-agent, and that do not count before it has stopped well. */
export interface Delegation {
  /** The client's id of the call. */
  readonly call: string
  readonly skill: string
  /** The one that they count for, and no other of the same skill. */
  readonly effort: number | undefined
  /** In the order in which the prompt names them. */
  readonly steps: readonly string[]
  /** The sub-agent that the call has begun, once that is known. */
  readonly agent: string | undefined
  /** Sub-agents that stopped before it was known whose they are. */
  readonly stopped: readonly string[]
}

/**
 * The steps whose files a text names, in its order: by their paths, or by as much of the end of a path as tells the
 * skill. Of the skill in charge the part below its own folder is enough.
 */
export function stepsNamedIn(text: string, plan: Plan, isInCharge: boolean): readonly string[] {
  if (plan.notation !== 'steps') return []
  const parts = isInCharge ? 2 : 3
  const named = markdownNamedIn(text).map((path) => path.replace(/^(\.{1,2}\/|~\/|\$\w+\/)+/, ''))
  const found = named.flatMap((path) =>
    plan.steps
      .filter(({ place: { file } }) => file === path || (endsWith(file, path) && depthOf(path) >= parts))
      .map(({ id }) => id),
  )
  return [...new Set(found)]
}

const endsWith = (file: string, path: string): boolean => file.endsWith(`/${path}`)
const depthOf = (path: string): number => path.split('/').length
