import type { Session } from '../model/session.ts'
import type { Change, EffortWish, SpanChange } from '../model/change.ts'
import { checklistOf } from '../model/checklist.ts'
import { startsEffort } from '../model/effort.ts'
import type { HookEvent } from '../model/event.ts'
import { type Invocation, isSameRequest } from '../model/invocation.ts'
import { phasesIn } from '../model/plan/phase.ts'
import { isFulfilled } from '../model/plan/moves.ts'
import { isCarriedOut } from '../model/plan/visit.ts'
import type { Span } from '../model/span.ts'
import type { SkillFacts } from './facts.ts'

interface Entry {
  readonly step?: string | undefined
  readonly args?: string
  readonly quick?: boolean
  /** Set if the call begins new work, although the session serves an effort of the skill. */
  readonly anew?: { readonly finishes: boolean } | undefined
  /** Set if the user called the skill, so no other skill did. */
  readonly byUser?: boolean
}

/** The changes that put this skill in charge; none if it already is. */
export function takeCharge(
  spans: readonly Span[],
  skill: SkillFacts,
  entry: Entry = {},
): readonly SpanChange[] {
  const own = spans.filter((span) => span.skill === skill.name)
  const others = spans.filter((span) => span.skill !== skill.name)
  const suspensions = others
    .filter(({ status }) => status === 'active')
    .map(({ span_id: span }): SpanChange => ({ kind: 'span.suspended', span }))
  const goesOn = entry.anew === undefined ? own.find((span) => serves(span, skill)) : undefined
  if (goesOn?.status === 'active') return suspensions
  if (goesOn !== undefined) return [...suspensions, { kind: 'span.resumed', span: goesOn.span_id }]
  return [
    ...suspensions,
    ...own.map(({ span_id: span }): SpanChange => ({ kind: 'span.completed', span })),
    {
      kind: 'span.opened',
      skill: skill.name,
      parent: entry.byUser === true ? undefined : callerIn(others)?.span_id,
      step: entry.step,
      args: entry.args ?? '',
      mode: entry.quick === true ? 'quick' : 'full',
      effort: effortFor(skill, entry),
    },
  ]
}

/** The caller is the active span, or else the last one. */
const callerIn = (others: readonly Span[]): Span | undefined =>
  others.find(({ status }) => status === 'active') ?? others[0]

/** A skill that gained a plan since has no effort yet to hold its progress. */
const serves = ({ effort_id: effort }: Span, skill: SkillFacts): boolean =>
  (skill.effort === undefined && !startsEffort(skill)) || (effort !== null && effort === skill.effort?.id)

function effortFor(skill: SkillFacts, { anew, byUser, args = '' }: Entry): EffortWish {
  const { effort } = skill
  if (effort !== undefined && anew === undefined) return { kind: 'resume', id: effort.id }
  if (!startsEffort(skill)) return { kind: 'none' }
  const finishes = anew?.finishes === true ? effort?.id : undefined
  return { kind: 'start', finishes, ...(byUser === true && args !== '' && { inWords: true }) }
}

/** A call of a skill by its name. */
export type Called = Invocation & { readonly skill: SkillFacts }

/** True if a sub-agent does the called skill; in its scope, the expanded prompt is its own call. */
export const isForked = (
  { kind }: HookEvent,
  skill: SkillFacts,
  { session }: { readonly session: Pick<Session, 'scope_of'> },
): boolean =>
  skill.forks === true && startsEffort(skill) && (session.scope_of === null || kind === 'tool.before')

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
  const finishes = isOver(skill) || (isOther && (isUntouched(skill) || isFulfilledBy(skill)))
  return isOther || finishes ? { finishes } : undefined
}

/** True for the user's own call; a sub-agent's expanded prompt is a call of its parent. */
export const isByUser = (
  { kind }: HookEvent,
  { session }: { readonly session: Pick<Session, 'scope_of'> },
): boolean => kind !== 'tool.before' && session.scope_of === null

const asksForOther = ({ effort }: SkillFacts, args: string): boolean =>
  effort !== undefined && args !== '' && !isSameRequest(args, effort.request ?? '')

/** Completion comes from the graph or the todos; entering the last phase does not complete the work. */
export function isOver({ plan, progress, recorded, requiredTodos, marks }: SkillFacts): boolean {
  if (plan === undefined)
    return requiredTodos.length > 0 && checklistOf(requiredTodos, marks).every(({ done }) => done)
  return plan.notation !== 'phases' && progress !== undefined && isCarriedOut(plan, progress, recorded)
}

/** True if the plan needs no more: the end of a session or another request ends the last phase too. */
export function isFulfilledBy({ plan, progress, recorded, requiredTodos, marks }: SkillFacts): boolean {
  if (plan === undefined || progress === undefined || !isFulfilled(plan, progress, recorded)) return false
  // Without todos of its own, the phases of a skill are its todos.
  const phases = new Set(phasesIn(plan).map(({ name }) => name))
  const asked = requiredTodos.filter((text) => !phases.has(text))
  return checklistOf(asked, marks).every(({ done }) => done)
}

/** A bare call that nothing followed. */
const isUntouched = ({ effort, progress, recorded }: SkillFacts): boolean =>
  effort?.request === '' &&
  effort.current_phase === null &&
  effort.agent_id === null &&
  Object.keys(progress?.visits ?? {}).length === 0 &&
  recorded.good.size === 0
