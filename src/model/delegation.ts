import { markdownNamedIn } from './text/named-files.ts'
import { calledIn, isInFile } from './plan/next-action.ts'
import { type Plan, type Step, stepOf } from './plan/plan.ts'

/** Steps that one call handed to a sub-agent, or a whole skill; the steps count once it succeeds. */
export interface Delegation {
  /** The client's call id. */
  readonly call: string
  readonly skill: string
  /** The only effort that they count for. */
  readonly effort: number | undefined
  /** In the order of the prompt. */
  readonly steps: readonly string[]
  /** The sub-agent of the call, once known. */
  readonly agent: string | undefined
  /** Sub-agents that stopped before their call was known. */
  readonly stopped: readonly string[]
  /** The words of the call, if the sub-agent does the whole skill. */
  readonly request?: string | undefined
}

/**
 * The steps whose files a text names, in order: by full path, or by an end of the path that includes the skill. For
 * the skill in charge, the path below its folder is enough.
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

/** The started steps for sub-agents that have no file, and that a text names. */
export const stepsTitledIn = (text: string, plan: Plan, current: readonly string[]): readonly string[] =>
  current.filter((id) => {
    const step = stepOf(plan, id)
    return step?.dispatch !== undefined && !isInFile(plan, step) && names(text, step)
  })

/** A title counts as a whole, whatever its case. */
function names(text: string, step: Step): boolean {
  const [all, wanted] = [text.toLowerCase(), calledIn(step).toLowerCase()]
  // An empty word is found at every place, without end.
  if (wanted === '') return false
  const isWord = (character: string | undefined) => character !== undefined && /[\p{L}\p{N}]/u.test(character)
  for (let at = all.indexOf(wanted); at !== -1; at = all.indexOf(wanted, at + 1))
    if (!isWord(all[at - 1]) && !isWord(all[at + wanted.length])) return true
  return false
}

const endsWith = (file: string, path: string): boolean => file.endsWith(`/${path}`)
const depthOf = (path: string): number => path.split('/').length
