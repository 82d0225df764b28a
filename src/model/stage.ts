/** Planning skills known by name; the name is the stage. */
const PLANNING: ReadonlySet<string> = new Set([
  'plan',
  'critique',
  'revise-plan',
  'plan-decompose',
  'critique-specs',
  'revise-specs',
])

const LONGEST = 100

/** The stage that a skill declares: one line, or undefined. */
export function declaredStage(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : ''
  return text === '' || text.length > LONGEST || /[\p{Cc}\u2028\u2029]/u.test(text) ? undefined : text
}

/** The planning stage of a skill; its declaration wins over its name. */
export function stageOf(skill: string, declared: string | null | undefined): string | undefined {
  const name = skill.slice(skill.lastIndexOf(':') + 1)
  return declared ?? (PLANNING.has(name) ? name : undefined)
}
