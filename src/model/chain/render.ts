import type { Reading } from './calls.ts'
import { chainBy } from './chain-in.ts'
import { exact } from './exact.ts'
import type { Chain, ChainCall, Frame } from './frame.ts'

/** How the texts of a frame are spelled. */
type Spelling = (text: string) => string

/** A chain as a prompt that asks for it; words that would be read as calls are spelled as JSON strings. */
export function render({ frames }: Pick<Chain, 'frames'>): string {
  const exactOnes = new Set(frames.filter((_, index) => !isPlain(frames, (one) => one === index)))
  const chosen = spelled(frames, (frame) => (exactOnes.has(frame) ? exact : asIs))
  return READINGS.every((reading) => reads(chosen, frames, reading)) ? chosen : spelled(frames, () => exact)
}

const asIs: Spelling = (text) => text

/** One that takes every reference for a call, and one that takes as few as it can. */
const READINGS: readonly Reading[] = [true, false].map((guarded) => ({
  standing: () => ({ kind: 'known' }),
  guarded,
}))

/** True if these frames can be spelled as they are. */
function isPlain(frames: readonly Frame[], isAsked: (index: number) => boolean): boolean {
  const text = spelled(frames, (_, index) => (isAsked(index) ? asIs : exact))
  return READINGS.every((reading) => reads(text, frames, reading))
}

function reads(text: string, frames: readonly Frame[], reading: Reading): boolean {
  const read = chainBy(text, reading)?.frames ?? []
  return read.length === frames.length && read.every((one, index) => isSame(one, frames[index]))
}

const isSame = (one: Frame, other: Frame | undefined): boolean =>
  one.context === other?.context && isSameCall(one, other) && isSameBranch(one.onError, other.onError)

const isSameBranch = (one: ChainCall | undefined, other: ChainCall | undefined): boolean =>
  one === undefined || other === undefined ? one === other : isSameCall(one, other)

const isSameCall = (one: ChainCall, other: ChainCall): boolean =>
  one.name === other.name && one.args === other.args && one.quick === other.quick

function spelled(frames: readonly Frame[], how: (frame: Frame, index: number) => Spelling): string {
  const isList = frames.some(({ context }) => context !== '')
  const verb = frames[0]?.level === 'explicit' ? 'run ' : ''
  const parts = frames.map((frame, index) => {
    const spelling = how(frame, index)
    const call = callOf(frame, spelling)
    const branch = frame.onError === undefined ? '' : `, else ${callOf(frame.onError, spelling)}`
    const context =
      frame.context === ''
        ? []
        : spelling(frame.context)
            .split('\n')
            .map((line) => `  ${line}`)
    return [`${verb}${call}${branch}`, ...context].join('\n')
  })
  if (!isList) return parts.join(', then ')
  return parts.join(verb === '' ? '\n- ' : '\n')
}

const callOf = ({ name, quick, args }: ChainCall, spelling: Spelling): string =>
  [`/${name}`, ...(quick ? ['-'] : []), ...(args === '' ? [] : [spelling(args)])].join(' ')
