import { isChild } from '../child.ts'
import { shellWord } from '../shell/word.ts'
import { oneLine } from '../text/line.ts'
import { PROGRAM } from '../text/told-commands.ts'
import { contained } from '../text/foreign.ts'
import { completeInText, THIS_COMMAND } from './guidance.ts'
import { plainLines } from './plain.ts'
import { type Going, waitLines } from './step.ts'
import { type Element, element, type Part } from './xml.ts'

/** The frame of a step as plain text, and how a command is written. */

export interface TextHeader {
  readonly step: number
  readonly total: number
  readonly title: string
  readonly brief?: string | null
}

export const textStepHeader = ({ step, total, title, brief = null }: TextHeader): readonly string[] => [
  `STEP ${step}/${total}: ${shownLine(title)}`,
  ...(brief === null ? [] : [`  ${shownLine(brief)}`]),
]

const shownLine = (text: string): string => oneLine(contained(text))

export const textOutput = (header: TextHeader, actions: readonly Part[], view: Going): string =>
  [...textStepHeader(header), '', 'DO:', ...plainLines(actions), '', ...textEnding(view)].join('\n')

/** What to run after the step. The way says whether it is the last, never the number of the step. */
function textEnding(view: Going): readonly string[] {
  const { next } = view
  const [only, ...others] = next
  const complete = (condition: string) => completeInText(condition, isChild(view))
  if (only === undefined) {
    const [first = '', ...more] = waitLines(view).map((told) => oneLine(told))
    return [`NEXT: ${first}`, ...more.map((line) => `  ${line}`)]
  }
  if (others.length === 0)
    return [`INVOKE AFTER: ${oneLine(only.command)}`, ...(only.to === null ? [complete(THIS_COMMAND)] : [])]
  return [
    'INVOKE AFTER:',
    ...next.map(({ outcome, command }) => `  ${oneLine(outcome)}: ${oneLine(command)}`),
    ...next.filter(({ to }) => to === null).map(({ outcome }) => complete(oneLine(outcome))),
  ]
}

/** The element in a SKILL.md that says what to run first. */
export const invokeElement = (command: string, folder?: string): Element =>
  element('invoke', '', { 'working-dir': folder, cmd: command })

export interface Invocation {
  readonly skill: string
  readonly step: number
  readonly total: number
  /** Flags in camel case, as a program names them. */
  readonly flags?: Readonly<Record<string, string | number | boolean>>
}

/** The command that prints a step in the form that names its number; every value is one word of the shell. */
export function invokeCommand({ skill, step, total, flags = {} }: Invocation): string {
  const more = Object.entries(flags).flatMap(([name, value]) => {
    const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
    if (typeof value === 'boolean') return value ? [flag] : []
    return [flag, shellWord(String(value))]
  })
  return [
    PROGRAM,
    'step',
    shellWord(skill),
    '--step',
    String(step),
    '--total-steps',
    String(total),
    ...more,
  ].join(' ')
}
