import type { HookEvent } from './event.ts'
import { ourPrompt } from './in-client.ts'
import { type Mode, modesIn, stepsOf } from './mode.ts'

/** A skill that a prompt calls by its name. */
export interface Invocation {
  readonly name: string
  /** The rest of the prompt, as the client passes it. */
  readonly args: string
  /** Set by `-` as the first argument; a `--flag` is a normal argument. */
  readonly quick: boolean
}

/** What an event says in the words of a prompt: what the user wrote, or the call of a skill. */
export function saidIn(event: HookEvent): string | undefined {
  switch (event.kind) {
    case 'prompt.submitted':
      return event.by === 'user' ? event.text : undefined
    case 'prompt.expanded':
      return `/${event.command} ${event.args}`
    case 'tool.before':
      return event.tool.does.kind === 'skill' ? `/${event.tool.does.name} ${event.tool.does.args}` : undefined
    default:
      return undefined
  }
}

/** A call without the tags of its modes; the last word about its steps counts. */
export function callInModes(
  call: Invocation,
  known: readonly Mode[],
): Invocation & { readonly modes: readonly Mode[] } {
  const { modes, text } = modesIn(call.args, known)
  if (modes.length === 0) return { ...call, modes }
  const [{ args, quick } = call] = invocationsOf(`/${call.name} ${text}`)
  const steps = stepsOf(modes)
  return { ...call, args, quick: steps === undefined ? call.quick || quick : steps === 'quick', modes }
}

/** The words of a call as they can be read again. */
export const wordsOfCall = ({
  args,
  quick,
  modes = [],
}: Omit<Invocation, 'name'> & { modes?: readonly Mode[] }): string =>
  [...(quick ? ['-'] : []), args, ...modes.map(({ tag }) => `#${tag}`)].join(' ')

/** The effort that a call asks to go on with; the newest one if it gives no number. Words after it are no new request. */
export function continuedBy({ args }: Invocation): { readonly effort: number | undefined } | undefined {
  const asked = /^--continue(?![\w-])(?:[\s=]+#?(\d{1,15})(?!\w))?/i.exec(args)
  if (asked === null) return undefined
  return { effort: asked[1] === undefined ? undefined : Number(asked[1]) }
}

/** Whether two calls ask for the same in the same words. */
export const isSameRequest = (one: string, other: string): boolean => inWords(one) === inWords(other)

const inWords = (text: string): string => text.trim().replaceAll(/\s+/g, ' ')

const CALL = /^\/([\p{L}\p{N}_][\p{L}\p{N}_.:-]*)(?<![.:])(?:\s+|$)/u
const MOST_STACKED = 6

/** The skill names at the start of a prompt, in order; they may not exist. */
export function invocationsOf(prompt: string): readonly Invocation[] {
  const found: Invocation[] = []
  // Our own commands are no skill, and suspend none.
  let rest = ourPrompt(prompt) === undefined ? prompt : ''
  while (found.length < MOST_STACKED) {
    const call = CALL.exec(rest)
    if (call === null) break
    rest = rest.slice(call[0].length)
    const quick = /^-(\s|$)/.test(rest)
    found.push({ name: call[1] ?? '', args: (quick ? rest.slice(1) : rest).trim(), quick })
  }
  return found
}
