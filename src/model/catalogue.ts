/** A skill of the package, as `npm run generate` measures it. */
export interface Shipped {
  readonly name: string
  /** What it does, in one line. */
  readonly summary: string
  /** What it needs besides other skills; null if its author says nothing. */
  readonly needs: string | null
  /** What it leaves on disk or in the chat. */
  readonly leaves: string | null
  /** The steps of its plan, without those of its sub-agents; 0 without a plan. */
  readonly steps: number
  /** What a full run prints, by estimate. */
  readonly tokens: number
  /** The most that one step prints, those of its sub-agents too. */
  readonly largest: number
  /** The skills of the package that it goes on to. */
  readonly skills: readonly string[]
  /** The agents of the package that it hands work to. */
  readonly agents: readonly string[]
}

/** What one step of a shipped skill may print at most. */
export const MOST_STEP_TOKENS = 1500

/** The named skills with all that they go on to, each once, in the order of the catalogue. */
export function withNeeded(all: readonly Shipped[], names: readonly string[]): readonly Shipped[] {
  const wanted = new Set<string>()
  const add = (name: string): void => {
    const one = all.find((shipped) => shipped.name === name)
    if (one === undefined || wanted.has(name)) return
    wanted.add(name)
    one.skills.forEach(add)
  }
  names.forEach(add)
  return all.filter(({ name }) => wanted.has(name))
}
