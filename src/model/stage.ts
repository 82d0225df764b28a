/** The planning skills that are known by their names; their names are their stages. */
const PLANNING: ReadonlySet<string> = new Set([
  'plan',
  'critique',
  'revise-plan',
  'plan-decompose',
  'critique-specs',
  'revise-specs',
])

const LONGEST = 100

/** What a skill declares as its stage: one line, or nothing. */
export function declaredStage(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.length > LONGEST || /[\p{Cc}\u2028\u2029]/u.test(text) ? undefined : text
}

/** The stage of planning that a skill stands for; what it declares goes before what its name says. */
export function stageOf(skill: string, declared: string | null | undefined): string | undefined {
  const name = skill.slice(skill.lastIndexOf(':') + 1)
  return declared ?? (PLANNING.has(name) ? name : undefined)
}
