import { chainIn } from './chain-in.ts'
import type { ChainCall, ChainSkills, Frame } from './frame.ts'

/** The skills that the prompts of tests may call. */
export const NAMES = [
  'design',
  'plan-adhoc',
  'orchestrate',
  'fix',
  'commit',
  'handoff',
  'ops:release',
  'speckit.plan',
  'größe',
  'a',
  'b',
  'c',
] as const

export const SKILLS: ChainSkills = { knows: (name) => NAMES.some((one) => one === name), names: NAMES }

const callOf = ({ name, quick, args, nearest }: ChainCall): string =>
  [
    `${name}${quick ? '!' : ''}${nearest.length > 0 ? `?${nearest[0]}` : ''}`,
    ...(args === '' ? [] : [args]),
  ].join(' ')

const frameOf = ({ context, onError, ...call }: Frame): string =>
  `${callOf(call)}${context === '' ? '' : ` {${context}}`}${onError === undefined ? '' : ` else ${callOf(onError)}`}`

/**
 * The chain of a prompt in short: `a args {context} else branch | b! (quick) | desing?design (unknown)`, then the
 * other unknown names; a chain in words begins with `explicit:`, and no chain is empty.
 */
export function shortOf(prompt: string): string {
  const chain = chainIn(prompt, SKILLS)
  if (chain === undefined) return ''
  const words = chain.frames[0]?.level === 'explicit' ? 'explicit: ' : ''
  const unknown = chain.unknown.length === 0 ? '' : ` ~ ${chain.unknown.join(' ')}`
  return `${words}${chain.frames.map(frameOf).join(' | ')}${unknown}`
}
