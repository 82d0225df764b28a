import { parentOf } from '../directive.ts'
import { OUR_FOLDER } from '../our-folder.ts'
import type { Plan } from '../plan/plan.ts'
import { pathIn, RUNBOOK_ROLES, runbookAgent } from './runbook.ts'

/** What git says of a checkout, as our program asked it. */
export interface WorkTree {
  /** The root of the checkout. */
  readonly top: string
  /** The files that are not committed, relative to it; ignored ones are not among them. */
  readonly changed: readonly string[]
  /** The last commit, if there is one. */
  readonly head?: string | undefined
}

/** The files that the step before should have committed; our own files and the reports of runbooks do not count. */
export function uncommitted({ top, changed }: WorkTree, plan: Plan, root: string): readonly string[] {
  const reports = new Set(
    plan.steps.flatMap(({ hands }) => (hands === undefined ? [] : [`${root}/${hands.report}`])),
  )
  const folders = [
    `${root}/${OUR_FOLDER}/`,
    `${top}/${OUR_FOLDER}/`,
    `${root}/${pathIn(plan.runbook ?? { folder: '.' }, 'reports/')}`,
  ]
  const { folder: own = '' } = plan.runbook ?? {}
  const around = own.includes('/') ? `${root}/${parentOf(own)}` : undefined
  return changed.filter((path) => {
    const file = `${top}/${path}`
    return (
      !reports.has(file) && !folders.some((folder) => file.startsWith(folder)) && !isReportIn(around, file)
    )
  })
}

/** Nobody has to commit the reports of the runbooks that were carried out before. */
const isReportIn = (plans: string | undefined, file: string): boolean =>
  plans !== undefined &&
  file.startsWith(`${plans}/`) &&
  file.slice(plans.length + 1).split('/')[1] === 'reports'

/** What to add for a file that a runbook or its compile brought: its folder, or the file of an agent. */
export function ownPlaceOf(
  file: string,
  { top }: WorkTree,
  { plan: { runbook }, root }: { readonly plan: Plan; readonly root: string },
): string | undefined {
  if (runbook === undefined || runbook.folder === '.') return undefined
  const folder = `${root}/${runbook.folder}`.slice(top.length + 1)
  if (file.startsWith(`${folder}/`)) return folder
  const name = file.slice(file.lastIndexOf('/') + 1)
  return RUNBOOK_ROLES.some((role) => name === `${runbookAgent(runbook.name, role)}.md`) ? file : undefined
}
