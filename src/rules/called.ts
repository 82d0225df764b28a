import type { Change } from '../model/change.ts'
import { checklistOf } from '../model/checklist.ts'
import { isTracked } from '../model/effort.ts'
import type { HookEvent } from '../model/event.ts'
import { type Invocation, isSameRequest } from '../model/invocation.ts'
import { isCarriedOut } from '../model/plan/visit.ts'
import type { Session } from '../model/session.ts'
import type { SkillFacts } from './facts.ts'

/** A call of a skill by its name. */
export type Called = Invocation & { readonly skill: SkillFacts }

/** True if a sub-agent does the called skill; in its scope, the expanded prompt is its own call. */
export const isForked = (
  { kind }: HookEvent,
  skill: SkillFacts,
  { session }: { readonly session: Pick<Session, 'scope_of'> },
): boolean =>
  skill.forks === true && isTracked(skill) && (session.scope_of === null || kind === 'tool.before')

/** The call of a skill that waits for its sub-agent; one call has one id, however often it is reported. */
export function forkOf(
  event: HookEvent,
  { args, quick }: Invocation,
  skill: string,
): Extract<Change, { kind: 'skill.forked' }> {
  const { promptId: prompt } = event
  const call = (event.kind === 'tool.before' ? event.tool.id : prompt) ?? `/${skill} ${args}`
  return { kind: 'skill.forked', skill, request: quick ? `- ${args}` : args, call, prompt }
}

/** Says why a call begins new work; undefined if it goes on with the effort of its session. */
export function anewBy(
  event: HookEvent,
  { skill, args }: Called,
): { readonly finishes: boolean } | undefined {
  // Agents paraphrase, so only the words of the user ask for something else.
  const isOther = event.kind !== 'tool.before' && asksForOther(skill, args)
  const finishes = isOver(skill) || (isOther && isUntouched(skill))
  return isOther || finishes ? { finishes } : undefined
}

const asksForOther = ({ effort }: SkillFacts, args: string): boolean =>
  effort !== undefined && args !== '' && !isSameRequest(args, effort.request ?? '')

/** Completion comes from the graph or the todos; entering the last phase does not complete the work. */
export function isOver({ plan, progress, recorded, requiredTodos, marks }: SkillFacts): boolean {
  if (plan === undefined)
    return requiredTodos.length > 0 && checklistOf(requiredTodos, marks).every(({ done }) => done)
  return plan.notation !== 'phases' && progress !== undefined && isCarriedOut(plan, progress, recorded)
}

/** A bare call that nothing followed. */
const isUntouched = ({ effort, progress, recorded }: SkillFacts): boolean =>
  effort?.request === '' &&
  effort.current_phase === null &&
  effort.agent_id === null &&
  Object.keys(progress?.visits ?? {}).length === 0 &&
  recorded.good.size === 0
