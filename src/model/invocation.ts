/** A skill that a prompt calls by its name. */
export interface Invocation {
  readonly name: string
  /** All that follows, as the client hands it over. */
  readonly args: string
  /** Asked for by `-` as the first argument; a `--flag` is an argument like any other. */
  readonly quick: boolean
}

const CALL = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?<![.:])(?:\s+|$)/u
const MOST_STACKED = 6

/** The skills that a prompt begins with, one after the other; whether there are such skills is for others to say. */
export function invocationsOf(prompt: string): readonly Invocation[] {
  const found: Invocation[] = []
  let rest = prompt
  while (found.length < MOST_STACKED) {
    const call = CALL.exec(rest)
    if (call === null) break
    rest = rest.slice(call[0].length)
    const quick = /^-(\s|$)/.test(rest)
    found.push({ name: call[1] ?? '', args: (quick ? rest.slice(1) : rest).trim(), quick })
  }
  return found
}
