import { childSkill } from '../../model/child.ts'
import { EngineError } from '../../model/error.ts'
import { REASON, UNFILLED } from '../../model/plan/action-words.ts'
import { valueFlag } from '../../model/plan/fields.ts'
import { nameOf, showCommand, stepCommand } from '../../model/plan/next-action.ts'
import { CHILD_PARAM, type Dispatch, type Plan, type Step, targetsOf } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { fillTemplate } from '../../model/plan/template.ts'
import { shellWord } from '../../model/shell/word.ts'
import { quoted } from '../../model/text/line.ts'
import type { ChildResult, ChildView } from '../../model/workflow/view.ts'
import type { Tx } from '../../store/query.ts'
import { finishOf } from '../plan/finish-entry.ts'
import { roundIn, roundsOf } from '../plan/rounds.ts'
import type { Mover } from './mover.ts'

/** The sub-agents of a dispatched step in its current visit, in order, each with its command. */
export async function childrenOf(tx: Tx, mover: Mover, step: Step): Promise<readonly ChildView[]> {
  const { effort, progress, values } = mover
  const { dispatch } = step
  if (dispatch === undefined) return []
  const visit = visitOf(mover, step)
  const { children } = roundIn(await roundsOf(tx, effort.id), step.id, visit)
  const isOpen = progress.current.includes(step.id)
  return Array.from({ length: dispatch.count }, (_, index): ChildView => {
    const child = index + 1
    const own = dispatch.each?.[index]
    const { state } = children[child] ?? { state: 'waiting' }
    return {
      child,
      title: own === undefined ? null : fillTemplate(own.title, values),
      task: own === undefined ? null : fillTemplate(own.task, values),
      command: childCommand(mover, step, child),
      state,
      ...(isOpen &&
        (state === 'waiting' || state === 'running') && { report: reportCommands(mover, step, child) }),
    }
  })
}

/** The visit that a step is in, or was in last. */
export const visitOf = ({ progress }: Pick<Mover, 'progress'>, { id }: Step): number =>
  progress.visits[id]?.attempts ?? 1

/** Refuses a number that no sub-agent of a step has. */
export function checkNumber({ effort }: Mover, step: Step, child: number, hint: string | null = null): void {
  const { count = 0 } = step.dispatch ?? {}
  if (child <= count) return
  const { title, label } = step
  const message = `Step ${quoted(title === '' ? label : title)} has ${count} ${count === 1 ? 'sub-agent' : 'sub-agents'}, so none has the number ${child}.`
  throw new EngineError('invalid', message, { field: 'child', hint: hint ?? showCommand(effort.id) })
}

/** The command with which a sub-agent begins; null if it works freely. */
export function childCommand(mover: Mover, step: Step, child: number): string | null {
  const { effort, plan } = mover
  const workflow = step.dispatch?.workflow
  if (workflow === undefined) return null
  const isShared = plan.steps.some((one) => one.id !== step.id && one.dispatch?.workflow === workflow)
  const at = isShared ? ` --at ${shellWord(step.id)}` : ''
  const skill = shellWord(childSkill(effort.skill, workflow))
  return `holdfast step ${skill} --parent ${effort.id} --child ${child}${at} --visit ${visitOf(mover, step)}`
}

/** How the caller of a sub-agent reports it by hand; one with a workflow says itself that it is done. */
function reportCommands(
  { effort, plan, ...mover }: Mover,
  step: Step,
  child: number,
): NonNullable<ChildView['report']> {
  const { workflow, returns = [] } = step.dispatch ?? {}
  const which = ` --child ${child} --visit ${visitOf(mover, step)}`
  const command = (verb: 'done' | 'fail', more: string) =>
    stepCommand(verb, effort.id, nameOf(plan, step), `${which}${more}`)
  const set = returns.map((name) => valueFlag('set', name, UNFILLED)).join('')
  return {
    ...(workflow === undefined && { done: command('done', set) }),
    fail: command('fail', REASON),
  }
}

/** What the sub-agents of the steps that lead to a step returned. */
export async function resultsOf(tx: Tx, mover: Mover, step: Step): Promise<readonly ChildResult[]> {
  const { plan, progress, effort } = mover
  const before = plan.steps.filter(
    (one) =>
      one.dispatch !== undefined &&
      targetsOf(one).includes(step.id) &&
      progress.visits[one.id]?.outcome !== undefined,
  )
  if (before.length === 0) return []
  const rounds = await roundsOf(tx, effort.id)
  return before.flatMap((one) =>
    Object.entries(roundIn(rounds, one.id, visitOf(mover, one)).children).flatMap(
      ([child, { state, values }]): readonly ChildResult[] =>
        state === 'running' ? [] : [{ child: Number(child), outcome: state, values }],
    ),
  )
}

/** Whether the effort of a sub-agent ended well: one that was given up did not. */
export const endOf = async (tx: Tx, effort_id: number): Promise<'ok' | 'fail'> =>
  (await finishOf(tx, effort_id)).outcome === 'abandoned' ? 'fail' : 'ok'

/** What a sub-agent's workflow is given: its number, the variables of the step, and what its own task says. */
export function givenTo(
  workflow: Plan,
  { vars = {}, each = [] }: Dispatch,
  child: number,
  values: Values,
): Values {
  const told: Values = { [CHILD_PARAM]: String(child), ...vars, ...each[child - 1] }
  const names = Object.keys(workflow.params ?? {}).filter((name) => Object.hasOwn(told, name))
  return Object.fromEntries(names.map((name) => [name, fillTemplate(told[name] ?? '', values)]))
}
