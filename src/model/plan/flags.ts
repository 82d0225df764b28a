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
export function flagsIn({ flags = {} }: Pick<Plan, 'flags'>, call: string): Flagged {
  let words = call.trim()
  let values: Values = {}
  for (;;) {
    const [before] = /^\S+/.exec(words) ?? []
    const [after] = /\S+$/.exec(words) ?? []
    const flag = [before, after].find((word) => word !== undefined && Object.hasOwn(flags, word))
    if (flag === undefined) return { values, words }
    values = { ...values, ...flags[flag] }
    words = (flag === before ? words.slice(flag.length) : words.slice(0, -flag.length)).trim()
  }
}
