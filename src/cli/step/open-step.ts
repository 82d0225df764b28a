import type { Standing } from '../../engine/effort/mover.ts'
import { EngineError } from '../../model/error.ts'
import type { StepView } from '../../model/workflow/view.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import type { Remote } from '../daemon/remote.ts'
import type { Arguments } from '../frame/args.ts'
import { identityOf } from '../frame/caller.ts'
import type { Io } from '../frame/io.ts'
import { valuesFrom } from '../frame/values.ts'
import { runSteps } from './run-steps.ts'
import { asksForNext, checkCounts, NO_COUNTS, type SeedForm } from './seed-form.ts'

interface Opening {
  readonly effort_id: number
  readonly values: Readonly<Record<string, string>>
}

/** Where an effort stands; printing a step of a workflow starts it. */
export async function opened(io: Io, remote: Remote, { effort_id, values }: Opening): Promise<Standing> {
  const who = { effort_id, ...identityOf(io, values) }
  const standing = await remote.call<Standing>('step.show', who)
  const now =
    standing.entry === null || standing.held != null
      ? standing
      : await remote.call<Standing>('step.enter', who)
  return await runSteps(io, remote, { standing: now, values })
}

interface GoingOn {
  readonly given: Arguments
  readonly standing: Standing
  readonly view: StepView
  readonly form: SeedForm | undefined
}

/** Ends the step that was printed, if the words ask for it; counts must agree with the store. */
export async function goneOn(
  io: Io,
  remote: Remote,
  { given, standing, view, form }: GoingOn,
): Promise<Standing> {
  const { values, lists = {} } = given
  if (form?.total !== undefined) checkCounts({ ...NO_COUNTS, total: form.total }, view)
  const isNext = form !== undefined && asksForNext(form, standing, view)
  if (!isNext && values['outcome'] === undefined && values['set'] === undefined) {
    if (form !== undefined) checkCounts(form, view)
    return standing
  }
  const { outcome } = values
  const moved = await remote.call<Standing>('step.leave', {
    effort_id: standing.effort_id,
    ...identityOf(io, values),
    step: view.step,
    visit: view.visit,
    ...(outcome !== undefined && { outcome }),
    set: setFrom(lists),
  })
  const now = await runSteps(io, remote, { standing: moved, values })
  if (form !== undefined && now.view != null) checkCounts(form, now.view)
  return now
}

/** Nothing can end before a step has started. */
export const nothingStarted = ({ effort_id }: Standing, skill: string | undefined) =>
  new EngineError('conflict', `No step of ${skill ?? `effort ${effort_id}`} has started, so none can end.`, {
    field: 'step',
    hint: showCommand(effort_id),
  })

const SET_FORM = { flag: 'set', example: 'holdfast step done --set confidence=high', isList: true }

/** The values that were typed with `--set`. */
export const setFrom = (lists: NonNullable<Arguments['lists']>): Readonly<Record<string, string>> =>
  valuesFrom(lists['set'] ?? [], SET_FORM)
