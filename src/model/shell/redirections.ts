import type { HereDoc, Redirection } from 'unbash'
import type { Value } from './args.ts'
import { expand, expandText, expandWhole } from './expand.ts'
import type { Values } from './scope.ts'
import { ask, giveUp, note, type Shell, UNKNOWN } from './shell.ts'

/** Notes the files of redirections, and returns the input of the command. */
export function redirected(redirections: readonly Redirection[], shell: Shell): Values | undefined {
  let input: Values | undefined
  for (const one of redirections) input = inputOf(one, shell) ?? input
  return input
}

function inputOf(one: Redirection, shell: Shell): Values | undefined {
  const read = readFrom(one, shell)
  const { descriptor } = one
  const isInput = descriptor === undefined || (descriptor.type === 'FileDescriptor' && descriptor.value === 0)
  if (isInput) return read
  // Any program can read what another descriptor gets.
  if (read !== undefined) ask(read, shell)
  return undefined
}

function readFrom(one: Redirection, shell: Shell): Values | undefined {
  if (one.type === 'HereDoc') return documentOf(one, shell)
  if (one.target === undefined) return giveUp(shell)
  if (one.type === 'HereString') return expandWhole(one.target, shell)
  if (one.operator === '<&' && one.target.value === '0') return undefined
  const isRead = one.operator.startsWith('<')
  const values = expand(one.target, shell)
  for (const value of values)
    if (!isDescriptor(value, one.operator) && !shell.found.pipes.has(value ?? ''))
      note(value, shell, isRead ? 'reads' : 'writes')
  return isRead ? (shell.found.pipes.get(values[0] ?? '') ?? UNKNOWN) : undefined
}

/** `2>&1`, `>&-` and a process substitution name no file. */
const isDescriptor = (value: Value, operator: string): boolean =>
  value === '-' || (operator.endsWith('&') && (operator === '<&' || /^\d+-?$/.test(value ?? '')))

/** The text of a here-document; if parts are unknown, the raw text still helps. */
function documentOf({ operator, delimiter, body }: HereDoc, shell: Shell): Values {
  const mark = body.text.trimEnd()
  const whole = shell.documents.get(mark)
  if (whole !== undefined) {
    shell.documents.delete(mark)
    return [whole]
  }
  const isPlain = delimiter?.quoted === true || body.parts === undefined
  const values = isPlain ? [body.text] : expandText(body.parts, shell)
  const known = withPlain(values.includes(undefined) ? [body.text] : values, delimiter?.quoted === true)
  return operator === '<<' ? known : known.map((text) => text?.replaceAll(/^\t+/gm, ''))
}

/** In a document that is expanded, a backslash protects a dollar sign; the parser leaves it. */
const withPlain = (values: Values, isPlain: boolean): Values =>
  isPlain ? values : [...new Set(values.flatMap((text) => [text, text?.replaceAll(/\\([$`\\])/g, '$1')]))]

/** Whether the output of a command goes nowhere. */
export const isDropped = (one: Redirection): boolean =>
  one.type === 'Redirect' &&
  one.operator === '>' &&
  one.descriptor === undefined &&
  one.target?.value === '/dev/null'

/** What is counted is not shown. */
export const isPlainInput = (one: Redirection): one is Redirection & { type: 'Redirect' } =>
  one.type === 'Redirect' && one.operator === '<'
