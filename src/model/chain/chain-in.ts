import { ourPrompt } from '../in-client.ts'
import { type Call, type Calls, callsOf, type Reading } from './calls.ts'
import { exactIn } from './exact.ts'
import { explicitCalls } from './explicit.ts'
import {
  type Chain,
  type ChainCall,
  type ChainSkills,
  type Cooperation,
  type Frame,
  standings,
} from './frame.ts'
import { wordsOf } from './words.ts'

/** A prompt that names more skills is a list of them, such as a page of documentation. */
export const MOST_FRAMES = 50

const CALLS = /^\s*\/[^]*\s\/[\p{L}\p{N}_]/u
const VERB = /\b(?:run|use|call|invoke|start|do|apply|continue|finish)\b/i

/** False for nearly every prompt without a chain; cheap, because every prompt asks. */
export const mayAskForChain = (prompt: string): boolean =>
  prompt.trimStart().startsWith('/')
    ? CALLS.test(prompt)
    : (prompt.includes('/') || /skill/i.test(prompt)) && VERB.test(prompt)

/** The chain that a prompt asks for: by calls, or explicit, in words. */
export function chainIn(prompt: string, skills: ChainSkills): Chain | undefined {
  if (!prompt.includes('/') && !/skill/i.test(prompt)) return undefined
  return chainBy(prompt, { standing: standings(skills), guarded: true })
}

/** The chain of a prompt in a given reading. */
export function chainBy(prompt: string, reading: Reading): Chain | undefined {
  const { frames, unknown } = read(prompt, reading)
  if (frames.length < 2 || frames.length > MOST_FRAMES) return undefined
  return { frames, unknown: unknown.map(({ name }) => name) }
}

/** The names behind a single call that no skill has, as in `/design x, then /relaese it`: most likely a chain was meant. */
export function unknownAfter(prompt: string, skills: ChainSkills): readonly string[] {
  const { frames, unknown } = read(prompt, { standing: standings(skills), guarded: true })
  const [first, second] = frames
  if (first === undefined || first.unknown || second !== undefined) return []
  return unknown.filter(({ isMeant }) => isMeant).map(({ name }) => name)
}

function read(prompt: string, reading: Reading) {
  if (ourPrompt(prompt) !== undefined) return { frames: [], unknown: [] }
  const words = wordsOf(prompt)
  const isCalled = words[0]?.text.startsWith('/') === true
  const { calls, unknown } = (isCalled ? callsOf : explicitCalls)(words, reading)
  return { frames: framesOf(prompt, calls, isCalled ? 'wrapped' : 'explicit'), unknown }
}

/** The prompt as the first skill alone has to read it: without the calls that belong to later ones. */
export function ownPart(prompt: string, chain: Chain | undefined): string {
  const [first] = chain?.frames ?? []
  if (first === undefined || first.level === 'explicit') return prompt
  const { name, quick, args, context } = first
  return [[`/${name}`, ...(quick ? ['-'] : []), args].join(' ').trim(), context].join('\n').trim()
}

function framesOf(prompt: string, calls: Calls['calls'], level: Cooperation): readonly Frame[] {
  const frames: Frame[] = []
  for (const [index, call] of calls.entries()) {
    const { args, context, quick } = partsOf(prompt.slice(call.head, calls[index + 1]?.from ?? prompt.length))
    const made: ChainCall = { ...standingOf(call), args, quick }
    const before = frames.at(-1)
    if (!call.branch || before === undefined) frames.push({ ...made, context, onError: undefined, level })
    else frames[frames.length - 1] = { ...before, onError: made, context: lines(before.context, context) }
  }
  return frames
}

const standingOf = ({ name, standing }: Call) => ({
  name,
  unknown: standing.kind === 'near',
  nearest: standing.kind === 'near' ? standing.nearest : [],
})

/** The rest of its line is for the skill; the lines below are its context. */
function partsOf(text: string): { readonly args: string; readonly quick: boolean; readonly context: string } {
  const end = text.indexOf('\n')
  const line = (end === -1 ? text : text.slice(0, end)).trim()
  const quick = /^-(\s|$)/.test(line)
  const context = end === -1 ? '' : dedented(text.slice(end + 1))
  return { args: exactIn((quick ? line.slice(1) : line).trim()), quick, context: exactIn(context) }
}

const lines = (...parts: readonly string[]): string => parts.filter((part) => part !== '').join('\n')

/** Lines without the indentation that they share, and without blank lines around them. */
function dedented(text: string): string {
  const all = text.split('\n').map((line) => line.trimEnd())
  const first = all.findIndex((line) => line !== '')
  if (first === -1) return ''
  const kept = all.slice(first, all.findLastIndex((line) => line !== '') + 1)
  const indents = kept.filter((line) => line !== '').map((line) => line.length - line.trimStart().length)
  const shared = indents.reduce((least, indent) => Math.min(least, indent), Infinity)
  return kept.map((line) => line.slice(shared)).join('\n')
}
