import { OUR_FOLDER } from '../our-folder.ts'
import type { Plan } from '../plan/plan.ts'
import { pathIn } from './runbook.ts'

/** What git says of a checkout, as our program asked it. */
export interface WorkTree {
  /** The root of the checkout. */
  readonly top: string
  /** The files that are not committed, relative to it; ignored ones are not among them. */
  readonly changed: readonly string[]
  /** The last commit, if there is one. */
  readonly head?: string | undefined
}

/** The files that the step before should have committed; our own files and the reports of the runbook do not count. */
export function uncommitted({ top, changed }: WorkTree, plan: Plan, root: string): readonly string[] {
  const reports = new Set(
    plan.steps.flatMap(({ hands }) => (hands === undefined ? [] : [`${root}/${hands.report}`])),
  )
  const folders = [
    `${root}/${OUR_FOLDER}/`,
    `${top}/${OUR_FOLDER}/`,
    `${root}/${pathIn(plan.runbook ?? { folder: '.' }, 'reports/')}`,
  ]
  return changed.filter((path) => {
    const file = `${top}/${path}`
    return !reports.has(file) && !folders.some((folder) => file.startsWith(folder))
  })
}
