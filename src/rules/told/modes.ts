import { type Mode, modeTitle, stepsOf } from '../../model/mode.ts'
import { inOneLine, quoted } from '../../model/text/line.ts'
import { effortOf } from './words.ts'

/** A mode as an effort keeps it. */
export type KeptMode = Pick<Mode, 'tag'> & Partial<Mode>

const LONGEST = 2000

/** A mode in a list, with what it asks for. */
export const modeLine = ({ tag, name = tag, text }: KeptMode): string =>
  `- ${modeTitle({ tag, name })}${text === undefined ? '' : `: ${inOneLine(text, LONGEST)}`}`

/** What the modes of a prompt apply to. */
export type AppliesTo =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'skill'; readonly skill: string }
  | {
      readonly kind: 'effort'
      readonly skill: string
      readonly before?: { readonly id: number; readonly mode: string } | undefined
    }

/** Tells the modes that a prompt sets, in the order of its words. */
export function modesText(modes: readonly Mode[], applies: AppliesTo): string {
  const head = modes.length === 1 ? 'Mode set' : 'Modes set, in this order'
  return [`${head}:`, ...modes.map(modeLine), scopeLine(modes, applies)].join('\n')
}

function scopeLine(modes: readonly Mode[], applies: AppliesTo): string {
  const [it, applying] = modes.length === 1 ? ['It', 'applies'] : ['They', 'apply']
  if (applies.kind === 'prompt') return `${it} ${applying} until your answer to this prompt is complete.`
  if (applies.kind === 'skill') return `${it} ${applying} until skill ${quoted(applies.skill)} is done.`
  const { skill, before } = applies
  const until = `${it} ${applying} to the effort of skill ${quoted(skill)} until it ends.`
  const steps = stepsOf(modes)
  if (steps === undefined) return until
  if (before !== undefined && before.mode !== steps)
    return `${until} Its steps stay those of ${before.mode} mode, because ${effortOf(before.id, skill)} began so.`
  return `${until} ${steps === 'quick' ? 'Steps of its plan for full mode only are not due.' : 'Every step of its plan is due, except those for quick mode only.'}`
}

/** Tells which skills a prompt composes, with the words that are left for them. */
export function composedText(skills: readonly string[], words: string): string {
  const names = skills.map((one) => quoted(one)).join(', then ')
  const about = words === '' ? '' : ` Do it for: ${inOneLine(words, LONGEST)}`
  return `${skills.length === 1 ? 'Skill' : 'Skills'} asked for: ${names}. Call each with the Skill tool, in this order, unless it is already loaded.${about}`
}
