import { absolutePath } from '../text/path.ts'
import { split, type Value } from './args.ts'
import { formatted } from './printed.ts'
import { addTo, assignElement, assignTo, atMost, copied, type Values } from './scope.ts'
import { ask, askLater, giveUp, NOTHING, type Shell, UNKNOWN } from './shell.ts'

/** Enters a folder. */
export function enter(args: Values, { scope, home, found }: Shell): Values {
  const folders = args.filter((arg) => arg === undefined || arg === '-' || !arg.startsWith('-'))
  const [folder] = folders
  if (args.length === 0) scope.cwds = [home]
  else if (folder === undefined || folder === '-' || folder.startsWith('+')) scope.cwds = UNKNOWN
  // A shell enters no folder if it is given several.
  else if (folders.length === 1) scope.cwds = scope.cwds.map((cwd) => absolutePath(folder, cwd))
  for (const cwd of scope.cwds) if (cwd !== undefined && !/[*?[]/.test(cwd)) found.entered.add(cwd)
  return NOTHING
}

/** Enters a folder of the stack; without a name it is one from before. */
export const push = (args: Values, shell: Shell): Values => enter(args.length === 0 ? UNKNOWN : args, shell)

/** A function may end here, with what is known now. */
export function leave(_: Values, shell: Shell): Values {
  if (shell.returns !== undefined) shell.returns.push(copied(shell.scope))
  else if (shell.depth > 1) giveUp(shell)
  return NOTHING
}

/** Its variables get what the arguments say. */
export function readOptions([, name]: Values, { scope }: Shell): Values {
  for (const one of ['OPTARG', name]) if (isName(one)) assignTo(scope, one, UNKNOWN)
  return NOTHING
}

/** Arithmetic changes the variables that it names to numbers. */
export function compute(args: Values, shell: Shell): Values {
  askLater(args, shell)
  for (const arg of args)
    for (const [name] of (arg ?? '').matchAll(/[A-Za-z_]\w*/g))
      if (shell.scope.variables.has(name)) addTo(shell.scope, name, UNKNOWN)
  return NOTHING
}

/** Options that change what words mean. */
const CHANGING = /^(?:dotglob|nocaseglob|xpg_echo|cdable_vars|cdspell|autocd|nocasematch|extdebug)$/

/** Sets options of the shell. */
export function choose(args: Values, shell: Shell): Values {
  if (args.includes('-s') && args.some((arg) => CHANGING.test(arg ?? ''))) giveUp(shell)
  return NOTHING
}

/** Sets options of the shell, or its parameters. */
export function setUp(args: Values, shell: Shell): Values {
  if (args.some((arg, at) => /^-[a-z]*a/.test(arg ?? '') || (arg === 'allexport' && args[at - 1] === '-o')))
    shell.found.isAllExported = true
  const dashes = args.indexOf('--')
  if (dashes !== -1) return took(args.slice(dashes + 1), shell)
  const at = args.findIndex((arg, index) => !/^[-+]/.test(arg ?? '') && args[index - 1] !== '-o')
  return at === -1 || args[at - 1] === '+o' ? NOTHING : took(args.slice(at), shell)
}

/** Gives another meaning to the names of programs. */
export function nameProgram(args: Values, shell: Shell): Values {
  if (args.some((arg) => arg === undefined || /^-[a-z]*p|=/.test(arg))) shell.found.hasOwnPrograms = true
  ask(
    args.filter((arg) => arg?.includes('=') === true),
    shell,
  )
  return NOTHING
}

/** Formats words, and may keep the result in a variable. */
export function print(args: Values, shell: Shell): Values {
  const [option, name, ...rest] = args
  if (option !== '-v') return formatted(option === '--' ? args.slice(1) : args)
  if (name !== undefined) assignNamed(name, formatted(rest), shell)
  return NOTHING
}

const NAME = /^[A-Za-z_]\w*$/

/** Assigns to a variable, or to some element of an array. */
function assignNamed(target: string, values: Values, shell: Shell): void {
  askLater([target], shell)
  const [name = '', element] = target.split('[', 2)
  if (!NAME.test(name)) return
  if (element === undefined) assignTo(shell.scope, name, values)
  else assignElement(shell.scope, name, undefined, values)
}

/** The parts of the input that are read one at a time. */
function linesOf({ input }: Shell, options: ReadonlyMap<string, Value>): Values {
  const end = options.has('-d') ? options.get('-d') : '\n'
  if (end === undefined || ['-n', '-N', '-u'].some((name) => options.has(name))) return UNKNOWN
  return (input ?? UNKNOWN).flatMap((value) => value?.split(end === '' ? '\0' : end))
}

const isName = (arg: Value): arg is string => arg !== undefined && NAME.test(arg)
const isTarget = (arg: Value): arg is string => /^[A-Za-z_]\w*(?:\[|$)/.test(arg ?? '')

/** A loop may read every line: each name gets one word of it, the last name the rest. */
export function read(args: Values, shell: Shell): Values {
  const { options, operands } = split(args, 'adinNptu')
  const { scope, separators = scope.variables.get('IFS') ?? [BLANKS] } = shell
  const array = options.get('-a')
  const names = operands.length === 0 && array === undefined ? ['REPLY'] : operands.filter(isTarget)
  const lines = linesOf(shell, options)
  if (array !== undefined)
    assignTo(
      scope,
      array,
      lines.flatMap((line) => fieldsOf(line, separators, MOST_FIELDS)),
    )
  const fields = lines.map((line) => fieldsOf(line, separators, names.length))
  for (const [at, name] of names.entries())
    assignNamed(
      name,
      fields.map((words) => (words[0] === undefined ? undefined : (words[at] ?? ''))),
      shell,
    )
  return NOTHING
}

const BLANKS = ' \t\n'
const MOST_FIELDS = 64

/** The fields of a line, the last with the rest; unknown if the line or the separators are. */
function fieldsOf(line: Value, [separators, ...others]: Values, most: number): Values {
  if (line === undefined || separators === undefined || others.length > 0) return UNKNOWN
  const fields: string[] = []
  let rest = line.trim()
  while (fields.length < most - 1) {
    let end = 0
    while (end < rest.length && !separators.includes(rest[end] ?? '')) end++
    if (end === rest.length) break
    fields.push(rest.slice(0, end))
    rest = rest.slice(end + 1).trimStart()
  }
  return [...fields, rest]
}

/** Keeps every line in an array. */
export function readLines(args: Values, shell: Shell): Values {
  const { options, operands } = split(args, 'cCdnOsu')
  // The number of lines that is given here leaves some out at most.
  options.delete('-n')
  const names = operands.length === 0 ? ['MAPFILE'] : operands.filter(isName)
  for (const name of names) addTo(shell.scope, name, linesOf(shell, options))
  ask([options.get('-C')], shell)
  return NOTHING
}

/** Handles quoted assignments after `export`; the parser handles the plain ones. */
export function declare(args: Values, shell: Shell): Values {
  const has = (letter: string) =>
    args.some((arg) => /^-\w+$/.test(arg ?? '') && arg?.includes(letter) === true)
  // A reference, and a value that changes when it is assigned.
  if (['n', 'l', 'u', 'c', 'i'].some(has)) giveUp(shell)
  for (const arg of args) {
    const [, name = '', value] = /^([A-Za-z_]\w*(?:\[[^=]*)?)=([^]*)$/.exec(arg ?? '') ?? []
    // A list in quotes is an array.
    if (value !== undefined) assignNamed(name, value.startsWith('(') ? UNKNOWN : [value], shell)
  }
  if (has('x')) exportNames(args, shell)
  if (has('r')) for (const name of namesIn(args)) shell.scope.limits.fixed.add(name)
  return NOTHING
}

/** The same for variables that stay as they are. */
export const fix = (args: Values, shell: Shell): Values => declare(['-r', ...args], shell)

const namesIn = (args: Values): readonly string[] => args.map((arg) => arg?.split('=')[0]).filter(isName)

function exportNames(args: Values, { found }: Shell): void {
  for (const name of namesIn(args)) found.exported.add(name)
}

/** The same for variables that programs get. */
export function exportAll(args: Values, shell: Shell): Values {
  exportNames(args, shell)
  return declare(args, shell)
}

/** Sets the parameters of a script or function, `$1` and so on, and returns their names. */
export function take(parameters: Values, { scope }: Shell): readonly string[] {
  const { variables } = scope
  variables.set('@', atMost(parameters, scope)).set('*', atMost(parameters, scope))
  const names = parameters.slice(0, 9).map((_, index) => String(index + 1))
  for (const [index, name] of names.entries()) variables.set(name, [parameters[index]])
  return ['@', '*', ...names]
}

/** The same without their names. */
function took(parameters: Values, shell: Shell): Values {
  take(parameters, shell)
  return NOTHING
}

/** Drops parameters. */
export function shift(args: Values, shell: Shell): Values {
  const [count] = args.length === 0 ? ['1'] : args
  const { variables } = shell.scope
  const parameters = variables.get('@')
  if (parameters === undefined) return NOTHING
  for (const name of variables.keys()) if (/^[1-9]$/.test(name)) variables.delete(name)
  return took(count !== undefined && /^\d+$/.test(count) ? parameters.slice(Number(count)) : UNKNOWN, shell)
}

/** Empties variables. */
export function unset(args: Values, shell: Shell): Values {
  const { scope } = shell
  if (args.includes('-f')) return NOTHING
  askLater(args, shell)
  for (const name of args) {
    if (isName(name) && scope.variables.has(name)) assignTo(scope, name, [''])
    else if (isTarget(name)) assignNamed(name, [''], shell)
  }
  return NOTHING
}
