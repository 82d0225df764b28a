import type { Standing } from '../../engine/effort/mover.ts'
import { EngineError } from '../../model/error.ts'
import { quoted } from '../../model/text/line.ts'
import type { StepView } from '../../model/workflow/view.ts'
import { type Arguments, type Flags, numberOf } from '../frame/args.ts'
import { usage } from '../frame/io.ts'

/** Where a caller believes to stand, in the older form, in which the command line is the state. */
export interface SeedForm {
  readonly step: number | undefined
  readonly total: number | undefined
  readonly iteration: number | undefined
  readonly failed: boolean
  readonly status: string | undefined
}

/** Nothing believed. */
export const NO_COUNTS: SeedForm = {
  step: undefined,
  total: undefined,
  iteration: undefined,
  failed: false,
  status: undefined,
}

/** The flags of the older form. */
export const SEED_FLAGS: Flags = {
  step: { kind: 'value', summary: 'the place of the step to print, as the caller counts' },
  total_steps: { kind: 'value', summary: 'how many steps the caller believes there are' },
  qr_iteration: { kind: 'value', summary: 'the round of the review, as the caller counts' },
  qr_fail: { kind: 'switch', summary: 'the caller believes that the last review failed' },
  qr_status: { kind: 'value', summary: 'what the caller believes the review said: pass or fail' },
}

/** The older form, if any of it was typed. */
export function seedForm({ values, switches }: Arguments): SeedForm | undefined {
  const number = (flag: string) =>
    values[flag] === undefined ? undefined : numberOf(values[flag], `--${flag.replaceAll('_', '-')}`)
  const status = values['qr_status']
  if (status !== undefined && status !== 'pass' && status !== 'fail')
    throw usage(`--qr-status can only be pass or fail, not ${quoted(status)}.`)
  const form = {
    step: number('step'),
    total: number('total_steps'),
    iteration: number('qr_iteration'),
    failed: switches.has('qr_fail'),
    status,
  }
  return Object.values(form).every((value) => value === undefined || value === false) ? undefined : form
}

/** What the older form asks for: the step that is current, or the one that success leads to. */
export function asksForNext({ step }: SeedForm, standing: Standing, view: StepView): boolean {
  if (step === undefined || step === view.number) return false
  const [way] = view.next
  const to = standing.steps.findIndex((one) => one.step === way?.to) + 1
  if (to === step) return true
  const next = to === 0 ? '' : ` Success leads to step ${to}.`
  throw disagrees(view, `step ${step} of a workflow that is at step ${view.number}.${next}`)
}

/** Refuses counts that differ from the store: the store counts, and the command line only repeats it. */
export function checkCounts({ total, iteration, failed, status }: SeedForm, view: StepView): void {
  if (total !== undefined && total !== view.total)
    throw disagrees(view, `${total} steps, and there are ${view.total}.`)
  const qr = (view.review ?? view.gate)?.qr ?? { iteration: 1, failed: false, status: null }
  if (iteration !== undefined && iteration !== qr.iteration)
    throw disagrees(view, `round ${iteration} of the review, and it is round ${qr.iteration}.`)
  if (failed && !qr.failed) throw disagrees(view, 'a failed review, and none has failed.')
  if (status !== undefined && status !== qr.status)
    throw disagrees(view, `that the review says ${status}, and it says ${qr.status ?? 'nothing yet'}.`)
}

const disagrees = ({ number, total, title, again }: StepView, what: string): EngineError =>
  new EngineError(
    'conflict',
    `The command line names ${what} The effort is at step ${number} of ${total} (${quoted(title)}).`,
    { field: 'step', hint: again },
  )
