import type { EffortWish, SpanChange } from '../model/change.ts'
import { checklistOf } from '../model/checklist.ts'
import { isTracked } from '../model/effort.ts'
import type { Span } from '../model/span.ts'
import { isCarriedOut } from '../model/plan/visit.ts'
import type { SkillFacts } from './facts.ts'

interface Entry {
  readonly step?: string | undefined
  readonly args?: string
  readonly quick?: boolean
  /** The user or agent called the skill by name, rather than reading its files. */
  readonly asked?: boolean
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
  const isNew = entry.asked === true && isOver(skill)
  // A skill that gained a plan since has no effort yet to hold its progress.
  const goesOn = !isNew && own.every(({ effort_id: effort }) => !isTracked(skill) || effort !== null)
  if (goesOn && own.some(({ status }) => status === 'active')) return suspensions
  const [suspended] = own
  if (goesOn && suspended !== undefined)
    return [...suspensions, { kind: 'span.resumed', span: suspended.span_id }]
  return [
    ...suspensions,
    ...own.map(({ span_id: span }): SpanChange => ({ kind: 'span.completed', span })),
    {
      kind: 'span.opened',
      skill: skill.name,
      // The caller is the active span, or else the last one.
      parent: (others.find(({ status }) => status === 'active') ?? others[0])?.span_id,
      step: entry.step,
      args: entry.args ?? '',
      mode: entry.quick === true ? 'quick' : 'full',
      effort: effortFor(skill, isNew),
    },
  ]
}

/** Completion comes from the graph or the todos; entering the last phase does not complete the work. */
function isOver({ plan, progress, recorded, requiredTodos, marks }: SkillFacts): boolean {
  if (plan === undefined)
    return requiredTodos.length > 0 && checklistOf(requiredTodos, marks).every(({ done }) => done)
  return plan.notation !== 'phases' && progress !== undefined && isCarriedOut(plan, progress, recorded)
}

function effortFor(skill: SkillFacts, isNew: boolean): EffortWish {
  const { effort } = skill
  if (!isTracked(skill)) return { kind: 'none' }
  if (effort !== undefined && !isNew) return { kind: 'resume', id: effort.id }
  return { kind: 'start', finishes: isNew ? effort?.id : undefined }
}
