import type { Plan } from './plan.ts'

type Values = Readonly<Record<string, string>>

/** The words of a call, with what its flags set. */
export interface Flagged {
  readonly values: Values
  /** The other words. */
  readonly words: string
}

/** A flag of a call; `--continue` is ours. */
export const isFlag = (word: string): boolean =>
  /^--[a-z][a-z0-9-]{0,62}$/.test(word) && word !== '--continue'

/** Reads the flags before and after the other words; one in the middle of a sentence is only spoken of. */
export function flagsIn({ flags }: Pick<Plan, 'flags'>, call: string): Flagged {
  if (flags === undefined) return { values: {}, words: call }
  let words = call.trim()
  const values = new Map<string, string>()
  for (;;) {
    const all = words.split(/\s+/)
    const flag = [all.at(0), all.at(-1)].find((word) => word !== undefined && Object.hasOwn(flags, word))
    if (flag === undefined) return { values: Object.fromEntries(values), words }
    for (const [name, value] of Object.entries(flags[flag] ?? {})) values.set(name, value)
    words = (flag === all[0] ? words.slice(flag.length) : words.slice(0, -flag.length)).trim()
  }
}
