import { decidedOutcome, decidingNames } from '../model/plan/decided.ts'
import { CHOICE, RESULT, UNFILLED } from '../model/plan/action-words.ts'
import type { Field, Plan, Step } from '../model/plan/plan.ts'
import type { Values } from '../model/plan/plan-for.ts'
import { boundariesOf } from '../model/plan/variants.ts'
import { valueOfChoice } from '../model/result.ts'
import { shellWord } from '../model/shell/word.ts'
import type { Choose } from './follow.ts'
import { wordsIn } from './words.ts'

/** What an agent says where any text will do. */
const EXAMPLE = 'an example'

/** A value that a field takes. */
export function exampleOf(field: Field | undefined): string {
  if (field?.default !== undefined && field.default !== '') return field.default
  const [first] = boundariesOf(field)
  return first ?? (field?.type === 'number' ? '1' : EXAMPLE)
}

/** More combinations than this are not tried. */
const MOST_TRIES = 5000

/** Values that lead from a step to an outcome, beside those that are fixed; undefined if none do. */
export function valuesFor(
  { params = {}, state = {} }: Plan,
  step: Step,
  outcome: string,
  fixed: Values = {},
): Values | undefined {
  const named = (name: string) =>
    (step.decides ?? []).flatMap(({ when = {} }) => [when[name] ?? []].flat().map(String))
  const free = decidingNames(step).filter((name) => !Object.hasOwn(fixed, name))
  const choices = free.map((name) => {
    const field = state[name] ?? params[name]
    // A blank is no answer, so no outcome that needs one can be chosen.
    const values = [...named(name), ...boundariesOf(field), exampleOf(field)].filter((one) => one !== '')
    return [name, [...new Set(values)]] as const
  })
  if (choices.reduce((product, [, values]) => product * values.length, 1) > MOST_TRIES) return undefined
  const all = choices.reduce<readonly Values[]>(
    (found, [name, values]) => found.flatMap((one) => values.map((value) => ({ ...one, [name]: value }))),
    [{}],
  )
  return all.find((one) => decidedOutcome(step, { ...fixed, ...one }) === outcome)
}

/** The outcome of a step whose work was good: for values that decide, the one that its author names first. */
export function usualOutcome({ decides = [] }: Step): string {
  const outcomes = decides.map(({ outcome }) => outcome)
  return outcomes.includes('ok') ? 'ok' : (outcomes[0] ?? 'ok')
}

/** The outcome that a step is to have on a walk. */
export const wantedOutcome = (step: Step, choose: Choose, attempts: number): string =>
  choose(step.label, attempts)?.outcome ?? usualOutcome(step)

/** A text with its blanks filled in. */
export const filledBlanks = (text: string, said: string, isResult = text.includes(RESULT)): string =>
  isResult ? filledResult(text) : text.replaceAll(UNFILLED, said)

/** Any choice fits, so the first is taken. Blanks keep their length, which a result may limit. */
const filledResult = (text: string): string =>
  text.replaceAll(/("(?:[^"\\]|\\.)*")(:?)/g, (found, word: string, isName: string) => {
    const [first = '', ...others] = isName === '' ? String(valueOfChoice(word)).split(CHOICE) : []
    if (others.length > 0) return JSON.stringify(valueOfChoice(first))
    return /^"_+"$/.test(word) ? found.replaceAll('_', 'x') : found
  })

/** The words of a command with every blank filled in: a wanted value, else one that its field takes. */
export function filledIn(command: string, fields: Readonly<Record<string, Field>>, wanted: Values): string {
  const commands = wordsIn(command)
  if (commands === undefined) return command
  return commands
    .map((words) =>
      words.map((word, at) => shellWord(filledWord(word, words[at - 1], { fields, wanted }))).join(' '),
    )
    .join(' && ')
}

function filledWord(
  word: string,
  before: string | undefined,
  { fields, wanted }: { readonly fields: Readonly<Record<string, Field>>; readonly wanted: Values },
): string {
  const [, name = '', value = ''] = /^([^=]+)=(.*)$/s.exec(word) ?? []
  if (before !== '--set' && before !== '--param') return filledBlanks(word, EXAMPLE, before === '--result')
  const isBlank = value.includes(UNFILLED) || value.includes(CHOICE)
  const field = fields[name]
  return isBlank ? `${name}=${wanted[name] ?? exampleOf(field && { ...field, default: '' })}` : word
}
