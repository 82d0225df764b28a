import { EngineError } from '../../model/error.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { checkOf, commandOf, type Step } from '../../model/plan/plan.ts'
import { quoted } from '../../model/text/line.ts'
import { fromJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { dropPlanState, findPlanState, putPlanState } from '../../store/step.ts'
import type { Machine } from '../call/context.ts'
import { digestOf } from '../call/digest.ts'
import type { Call } from '../call/method.ts'
import type { Mover } from './mover.ts'
import { refusedStep } from './refused-step.ts'

/** The run of a step's command that has not ended; a later one takes its place. */
interface StepRun {
  /** The digest of what its runner was given. */
  readonly token: string
  readonly step: string
  readonly visit: number
  /** The process that runs it, on its machine. */
  readonly process: string | null
  readonly machine: string
}

const RUN = 'run'

/** Notes who runs the command of a step; refused while a process that lives runs it. Only the newest check of a report counts. */
export async function beginRun(
  tx: Tx,
  { effort, progress }: Mover,
  {
    step,
    token,
    process,
  }: { readonly step: Step; readonly token: string; readonly process: string | undefined },
  call: Call,
): Promise<void> {
  const { machine } = call.context
  const visit = progress.visits[step.id]?.attempts ?? 1
  const about = { effort_id: effort.id, name: RUN }
  const before = await runOf(tx, effort.id)
  const isSame = before?.step === step.id && before.visit === visit
  if (commandOf(step) !== undefined && isSame && isAlive(before, machine))
    throw new EngineError(
      'conflict',
      `Step ${quoted(step.label)} is being run by process ${before.process}.`,
      {
        field: 'step',
        hint: showCommand(effort.id),
      },
    )
  const run: StepRun = {
    token: digestOf(token),
    step: step.id,
    visit,
    process: process ?? null,
    machine: machine.machine_id,
  }
  await putPlanState(tx, { ...about, value: JSON.stringify(run), now: call.now })
}

/** A runner that was killed leaves its note behind. */
const isAlive = ({ process, machine }: StepRun, here: Machine): boolean =>
  process !== null && machine === here.machine_id && here.isRunning(process)

/** Only the result of its command ends such a step, and each run tells one; so does the check of a report. */
export async function takeResult(
  tx: Tx,
  { effort, progress }: Mover,
  { step, token }: { readonly step: Step; readonly token: string | undefined },
): Promise<void> {
  const isChecked = token !== undefined && checkOf(step) !== undefined
  const isOwn = (commandOf(step) !== undefined || isChecked) && progress.current.includes(step.id)
  const before = isOwn && token !== undefined ? await runOf(tx, effort.id) : undefined
  const visit = progress.visits[step.id]?.attempts
  const isResult =
    before !== undefined &&
    before.token === digestOf(token ?? '') &&
    before.step === step.id &&
    before.visit === visit
  if (isResult) return void (await dropPlanState(tx, { effort_id: effort.id, name: RUN }))
  if (!isOwn && token === undefined) return
  const reason = isOwn
    ? `Step ${quoted(step.label)} is a command, and only its result ends it. To run it, print the step.`
    : `Step ${quoted(step.label)} has no run with this token.`
  throw refusedStep(effort, {
    step: step.id,
    rule: 'plan',
    reason,
    field: 'step',
    hint: showCommand(effort.id),
  })
}

const runOf = async (tx: Tx, effort_id: number): Promise<StepRun | undefined> => {
  const row = await findPlanState(tx, { effort_id, name: RUN })
  return fromJson<StepRun | undefined>(row?.value ?? null, undefined)
}
