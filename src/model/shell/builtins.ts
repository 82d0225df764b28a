import { absolutePath } from '../text/path.ts'
import { split, type Value } from './args.ts'
import { formatted } from './printed.ts'
import { assignTo, atMost, type Values } from './scope.ts'
import { NOTHING, type Shell, UNKNOWN } from './shell.ts'

/** Enters a folder. */
export function enter(args: Values, { scope, home }: Shell): Values {
  const folder = args.find((arg) => arg === undefined || arg === '-' || !arg.startsWith('-'))
  if (args.length === 0) scope.cwds = [home]
  else if (folder === undefined || folder === '-') scope.cwds = UNKNOWN
  else scope.cwds = scope.cwds.map((cwd) => absolutePath(folder, cwd))
  return NOTHING
}

/** Formats words, and may keep the result in a variable. */
export function print(args: Values, shell: Shell): Values {
  const [option, name, ...rest] = args
  if (option !== '-v') return formatted(option === '--' ? args.slice(1) : args)
  if (name !== undefined) assignTo(shell.scope, name, formatted(rest))
  return NOTHING
}

const NAME = /^[A-Za-z_]\w*$/

/** The parts of the input that are read one at a time. */
function linesOf({ input }: Shell, options: ReadonlyMap<string, Value>): Values {
  const end = options.has('-d') ? options.get('-d') : '\n'
  if (end === undefined || options.has('-n') || options.has('-N')) return UNKNOWN
  return (input ?? UNKNOWN).flatMap((value) => value?.split(end === '' ? '\0' : end))
}

const isName = (arg: Value): arg is string => arg !== undefined && NAME.test(arg)

/** A loop may read every line: each name gets one word of it, the last name the rest. */
export function read(args: Values, shell: Shell): Values {
  const { options, operands } = split(args, 'adinNptu')
  const { scope, separators = scope.variables.get('IFS') ?? [BLANKS] } = shell
  const array = options.get('-a')
  const names = operands.filter(isName)
  const lines = linesOf(shell, options)
  if (array !== undefined)
    assignTo(
      scope,
      array,
      lines.flatMap((line) => fieldsOf(line, separators, MOST_FIELDS)),
    )
  const fields = lines.map((line) => fieldsOf(line, separators, names.length))
  for (const [at, name] of names.entries())
    assignTo(
      scope,
      name,
      fields.map((words) => (words[0] === undefined ? undefined : (words[at] ?? ''))),
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
  for (const name of operands.filter(isName)) assignTo(shell.scope, name, linesOf(shell, options))
  return NOTHING
}

/** Handles quoted assignments after `export`; the parser handles the plain ones. */
export function declare(args: Values, shell: Shell): Values {
  for (const arg of args) {
    const [, name, value] = /^([A-Za-z_]\w*)=([^]*)$/.exec(arg ?? '') ?? []
    if (name !== undefined && value !== undefined) assignTo(shell.scope, name, [value])
  }
  return NOTHING
}

/** The same for variables that programs get. */
export function exportAll(args: Values, shell: Shell): Values {
  for (const name of args.map((arg) => arg?.split('=')[0])) if (isName(name)) shell.found.exported.add(name)
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
export function took(parameters: Values, shell: Shell): Values {
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
export function unset(args: Values, { scope }: Shell): Values {
  if (args.includes('-f')) return NOTHING
  for (const name of args) if (isName(name) && scope.variables.has(name)) assignTo(scope, name, [''])
  return NOTHING
}
