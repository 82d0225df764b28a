import * as z from 'zod'
import { childSkill } from '../../model/child.ts'
import type { Effort } from '../../model/effort.ts'
import { isAdHoc } from '../../model/effort.ts'
import { adHocEffort, effortNotFound, EngineError } from '../../model/error.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import type { Step } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { listed, quoted } from '../../model/text/line.ts'
import { findEffort, lockEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { startChild } from '../effort/child-start.ts'
import { checkNumber, childCommand, endOf, visitOf } from '../effort/children.ts'
import { refuseStrangers } from '../effort/holder.ts'
import { refuseToBegin } from '../effort/main-thread.ts'
import { type Mover, withPlan } from '../effort/mover.ts'
import { followedBy } from '../plan/plan.ts'
import { type Child, roundIn, type Rounds, roundsOf } from '../plan/rounds.ts'
import { openChildWindow } from '../session/child-window.ts'

const params = z.strictObject({
  effort_id: p.id.describe('The effort whose step the sub-agent does.'),
  workflow: p.name.describe('The workflow that it runs.'),
  child: p.id.describe('Its number among the sub-agents of the step.'),
  step: p.name
    .optional()
    .describe('The id of the step, if several run the workflow. Default: the current one.'),
  visit: p.id.optional().describe('The visit of the step that it belongs to. Default: the current one.'),
  ...p.caller,
})

type Params = z.output<typeof params>

/** What a sub-agent learns of its work; `over` if nobody waits for it any more. */
interface Told {
  readonly effort_id: number | null
  readonly skill: string
  readonly step: string
  readonly visit: number
  readonly child: number
  readonly state: Child['state'] | 'over'
  /** What it returned. */
  readonly values: Values
}

export const child = method({
  name: 'step.child',
  summary: 'Begin the work of a sub-agent of a step, once per visit, or show how it ended.',
  effect: 'durable',
  params,
  async run(tx, given, call): Promise<Told> {
    // Locked at once, because the sub-agents of a step begin at the same time.
    const row = await lockEffort(tx, { id: given.effort_id })
    if (row === undefined) throw effortNotFound(given.effort_id)
    if (isAdHoc(row)) throw adHocEffort(row.id, 'worked on by sub-agents', row.task_id)
    const parent = toEffort(row)
    await refuseStrangers(tx, parent, given, call.context)
    const mover = withPlan(parent, await followedBy(tx, parent))
    const rounds = await roundsOf(tx, parent.id)
    const step = stepMeant(mover, given, rounds)
    checkNumber(mover, step, given.child, childCommand(mover, step, step.dispatch?.count ?? 1))
    await refuseToBegin(tx, parent, { ...given, step: step.id }, call.context)
    const visit = given.visit ?? visitOf(mover, step)
    const told = { skill: childSkill(parent.skill, given.workflow), step: step.id, visit, child: given.child }
    const { current, visits } = mover.progress
    const isLast = visit === (visits[step.id]?.attempts ?? 0)
    const known = isLast ? roundIn(rounds, step.id, visit).children[given.child] : undefined
    const isAwaited = isLast && parent.lifecycle === 'active' && current.includes(step.id)
    if (known === undefined && !isAwaited) return { ...told, effort_id: null, state: 'over', values: {} }
    const effort = await effortOf(tx, known)
    if (known !== undefined && effort?.lifecycle !== 'active')
      return { ...told, effort_id: known.effort, ...(await stateOf(tx, known, effort)) }
    const own = effort ?? (await startChild(tx, mover, { step, child: given.child }, call))
    const above = { effort: parent.id, step: step.id, visit, child: given.child }
    await openChildWindow(tx, { effort: own, above, native_id: given.native_id }, call)
    return { ...told, effort_id: own.id, state: isAwaited ? 'running' : 'over', values: {} }
  },
})

async function effortOf(tx: Tx, known: Child | undefined): Promise<Effort | undefined> {
  const row = known?.effort == null ? undefined : await findEffort(tx, { id: known.effort })
  return row === undefined ? undefined : toEffort(row)
}

/** One that ended after its step was decided has told nobody. */
async function stateOf(tx: Tx, { state, values }: Child, effort: Effort | undefined) {
  if (state !== 'running') return { state, values }
  return { state: effort === undefined ? ('fail' as const) : await endOf(tx, effort.id), values }
}

/** The step that waits for such a sub-agent, else the last one that had it. */
function stepMeant(mover: Mover, { workflow, step: word, child: number }: Params, { steps }: Rounds): Step {
  const { effort, plan, progress } = mover
  const running = plan.steps.filter(({ dispatch }) => dispatch?.workflow === workflow)
  const named = running.filter(({ id }) => word === undefined || id === word)
  const effortIn = ({ id }: Step) => steps[id]?.children[number]?.effort ?? 0
  const [last] = named
    .filter(({ id }) => steps[id] !== undefined)
    .toSorted((a, b) => effortIn(b) - effortIn(a))
  const step = named.find(({ id }) => progress.current.includes(id)) ?? last
  if (step !== undefined) return step
  const known = [...new Set(plan.steps.flatMap(({ dispatch }) => dispatch?.workflow ?? []))]
  const names = known.length === 0 ? 'No step of it has one.' : `Its steps have: ${listed(known, ROOM)}.`
  const message =
    named.length === 0
      ? `No step of ${effort.skill} has a sub-agent run the workflow ${quoted(workflow)}. ${names}`
      : `Effort ${effort.id} is at no step that has a sub-agent run the workflow ${quoted(workflow)}.`
  throw new EngineError(named.length === 0 ? 'not-found' : 'conflict', message, {
    field: named.length === 0 ? 'workflow' : 'effort_id',
    hint: showCommand(effort.id),
  })
}

const ROOM = 600
