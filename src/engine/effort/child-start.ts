import { childSkill } from '../../model/child.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { faultsIn, missingIn } from '../../model/plan/fields.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import type { Plan, Step } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import type { Skill } from '../../model/skill.ts'
import { quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import type { Call } from '../call/method.ts'
import { setVariables } from '../plan/progress.ts'
import { type Above, keepAbove, keepChild } from '../plan/rounds.ts'
import { keepPlan, skillOfEffort } from '../skill/kept-plan.ts'
import { givenTo, visitOf } from './children.ts'
import { addEffort, ordinalIn } from './life.ts'
import type { Mover } from './mover.ts'

/** Begins the effort of a sub-agent: its workflow on the task of the step, with what the step gives to it. */
export async function startChild(
  tx: Tx,
  mover: Mover,
  { step, child }: { readonly step: Step; readonly child: number },
  call: Call,
): Promise<Effort> {
  const { effort: parent, declared, plan, values } = mover
  const workflow = step.dispatch?.workflow ?? ''
  const own = (declared ?? plan).workflows?.[workflow]
  const skill = await skillOfEffort(tx, parent)
  if (own === undefined || skill === undefined || step.dispatch === undefined)
    throw new Error(`The plan has no workflow ${workflow}.`)
  const given = givenTo(own, step.dispatch, child, values)
  checkGiven(mover, step, own, given)
  const name = childSkill(parent.skill, workflow)
  const kept = asChild(skill, name, { ...own, texts: { ...plan.texts, ...own.texts } })
  const above: Above = { effort: parent.id, step: step.id, visit: visitOf(mover, step), child }
  const effort = await addEffort(
    tx,
    {
      task_id: parent.task_id,
      ordinal: await ordinalIn(tx, parent.task_id),
      skill: name,
      mode: parent.mode ?? undefined,
      workplace_id: parent.workplace_id,
      plan_digest: await keepPlan(tx, kept),
      about: { parent: above },
    },
    call,
  )
  await keepAbove(tx, effort.id, above, call)
  await setVariables(tx, { effort_id: effort.id, set: given }, call)
  await keepChild(tx, above, { effort: effort.id, state: 'running', values: {} }, call)
  await call.record(tx, {
    event_type: 'step.delegated',
    skill: parent.skill,
    phase: step.id,
    effort_id: parent.id,
    payload: { visit: above.visit, child, effort: effort.id },
  })
  return effort
}

/** The workflow of a sub-agent as a skill of its own; what the skill above asks for besides is not its work. */
function asChild(skill: Skill, name: string, plan: Plan): Skill {
  const { details } = skill
  const rest = { required_todos: [], heartbeat: null, uses_skill_run: false, steps: plan.steps.length }
  return {
    ...skill,
    name,
    plan,
    // The texts of the skill are for the agent that follows it.
    file: null,
    folder: null,
    phases: [],
    modes: {},
    templates: {},
    details: details && {
      alias: name,
      notation: plan.notation,
      enforceable: details.enforceable,
      errors: 0,
      warnings: 0,
      user_invocable: false,
      argument_hint: null,
      allowed_tools: [],
      ...(details.code !== undefined && { code: details.code }),
      ...rest,
    },
  }
}

/** Refuses to begin a workflow without a value that its step must give. */
function checkGiven(
  { effort }: Mover,
  { label }: Step,
  { params = {}, variables }: Plan,
  given: Values,
): void {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''))
  const [missing] = missingIn(params, { ...variables, ...set })
  const [fault] = [...faultsIn(params, set), ...(missing === undefined ? [] : [`It needs ${missing}.`])]
  if (fault === undefined) return
  const message = `Step ${quoted(label)} does not give its sub-agent what the workflow of it takes. ${fault} Only the author of skill ${effort.skill} can correct the "vars" of the step.`
  throw new EngineError('conflict', message, { field: 'workflow', hint: showCommand(effort.id) })
}
