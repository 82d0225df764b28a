import { resultText } from '../result.ts'
import { cutTo } from '../text/kept.ts'
import { counted, inOneLine, oneLine, quoted } from '../text/line.ts'
import {
  chainLine,
  comingOf,
  currentOf,
  type StoredFrame,
  nextOf,
  type SkillCall,
  standOf,
} from './stored.ts'

/** Sentences about chains that several places tell; each stands here only. */

const LONGEST_ARGS = 4000
const LONGEST_REASON = 200
const LONGEST_NAME = 100

/** The exact call of a skill, as an agent makes it. */
const skillCall = ({ skill, args }: SkillCall): string =>
  `call the Skill tool with skill ${asJson(skill)} and args ${asJson(args)}`

const asJson = (text: string): string => oneLine(JSON.stringify(cutTo(text.toWellFormed(), LONGEST_ARGS)))

/** The call of the next skill; if no skill here has its name, also what to do then. */
export const nextCall = (next: StoredFrame, isKnown: boolean): string =>
  isKnown
    ? skillCall(next)
    : `${skillCall(next)} if your client has it: ${noSkill(next.skill)} here. Otherwise ask the user which one is meant, then run: ${resumeAs(next.chain_id)}`

/** Why a chain waits for a skill that is not there. */
export const noSkill = (skill: string): string => `no skill is called /${oneLine(skill)}`

const resumeAs = (chain: number): string => `holdfast chain resume ${chain} --as NAME`

/** The command that lets a parked chain go on; the user names a skill for one that is not there. */
export function resumeOf(frames: readonly StoredFrame[]): string {
  const chain = frames[0]?.chain_id ?? 0
  const first = comingOf(frames)
  return first?.reason === noSkill(first?.skill ?? '') ? resumeAs(chain) : `holdfast chain resume ${chain}`
}

/** A chain and its skills in one line. */
export const namedChain = (frames: readonly StoredFrame[]): string =>
  `Chain ${frames[0]?.chain_id ?? 0}: ${chainLine(frames)}.`

/** What to do next in a chain, as one sentence; undefined if nothing is left. */
export function nextOfChain(frames: readonly StoredFrame[], isKnown = true): string | undefined {
  const next = nextOf(frames)
  const current = currentOf(frames)
  const stand = standOf(frames)
  if (stand === 'parked') return `It is parked: ${whyParked(frames)} To go on: ${resumeOf(frames)}`
  if (next === undefined) return current === undefined ? undefined : `/${current.skill} is its last skill.`
  return current === undefined
    ? `Next: ${nextCall(next, isKnown)}.`
    : `When /${current.skill} is done, ${nextCall(next, isKnown)}.`
}

/** Why a chain does not go on, as a sentence. */
function whyParked(frames: readonly StoredFrame[]): string {
  const reason = frames.find(({ status }) => status === 'parked')?.reason ?? ''
  return reason === '' ? '' : asSentence(reason)
}

const asSentence = (reason: string): string => `${oneLine(reason, LONGEST_REASON).replace(/\.$/, '')}.`

/** Tells that the rest of a chain waits for the user. */
export const parkedText = (frames: readonly StoredFrame[]): string =>
  `Chain ${frames[0]?.chain_id ?? 0} is parked: ${whyParked(frames)} To go on, if the user asks: ${resumeOf(frames)}`

/** Names of a prompt that no skill has, with what they may mean. */
export function unknownText(unknown: readonly UnknownName[]): string | undefined {
  const lines = unknown.map(({ name, nearest: [near] }) => {
    const meant = near === undefined ? '' : `; did you mean /${near}?`
    return `No skill is called ${quoted(`/${name}`, LONGEST_NAME)}${meant === '' ? '.' : meant}`
  })
  return lines.length === 0 ? undefined : lines.join(' ')
}

/** A name that no skill has, and those that resemble it. */
export interface UnknownName {
  readonly name: string
  readonly nearest: readonly string[]
}

/** What the user or a skill says about a frame besides its arguments. */
const contextOfFrame = ({ skill, context }: StoredFrame): readonly string[] =>
  context === '' ? [] : [`For /${skill}: ${inOneLine(context, LONGEST_ARGS)}`]

/** What a frame returned, for the next one. */
export function resultOf(frame: StoredFrame | undefined): readonly string[] {
  const { effort_id: id = null, skill = '', result = null } = frame ?? {}
  const text =
    id === null || result === null ? undefined : resultText({ id, skill, result: JSON.parse(result) })
  return text === undefined ? [] : [`${text}.`]
}

/** What an agent hears when its prompt begins a chain. */
export function begunText(frames: readonly StoredFrame[], isKnown = true): string {
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
    ...contextOfFrame(first),
    nextOfChain(frames, isKnown) ?? '',
  ].join(' ')
}

/** What keeps a turn from ending while a skill waits. */
export function handover(frames: readonly StoredFrame[]): string {
  const next = nextOf(frames)
  if (next === undefined) return ''
  return `${endedBefore(frames, next)}Chain ${next.chain_id} goes on: ${skillCall(next)}. If you need an answer of the user first, ask and stop again.`
}

/** The skill that is done, or that a branch stands for. */
function endedBefore(frames: readonly StoredFrame[], { parent }: StoredFrame): string {
  const current = currentOf(frames)
  if (current !== undefined) return `/${current.skill} is done. `
  const failed = frames.find(({ id, status }) => id === parent && status === 'failed')
  return failed === undefined ? '' : `${asSentence(failed.reason ?? '')} `
}

/** What an agent hears when it calls the next skill of a chain. */
export function calledText(frames: readonly StoredFrame[], isKnown = true): string | undefined {
  const current = currentOf(frames)
  if (current === undefined) return undefined
  const place = `/${current.skill} is skill ${frames.indexOf(current) + 1} of ${frames.length} in chain ${current.chain_id}.`
  const next = nextOf(frames)
  const before = frames.slice(0, frames.indexOf(current)).findLast(({ result }) => result !== null)
  return [
    place,
    ...contextOfFrame(current),
    ...resultOf(before),
    ...(next === undefined ? [] : [nextOfChain(frames, isKnown)]),
  ].join(' ')
}

/** A chain that somebody may resume, and how. */
export const freeChain = (frames: readonly StoredFrame[]): string => {
  const left = frames.filter(({ ended_at }) => ended_at === null)
  return `Chain ${frames[0]?.chain_id ?? 0}, ${counted(left.length, 'skill')} left: ${chainLine(left)}. To go on with it: ${resumeOf(frames)}`
}
