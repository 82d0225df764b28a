import type { Standing } from '../../engine/effort/mover.ts'
import { printStep } from '../../model/workflow/print.ts'
import type { StepView } from '../../model/workflow/view.ts'
import { type Io, usage } from '../frame/io.ts'
import { viewForShell } from '../frame/program.ts'
import { printMarkup, printResult, printVerbatim } from '../frame/show.ts'
import { describeStanding } from '../frame/step-screen.ts'

/** Prints where an effort stands, or its step; the exit code is 1 if the plan is parked, so that its caller notices. */
export function shown(io: Io, standing: Standing, { format }: Readonly<Record<string, string>>): number {
  const view = standing.view == null ? null : viewForShell(io, standing.view)
  const told = view === null ? standing : { ...standing, view }
  if (standing.past) io.note('holdfast: that visit has ended already, so nothing moved.')
  if (view === null || standing.held != null) printResult(io, told, () => describeStanding(io, told))
  else if ((format ?? view.format) === 'xml') printMarkup(io, told, () => printed(view, format))
  else printVerbatim(io, told, () => printed(view, format))
  return standing.status === 'parked' ? 1 : 0
}

const FORMATS = ['xml', 'text', 'json'] as const

function printed(view: StepView, format: string = view.format): string {
  const known = FORMATS.find((one) => one === format)
  if (known === undefined)
    throw usage(`--format can only be xml, text or json, not ${JSON.stringify(format)}.`)
  return known === 'json' ? JSON.stringify(view, null, 2) : printStep({ ...view, format: known })
}
