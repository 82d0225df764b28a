import type { Change, EffortWish } from '../model/change.ts'
import type { Span } from '../model/span.ts'
import { isCarriedOut } from '../model/visit.ts'
import type { SkillFacts } from './rule.ts'

interface Entry {
  readonly step?: string | undefined
  readonly args?: string
  readonly quick?: boolean
  /** Somebody asked for the skill by its name, as opposed to reading one of its files. */
  readonly asked?: boolean
}

/** What must change so that this skill is in charge; nothing where it is already. */
export function takeCharge(spans: readonly Span[], skill: SkillFacts, entry: Entry = {}): readonly Change[] {
  const own = spans.filter((span) => span.skill === skill.name)
  const others = spans.filter((span) => span.skill !== skill.name)
  const suspensions = others
    .filter(({ status }) => status === 'active')
    .map(({ span_id: span }): Change => ({ kind: 'span.suspended', span }))
  const isNew = entry.asked === true && isOver(skill)
  // A skill that has got its plan meanwhile has nothing yet to keep its progress in.
  const goesOn = !isNew && own.every(({ effort_id: effort }) => skill.plan === undefined || effort !== null)
  if (goesOn && own.some(({ status }) => status === 'active')) return suspensions
  const [suspended] = own
  if (goesOn && suspended !== undefined)
    return [...suspensions, { kind: 'span.resumed', span: suspended.span_id }]
  return [
    ...suspensions,
    ...own.map(({ span_id: span }): Change => ({ kind: 'span.completed', span })),
    {
      kind: 'span.opened',
      skill: skill.name,
      // Whoever is in charge calls; where nobody is, whoever was last.
      parent: (others.find(({ status }) => status === 'active') ?? others[0])?.span_id,
      step: entry.step,
      args: entry.args ?? '',
      mode: entry.quick === true ? 'quick' : 'full',
      effort: effortFor(skill, isNew),
    },
  ]
}

/** Completion comes from the graph; that the last phase was entered does not say that it is over. */
const isOver = ({ plan, progress, recorded }: SkillFacts): boolean =>
  plan !== undefined &&
  plan.notation !== 'phases' &&
  progress !== undefined &&
  isCarriedOut(plan, progress, recorded)

function effortFor({ plan, effort }: SkillFacts, isNew: boolean): EffortWish {
  if (plan === undefined) return { kind: 'none' }
  if (effort !== undefined && !isNew) return { kind: 'resume', id: effort.id }
  return { kind: 'start', finishes: isNew ? effort?.id : undefined }
}
