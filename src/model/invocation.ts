/** A skill that a prompt calls by its name. */
export interface Invocation {
  readonly name: string
  /** The rest of the prompt, as the client passes it. */
  readonly args: string
  /** Set by `-` as the first argument; a `--flag` is a normal argument. */
  readonly quick: boolean
}

const CALL = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?<![.:])(?:\s+|$)/u
const MOST_STACKED = 6

/** The skill names at the start of a prompt, in order; they may not exist. */
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
