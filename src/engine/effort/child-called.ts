import { isChild, rootSkill } from '../../model/child.ts'
import { EngineError } from '../../model/error.ts'
import { remarksOn } from '../../model/plan/action-words.ts'
import { startingCommand } from '../../model/plan/fields.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import type { Plan } from '../../model/plan/plan.ts'
import { quoted } from '../../model/text/line.ts'
import type { Tx } from '../../store/query.ts'
import { toSkill } from '../../store/skill.ts'
import type { Context } from '../call/context.ts'
import { skillCalled } from '../skill/called.ts'
import type { Wish } from './meant.ts'
import { ownWork } from './own-work.ts'

/** Refuses to begin the workflow of a sub-agent by its name: only its step says whose work it is. */
export async function refuseChildCall(
  tx: Tx,
  wish: Wish & { readonly skill: string },
  { workplace_id }: { readonly workplace_id: number },
  context: Context,
): Promise<void> {
  if (!isChild(wish)) return
  const skill = rootSkill(wish.skill)
  const row = await skillCalled(tx, { workplace_id, name: skill })
  const plan = row === undefined ? undefined : toSkill(row).plan
  if (plan == null || !hasWorkflow(plan, wish.skill.split('/').slice(1))) return
  const own = await ownWork(tx, { ...wish, skill }, context)
  const hint = own === undefined ? startingCommand(skill, plan.params ?? {}, {}) : showCommand(own.id)
  const reason = `${quoted(wish.skill)} is the workflow of a sub-agent. It begins with the command that a step of ${skill} prints, which has --parent and --child.`
  const message = [reason, ...remarksOn([hint])].join(' ')
  throw new EngineError('refused', message, { field: 'skill', hint })
}

/** Whether a path of names leads to a workflow below a plan. */
function hasWorkflow(plan: Plan, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true
  const { workflows = {} } = plan
  const below = Object.hasOwn(workflows, name) ? workflows[name] : undefined
  return below !== undefined && hasWorkflow(below, rest)
}
