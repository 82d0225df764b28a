import type { EffortWish, SpanChange } from '../model/change.ts'
import { isTracked } from '../model/effort.ts'
import type { Span } from '../model/span.ts'
import type { SkillFacts } from './facts.ts'

interface Entry {
  readonly step?: string | undefined
  readonly args?: string
  readonly quick?: boolean
  /** Set if the call begins new work, although the session serves an effort of the skill. */
  readonly anew?: { readonly finishes: boolean } | undefined
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
      // The caller is the active span, or else the last one.
      parent: (others.find(({ status }) => status === 'active') ?? others[0])?.span_id,
      step: entry.step,
      args: entry.args ?? '',
      mode: entry.quick === true ? 'quick' : 'full',
      effort: effortFor(skill, entry),
    },
  ]
}

/** A skill that gained a plan since has no effort yet to hold its progress. */
const serves = ({ effort_id: effort }: Span, skill: SkillFacts): boolean =>
  !isTracked(skill) || (effort !== null && effort === skill.effort?.id)

function effortFor(skill: SkillFacts, { anew }: Entry): EffortWish {
  const { effort } = skill
  if (!isTracked(skill)) return { kind: 'none' }
  if (effort !== undefined && anew === undefined) return { kind: 'resume', id: effort.id }
  return { kind: 'start', finishes: anew?.finishes === true ? effort?.id : undefined }
}
