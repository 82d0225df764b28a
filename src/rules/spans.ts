import type { Session } from '../model/session.ts'
import type { Change, EffortWish, SpanChange } from '../model/change.ts'
import { checklistOf, ownTodos } from '../model/checklist.ts'
import { startsEffort } from '../model/effort.ts'
import type { HookEvent } from '../model/event.ts'
import { type Invocation, isSameRequest, wordsOfCall } from '../model/invocation.ts'
import { phasesIn } from '../model/plan/phase.ts'
import { owedResult } from '../model/result.ts'
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
  /** Set for a frame of a chain. */
  readonly frame?: { readonly isTail: boolean; readonly task: string | undefined } | undefined
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
      parent: entry.byUser === true || entry.frame?.isTail === true ? undefined : callerIn(others)?.span_id,
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

function effortFor(skill: SkillFacts, { anew, byUser, frame, args = '' }: Entry): EffortWish {
  const { effort } = skill
  if (effort !== undefined && anew === undefined) return { kind: 'resume', id: effort.id }
  if (!startsEffort(skill)) return { kind: 'none' }
  const finishes = anew?.finishes === true ? effort?.id : undefined
  const task = frame?.task
  return {
    kind: 'start',
    finishes,
    ...(task !== undefined && { task }),
    ...(byUser === true && args !== '' && { inWords: true }),
  }
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
  call: Invocation,
  skill: string,
): Extract<Change, { kind: 'skill.forked' }> {
  const { promptId: prompt } = event
  const request = wordsOfCall(call)
  const id = (event.kind === 'tool.before' ? event.tool.id : prompt) ?? `/${skill} ${request}`
  return { kind: 'skill.forked', skill, request, call: id, prompt }
}

/** Says why a call begins new work; undefined if it goes on with the effort of its session. */
export function anewBy(
  event: HookEvent,
  { skill, args }: Called,
): { readonly finishes: boolean } | undefined {
  // Agents paraphrase, so only the words of the user ask for something else.
  const isOther = event.kind !== 'tool.before' && asksForOther(skill, args)
  // The call itself belongs to the last phase as long as it asks for nothing else.
  const mayEnd = isOther || skill.plan?.notation !== 'phases'
  const finishes = (mayEnd && needsNoMore(skill)) || (isOther && isUntouched(skill))
  return isOther || finishes ? { finishes } : undefined
}

/** True for the user's own call; a sub-agent's expanded prompt is a call of its parent, or of the user there. */
export const isByUser = (
  event: HookEvent,
  { session }: { readonly session: Pick<Session, 'scope_of'> },
): boolean =>
  session.scope_of === null
    ? event.kind !== 'tool.before'
    : event.kind === 'prompt.expanded' && event.isTyped === true

const asksForOther = ({ effort }: SkillFacts, args: string): boolean =>
  effort !== undefined && args !== '' && !isSameRequest(args, effort.request ?? '')

/** True if the work needs no more, though nobody may have said so: plan carried out, todos done, results given. */
export function needsNoMore(skill: SkillFacts): boolean {
  const { plan, progress, recorded, requiredTodos, marks } = skill
  if (skill.lacksResult === true || owedResult(skill, skill.effort) !== undefined) return false
  if (plan === undefined) return requiredTodos.length > 0 && areDone(requiredTodos, marks)
  if (progress === undefined || !isCarriedOut(plan, progress, recorded)) return false
  const phases = phasesIn(plan).map(({ name }) => name)
  return areDone(ownTodos(requiredTodos, phases), marks)
}

/** True if the work ends when its session turns to something else; without a plan, it waits for the next call. */
export const endsWhenLeft = (skill: SkillFacts): boolean => skill.plan !== undefined && needsNoMore(skill)

const areDone = (todos: readonly string[], marks: SkillFacts['marks']): boolean =>
  checklistOf(todos, marks).every(({ done }) => done)

/** A bare call that nothing followed. */
export const isUntouched = ({ effort, progress, recorded }: SkillFacts): boolean =>
  effort?.request === '' &&
  effort.current_phase === null &&
  effort.agent_id === null &&
  Object.keys(progress?.visits ?? {}).length === 0 &&
  recorded.good.size === 0
