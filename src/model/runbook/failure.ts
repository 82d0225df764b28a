interface Failure {
  /** When an agent names it. */
  readonly means: string
  readonly by: 'model' | 'user'
}

/** Why a step fails, by the word that its agent answers with. */
export const FAILURES = {
  prerequisite: { means: 'something that the step needs is missing', by: 'user' },
  execution: { means: 'a command or check still fails', by: 'model' },
  unexpected: { means: 'the result differs from what the step says', by: 'model' },
  ambiguity: { means: 'the step can be read in two ways, or leaves a decision open', by: 'user' },
  misalignment: { means: 'the step contradicts what another step has done', by: 'model' },
} as const satisfies Readonly<Record<string, Failure>>

export type Category = keyof typeof FAILURES

/** What only a review answers: it did its work, and something must be fixed. */
export const FINDINGS = 'findings'

export const CATEGORIES = Object.keys(FAILURES) as readonly Category[]

/** The category that a word or the beginning of an answer names, such as `execution error` or `error: execution: …`. */
export function categoryIn(text: string): Category | typeof FINDINGS | undefined {
  const [word = ''] = text
    .trim()
    .toLowerCase()
    .replace(/^error\s*:\s*/, '')
    .replace(/^inter-agent\s+/, '')
    .split(/[^a-z]+/)
  return [...CATEGORIES, FINDINGS].find((one) => one === word) as Category | typeof FINDINGS | undefined
}
