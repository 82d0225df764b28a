import { cutTo } from '../text/kept.ts'
import { inOneLine, oneLine, quoted } from '../text/line.ts'
import { chainLine, currentOf, type StoredFrame, nextOf, type SkillCall, standOf } from './stored.ts'

/** Sentences about chains that several places tell; each stands here only. */

const LONGEST_ARGS = 4000
const LONGEST_REASON = 200

/** The exact call of a skill, as an agent makes it. */
export const skillCall = ({ skill, args }: SkillCall): string =>
  `call the Skill tool with skill ${asJson(skill)} and args ${asJson(args)}`

const asJson = (text: string): string => oneLine(JSON.stringify(cutTo(text.toWellFormed(), LONGEST_ARGS)))

export const resumeChain = (chain: number): string => `holdfast chain resume ${chain}`

/** A chain and its skills in one line. */
export const namedChain = (frames: readonly StoredFrame[]): string =>
  `Chain ${frames[0]?.chain_id ?? 0}: ${chainLine(frames)}.`

/** What to do next in a chain, as one sentence; undefined if nothing is left. */
export function nextOfChain(frames: readonly StoredFrame[]): string | undefined {
  const next = nextOf(frames)
  const current = currentOf(frames)
  const stand = standOf(frames)
  if (stand === 'parked')
    return `It is parked: ${whyParked(frames)} To go on: ${resumeChain(frames[0]?.chain_id ?? 0)}`
  if (next === undefined) return current === undefined ? undefined : `/${current.skill} is its last skill.`
  return current === undefined
    ? `Next: ${skillCall(next)}.`
    : `When /${current.skill} is done, ${skillCall(next)}.`
}

/** Why a chain does not go on, as a sentence. */
export function whyParked(frames: readonly StoredFrame[]): string {
  const reason = frames.find(({ status }) => status === 'parked')?.reason ?? ''
  return reason === '' ? '' : `${oneLine(reason, LONGEST_REASON).replace(/\.$/, '')}.`
}

/** Tells an agent that the rest of a chain waits for the user. */
export const parkedText = (frames: readonly StoredFrame[]): string => {
  const chain = frames[0]?.chain_id ?? 0
  return `Chain ${chain} is parked: ${whyParked(frames)} To go on, if the user asks: ${resumeChain(chain)}`
}

/** What the user or a skill says about a frame besides its arguments. */
export const contextOfFrame = ({ skill, context }: StoredFrame): readonly string[] =>
  context === '' ? [] : [`For /${skill}: ${inOneLine(context, LONGEST_ARGS)}`]

/** What an agent hears when its prompt begins a chain. */
export function begunText(frames: readonly StoredFrame[]): string {
  const [first] = frames
  const next = nextOf(frames)
  if (first === undefined || next === undefined) return namedChain(frames)
  const own =
    first.args === '' ? `/${first.skill}` : `/${first.skill} with ${quoted(first.args, LONGEST_ARGS)}`
  return [
    namedChain(frames),
    ...(first.status === 'running'
      ? [`Your part now is ${own}; the rest belongs to later skills, so do not do it yourself.`]
      : []),
    nextOfChain(frames) ?? '',
  ].join(' ')
}

/** What keeps a turn from ending while a skill waits. */
export function handover(frames: readonly StoredFrame[]): string {
  const next = nextOf(frames)
  const current = currentOf(frames)
  if (next === undefined) return ''
  const done = current === undefined ? '' : `/${current.skill} is done. `
  return `${done}Chain ${next.chain_id} goes on: ${skillCall(next)}. If you need an answer of the user first, ask and stop again.`
}
