import type { Flaw } from '../../model/client-settings.ts'
import { nearest } from '../../model/text/nearest.ts'
import { repeated } from '../json-text.ts'
import { fits, isCommandsOnly, isMatched, oursIn } from './called.ts'
import { EVENTS } from './encode.ts'
import { textOf } from './fields.ts'
import { HOOKED, isGuard, isOurs } from './handlers.ts'
import { checked, isBlank, type Placed, placedIn } from './settings-text.ts'

const TOOLS = ['Read', 'Write', 'Edit', 'Bash', 'Skill', 'Agent', 'mcp__server__read_file']

/** Values that the matchers of an event must accept. */
const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  SessionStart: ['startup', 'resume', 'clear', 'compact', 'fork'],
  PreToolUse: TOOLS,
  PostToolUse: TOOLS,
  PostToolUseFailure: TOOLS,
  PreCompact: ['manual', 'auto'],
  SessionEnd: ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'],
}
const ANYTHING = ['anything']

/** A longer timeout is probably in milliseconds. */
const MOST_SECONDS = 600
/** A shorter limit is probably in seconds. */
const LEAST_MILLISECONDS = 100

/** Problems that keep the client from calling or obeying our hooks. */
export function flawsIn(text: string): readonly Flaw[] {
  if (isBlank(text)) return []
  const ours = oursIn(text)
  const shadowed = shadowedIn(text)
  const flaws = ours.flatMap((placed) => flawsOf(placed))
  if (ours.length + shadowed.length === 0) return flaws
  const missing = HOOKED.map(({ event }) => event).filter((event) => !ours.some((one) => one.event === event))
  const lost = missing.filter((event) => shadowed.includes(event))
  const absent = missing.filter((event) => !lost.includes(event))
  return [
    ...flaws,
    ...(lost.length === 0
      ? []
      : [
          flaw(
            'hook-shadowed',
            `A key appears twice and only the last one counts; lost hooks: ${listed(lost)}.`,
          ),
        ]),
    ...(absent.length === 0 ? [] : [flaw('hook-missing', `There is no hook for ${listed(absent)}.`)]),
    ...HOOKED.flatMap(({ event }) => unmatched(event, ours)),
  ]
}

const flaw = (code: Flaw['code'], detail: string): Flaw => ({ code, detail })

const listed = (names: readonly string[]): string => names.join(', ')

function flawsOf({ event, handler }: Placed): readonly Flaw[] {
  const { type, timeout, if: condition, async: isAsync, asyncRewake } = handler
  const isHooked = HOOKED.some((one) => one.event === event)
  const meant = nearest(
    event,
    HOOKED.map((one) => one.event),
  )
  return [
    ...(isHooked
      ? []
      : [
          flaw(
            'hook-event',
            EVENTS.has(event)
              ? `Holdfast does not handle ${event}.`
              : `There is no event ${event}${meant.length === 0 ? '.' : `; did you mean ${meant[0]}?`}`,
          ),
        ]),
    ...(type === 'http' && isCommandsOnly(event)
      ? [flaw('hook-type', `${event} accepts only commands, so its URL is never called.`)]
      : []),
    ...(condition === undefined
      ? []
      : [flaw('hook-condition', `The hook of ${event} runs only if ${JSON.stringify(condition)}.`)]),
    ...(isAsync === true || asyncRewake === true
      ? [flaw('hook-async', `The hook of ${event} runs in the background, where refusals have no effect.`)]
      : []),
    ...unitsOf(event, timeout, textOf(handler['command']) ?? ''),
  ]
}

/** Finds mixed units: the client uses seconds, our program milliseconds. */
function unitsOf(event: string, timeout: unknown, command: string): readonly Flaw[] {
  const seconds = typeof timeout === 'number' ? timeout : 1
  const limit = Number(/ hook [\w-]+ --limit (\d+)/.exec(command)?.[1] ?? LEAST_MILLISECONDS)
  return [
    ...(seconds > MOST_SECONDS
      ? [flaw('hook-timeout', `The timeout of ${event} is ${seconds} seconds; it looks like milliseconds.`)]
      : []),
    ...(seconds < 1
      ? [
          flaw(
            'hook-timeout',
            `The timeout of ${event} is ${seconds} seconds, which is too short for a decision.`,
          ),
        ]
      : []),
    ...(limit < LEAST_MILLISECONDS
      ? [
          flaw(
            'hook-timeout',
            `The hook of ${event} gives up after ${limit} milliseconds; it looks like seconds.`,
          ),
        ]
      : []),
  ]
}

/** Matchers that miss values; a guard never calls us, so it does not count. */
function unmatched(event: string, ours: readonly Placed[]): readonly Flaw[] {
  const asking = ours.filter((one) => one.event === event && !isGuard(one.handler))
  if (asking.length === 0 || !isMatched(event)) return []
  const unheard = (SAMPLES[event] ?? ANYTHING).filter(
    (value) => !asking.some(({ matcher }) => fits(matcher, value)),
  )
  return unheard.length === 0
    ? []
    : [flaw('hook-matcher', `The matchers of ${event} miss ${listed(unheard)}.`)]
}

/** Our events under a key that a later duplicate overrides. */
function shadowedIn(text: string): readonly string[] {
  const body = checked(text)
  const lost = repeated(body, ['hooks']).flatMap(placedIn)
  const events = HOOKED.flatMap(({ event }) =>
    repeated(body, ['hooks', event]).flatMap((groups) => placedIn({ [event]: groups })),
  )
  return [...lost, ...events].filter(({ handler }) => isOurs(handler)).map(({ event }) => event)
}
