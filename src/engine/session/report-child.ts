import { EngineError } from '../../model/error.ts'
import { faultsIn } from '../../model/plan/fields.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import type { Step } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { quoted } from '../../model/text/line.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { closeEffort, hearChild } from '../effort/after-move.ts'
import { checkNumber, childrenOf, visitOf } from '../effort/children.ts'
import type { Asker } from '../effort/holder.ts'
import { type Mover, moverOf, stepNamed, withPlan } from '../effort/mover.ts'
import { refusedStep } from '../effort/refused-step.ts'
import { followedBy } from '../plan/plan.ts'
import type { SeenFiles } from '../plan/recorded.ts'
import { roundIn, roundsOf } from '../plan/rounds.ts'
import { andReturn } from './come-back.ts'

interface Reporting extends Asker {
  readonly effort_id: number
  readonly step?: string | undefined
  readonly visit?: number | undefined
  readonly child: number
  readonly outcome: 'ok' | 'fail'
  readonly reason?: string | undefined
  /** What it returned. */
  readonly set?: Values | undefined
}

interface Reported {
  readonly mover: Mover
  /** Nobody waits for this sub-agent any more, so nothing moved. */
  readonly isPast: boolean
}

/** Reports a sub-agent by hand: that it is done, if nothing else says so, or that nobody waits for it any longer. */
export async function reportChild(tx: Tx, given: Reporting, files: SeenFiles, call: Call): Promise<Reported> {
  const { effort_id, agent_id, native_id, child, outcome, reason, set: values = {} } = given
  const mover = await moverOf(tx, { effort_id, agent_id, native_id }, call.context, files)
  const step = stepMeant(mover, given.step)
  const { current } = mover.progress
  const visit = given.visit ?? visitOf(mover, step)
  const isOpen = current.includes(step.id) && visit === visitOf(mover, step)
  const known = roundIn(await roundsOf(tx, effort_id), step.id, visit).children[child]
  if (!isOpen || (known !== undefined && known.state !== 'running')) return { mover, isPast: true }
  await checkReport(tx, mover, step, given)
  const of = { effort: effort_id, step: step.id, visit, child }
  const own = known?.effort ?? null
  await andReturn(tx, effort_id, call, async () => {
    if (own === null)
      await hearChild(tx, of, { effort: own, state: outcome, values, reason }, call, { files })
    else await closeEffort(tx, { effort_id: own, outcome: 'abandoned', reason }, call)
  })
  const row = await findEffort(tx, { id: effort_id })
  const effort = row === undefined ? mover.effort : toEffort(row)
  return { mover: withPlan(effort, await followedBy(tx, effort, files)), isPast: false }
}

/** The named step, else the current one that sub-agents do. */
function stepMeant(mover: Mover, word: string | undefined): Step {
  const { effort, plan, progress } = mover
  const step =
    word === undefined
      ? plan.steps.find(({ id, dispatch }) => dispatch !== undefined && progress.current.includes(id))
      : stepNamed(mover, word)
  if (step?.dispatch !== undefined) return step
  const message =
    step === undefined
      ? `No sub-agent does a step of effort ${effort.id} now.`
      : `No sub-agent does step ${quoted(step.label)}.`
  throw new EngineError('invalid', message, { field: 'child', hint: showCommand(effort.id) })
}

async function checkReport(
  tx: Tx,
  mover: Mover,
  step: Step,
  { child, outcome, set = {} }: Reporting,
): Promise<void> {
  const { effort, plan } = mover
  const { workflow, returns = [] } = step.dispatch ?? {}
  const hint = showCommand(effort.id)
  checkNumber(mover, step, child)
  const fields = Object.fromEntries(
    returns.flatMap((name) => {
      const field = plan.state?.[name]
      return field === undefined ? [] : [[name, field] as const]
    }),
  )
  const [fault] = faultsIn(fields, outcome === 'ok' ? set : {})
  if (fault !== undefined) throw new EngineError('invalid', fault, { field: 'set', hint })
  if (workflow === undefined || outcome === 'fail') return
  const command = (await childrenOf(tx, mover, step)).find((one) => one.child === child)?.command
  const reason = `Sub-agent ${child} of step ${quoted(step.label)} is done when its own workflow ends, and nobody else says so.`
  throw refusedStep(effort, { step: step.id, rule: 'plan', reason, field: 'child', hint: command ?? hint })
}
