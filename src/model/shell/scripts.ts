import type { Value } from './args.ts'
import { take } from './builtins.ts'
import { madeText } from './made.ts'
import type { Values } from './scope.ts'
import { askAll } from './taken.ts'
import { ask, giveUp, runText, type Shell, subshell, UNKNOWN } from './shell.ts'

/** What it is given at run time may be any command. */
export function evaluate(args: Values, shell: Shell): Values {
  if (args.includes(undefined)) giveUp(shell)
  return runText((args[0] === '--' ? args.slice(1) : args).join(' '), shell)
}

/** Its script is the word after `-c`, with parameters behind it, or whatever comes through the pipe. */
export function runShell(args: Values, shell: Shell): Values {
  const inner = { ...subshell(shell), input: undefined }
  const begin = operandAt(args, shell)
  const [script, ...parameters] = args.slice(begin)
  const has = (letter: string) =>
    args.slice(0, begin).some((arg) => /^-[A-Za-z]+$/.test(arg ?? '') && arg?.includes(letter) === true)
  if (has('c')) {
    take(parameters.slice(1), inner)
    inner.scope.variables.set('0', parameters.slice(0, 1))
    return runText(script, { ...inner, input: shell.input })
  }
  if (!has('s') && begin < args.length)
    return runFile(script, args, { ...inner, input: shell.input }, parameters)
  if (has('s')) take(args.slice(begin), inner)
  // Its startup files are scripts as well.
  ask(args.slice(0, begin), shell)
  runInput(shell)
  return shell.input === undefined ? UNKNOWN : runText(shell.input.join('\n'), inner)
}

/** What comes through a pipe may be a script that nobody knows yet. */
export function runInput({ input, found }: Shell): void {
  if (input?.includes(undefined) === true) found.runsUnknown = true
}

/** The index of the first word that is no option of a shell. */
function operandAt(args: Values, { found: { pipes } }: Shell): number {
  const isOption = (arg: Value, at: number) =>
    arg !== undefined &&
    ((/^[-+]./.test(arg) && !pipes.has(arg)) ||
      /^[-+][a-z]*[oO]$|^--(?:rc|init-)file$/.test(args[at - 1] ?? ''))
  const end = args.indexOf('--')
  const at = args.findIndex((arg, index) => !isOption(arg, index))
  return end !== -1 && (at === -1 || end < at) ? end + 1 : at === -1 ? args.length : at
}

const OWN_INPUT = /^\/dev\/(stdin|fd\/0)$|^\/proc\/self\/fd\/0$|^-$/

/** A script in a file may contain anything; one that the command itself makes is known. */
function runFile(script: Value, args: Values, shell: Shell, parameters: Values = []): Values {
  const text = OWN_INPUT.test(script ?? '')
    ? shell.input
    : (shell.found.pipes.get(script ?? '') ?? madeText(script, shell))
  if (parameters.length > 0) take(parameters, shell)
  runInput({ ...shell, input: text ?? [script] })
  if (text !== undefined) return runText(text.join('\n'), { ...shell, input: undefined })
  askAll(args, shell)
  return UNKNOWN
}

/** Runs a script in this very shell. */
export function source(args: Values, shell: Shell): Values {
  return runFile(args[0], args, shell, args.slice(1))
}
