import { type Assignment, forEachChild, type SyntaxNode, type Word, type WordPart } from 'unbash'
import { braceValues } from './braces.ts'
import { addTo, assignElement, assignTo, MOST_VALUES, type Values } from './scope.ts'
import {
  askLater,
  askOf,
  giveUp,
  isTooDeep,
  product,
  runInside,
  type Shell,
  subshell,
  UNKNOWN,
} from './shell.ts'

/** Expands a word to words, and runs the commands inside it. */
export function expand(word: Word, shell: Shell): Values {
  const values = valuesOf(word, shell, false)
  // The shell drops words that expand to nothing.
  return word.parts?.every(isExpansion) === true ? values.filter((value) => value !== '') : values
}

/** Expands a word without splitting it, as in an assignment. */
export const expandWhole = (word: Word, shell: Shell): Values => valuesOf(word, shell, true)

/** Expands text inside quotes or a here-document. */
export function expandText(parts: readonly WordPart[], shell: Shell): Values {
  let values: Values = ['']
  for (const part of parts) values = product(values, partValues(part, shell, true), shell)
  return values
}

/** Runs the commands inside constructs that are not evaluated: arithmetic, tests, parameter defaults. */
export function runScriptsIn(node: SyntaxNode, shell: Shell): void {
  if (isTooDeep(shell)) return void giveUp(shell)
  // The parser parses each expansion again, with everything inside it.
  const inner = node.type.endsWith('Expansion') ? { ...shell, depth: shell.depth + 1 } : shell
  forEachChild(node, (child) => {
    if (child.type === 'Script') runInside(child, subshell({ ...inner, input: undefined }))
    else runScriptsIn(child, inner)
  })
  if (node.type === 'Word') askLater([node.value], shell)
  // What is computed is a number that nobody knows here.
  const changed = CHANGES.has('operator' in node ? node.operator : '') ? textOf(node) : ''
  for (const [name] of changed.matchAll(/[A-Za-z_]\w*/g))
    if (shell.scope.variables.has(name)) addTo(shell.scope, name, UNKNOWN)
}

/** The operators of arithmetic that change a variable. */
const CHANGES: ReadonlySet<string> = new Set('= += -= *= /= %= <<= >>= &= |= ^= ++ --'.split(' '))

function textOf(node: SyntaxNode): string {
  const target =
    node.type === 'ArithmeticBinary' ? node.left : node.type === 'ArithmeticUnary' ? node.operand : node
  return target.type === 'ArithmeticWord' ? target.value : ''
}

/** Takes over what is assigned before or instead of a command. */
export function assignFrom(one: Assignment, shell: Shell, instead?: Values): void {
  const { name, value, append, index } = one
  const { scope } = shell
  if (value.type === 'ArrayValue') {
    if (append !== true) assignTo(scope, name, [])
    let at = append === true ? undefined : 0
    for (const word of value.elements) at = addElement(name, word, at, shell)
    return
  }
  const values = instead ?? expandWhole(value, shell)
  askOf(name, values, shell)
  // Of an array, that is its first element.
  if (index === undefined && append !== true && scope.elements.has(name))
    assignElement(scope, name, '0', values)
  else if (index === undefined)
    assignTo(scope, name, append === true ? product(variable(name, shell), values, shell) : values)
  else assignElement(scope, name, append === true ? undefined : indexOf(index, shell), values)
}

/** Returns the index of the next element, or undefined if it is unknown. */
function addElement(name: string, word: Word, at: number | undefined, shell: Shell): number | undefined {
  const values = expand(word, shell)
  const [, index] = /^\[([^\]]+)\]=/.exec(word.value) ?? []
  if (index !== undefined) {
    const known = values.map((value) => value?.slice(index.length + 3))
    assignElement(shell.scope, name, keyOf(index, shell), known)
    return undefined
  }
  const isOne = at !== undefined && word.parts?.some(isMany) !== true
  if (isOne) assignElement(shell.scope, name, String(at), values)
  else assignElement(shell.scope, name, undefined, values)
  return isOne ? at + 1 : undefined
}

/** Whether a part can become several words, or none. */
const isMany = ({ type }: WordPart): boolean =>
  type !== 'Literal' && type !== 'SingleQuoted' && type !== 'AnsiCQuoted'

/** The array index, if it has exactly one value. */
function indexOf(word: Word, shell: Shell): string | undefined {
  const values = expandWhole(word, shell)
  return values.length === 1 ? keyOf(values[0], shell) : undefined
}

/** A number, or a name that is no variable. All else would have to be worked out. */
const keyOf = (index: string | undefined, { scope }: Shell): string | undefined =>
  index !== undefined && /^(?:0|[1-9]\d*|[A-Za-z_]\w*)$/.test(index) && !scope.variables.has(index)
    ? index
    : undefined

const isQuoted = (part: WordPart): boolean =>
  part.type === 'Literal' ||
  part.type === 'SingleQuoted' ||
  (part.type === 'DoubleQuoted' && part.parts.every(({ type }) => type === 'Literal'))

const isExpansion = ({ type }: WordPart): boolean =>
  type === 'SimpleExpansion' || type === 'ParameterExpansion' || type === 'CommandExpansion'

function valuesOf(word: Word, shell: Shell, isWhole: boolean): Values {
  if (word.parts === undefined) return product(withHome(word, shell), [''], shell)
  let values: Values = ['']
  for (const [index, part] of word.parts.entries()) {
    const isBegin = index === 0 && part.type === 'Literal'
    values = product(values, isBegin ? withHome(part, shell) : partValues(part, shell, isWhole), shell)
  }
  return values
}

function partValues(part: WordPart, shell: Shell, isWhole: boolean): Values {
  switch (part.type) {
    case 'Glob':
      if (part.parts?.every(({ type }) => type === 'Literal') !== false) return [part.value]
      runScriptsIn(part, shell)
      return ['?']
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [part.value]
    case 'DoubleQuoted':
    case 'LocaleString':
      return expandText(part.parts, shell)
    case 'SimpleExpansion':
      return wordsOf(variable(part.text.slice(1), shell), shell, isWhole)
    case 'ParameterExpansion':
      runScriptsIn(part, shell)
      // It expands the value once more, as a prompt or with its quotes.
      if (/@[A-Za-z]\}$/.test(part.text)) return giveUp(shell)
      assignDefault(part, shell)
      return isPlain(part, shell) ? wordsOf(withDefault(part, shell), shell, isWhole) : UNKNOWN
    case 'CommandExpansion':
      return wordsOf(
        printed(runInside(part.script, subshell({ ...shell, input: undefined }))),
        shell,
        isWhole,
      )
    case 'ProcessSubstitution':
      return [pipeOf(part, shell)]
    case 'ArithmeticExpansion':
      runScriptsIn(part, shell)
      return UNKNOWN
    case 'ExtendedGlob':
      runScriptsIn(part, shell)
      return matchesOf(part)
    case 'BraceExpansion':
      runScriptsIn(part, shell)
      return part.parts === undefined || part.parts.every(isQuoted)
        ? valuesOfBraces(part.text, shell)
        : UNKNOWN
  }
}

function valuesOfBraces(text: string, { scope }: Shell): Values {
  const values = braceValues(text)
  if (values.includes(undefined)) scope.limits.isReached = true
  return values
}

/** A word for the file of a process substitution, which has no path; programs take it for an option. */
function pipeOf({ script, operator }: WordPart & { type: 'ProcessSubstitution' }, shell: Shell): string {
  // What a program writes there is the input of the script.
  const input = operator === '>' ? UNKNOWN : undefined
  const output = runInside(script, subshell({ ...shell, input }))
  const { pipes } = shell.found
  if (pipes.size >= MOST_VALUES) return '-'
  const word = `-${String.fromCodePoint(FIRST_PIPE + pipes.size)}`
  pipes.set(word, output)
  return word
}

/** A private-use character, which no option has. */
const FIRST_PIPE = 0xe100

function variable(name: string, { scope, home, ours }: Shell): Values {
  if (name === 'PWD') return scope.cwds
  // Which process it is does not matter, because each has a folder of its own.
  if (name === '$' || name === 'BASHPID' || name === 'PPID') return ['1']
  const known = name === 'HOME' ? home : name === 'HOLDFAST_HOME' ? ours : undefined
  return scope.variables.get(name) ?? [known]
}

/** The element at a known index, or all values of the array. */
function elementOf({ parameter, index }: WordPart & { type: 'ParameterExpansion' }, shell: Shell): Values {
  const key = index === undefined ? undefined : indexOf(index, shell)
  const element = key === undefined ? undefined : shell.scope.elements.get(parameter)?.get(key)
  return element ?? variable(parameter, shell)
}

/** `${x:=y}` also assigns. */
function assignDefault(
  { parameter, operation }: WordPart & { type: 'ParameterExpansion' },
  shell: Shell,
): void {
  if (operation?.type !== 'Default' || !operation.operator.endsWith('=')) return
  const { scope } = shell
  if (scope.variables.has(parameter)) addTo(scope, parameter, expandWhole(operation.operand, shell))
  else assignTo(scope, parameter, [...expandWhole(operation.operand, shell), undefined])
}

/** What stands in for values that are empty, or that were taken away. */
function withDefault(part: WordPart & { type: 'ParameterExpansion' }, shell: Shell): Values {
  const values = elementOf(part, shell)
  const { operation } = part
  if (operation?.type !== 'Default' || !values.includes('')) return values
  return [...values, ...expandWhole(operation.operand, shell)]
}

/** Just one of a list of plain names is as good as the list, and all but some cannot be told. */
function matchesOf({ operator, pattern }: WordPart & { type: 'ExtendedGlob' }): Values {
  if (operator === '!') return UNKNOWN
  return operator === '@' && /^[\w./|-]+$/.test(pattern) ? pattern.split('|') : ['*']
}

/** A default is ignored only if the command sets the variable; the environment may set others. */
function isPlain(part: WordPart & { type: 'ParameterExpansion' }, { scope }: Shell): boolean {
  const { prefix, operation, parameter } = part
  if (prefix !== undefined || operation === undefined) return prefix === undefined
  return operation.type === 'Default' && !operation.operator.endsWith('+') && scope.variables.has(parameter)
}

const printed = (values: Values): Values =>
  values.length === 0 ? [''] : values.map((value) => value?.trimEnd())

function wordsOf(values: Values, { scope }: Shell, isWhole: boolean): Values {
  if (isWhole) return values
  const [separators, ...others] = scope.variables.get('IFS') ?? [undefined]
  const isBlank = separators === undefined || others.length > 0
  return values.flatMap((value): Values => {
    if (value === undefined) return [value]
    return isBlank ? value.trim().split(/\s+/) : splitAt(value, separators)
  })
}

function splitAt(text: string, separators: string): readonly string[] {
  const words = ['']
  for (const char of text) {
    if (separators.includes(char)) words.push('')
    else words[words.length - 1] += char
  }
  return words.length === 1 ? words : words.filter((word) => word !== '')
}

/** The shell expands only an unquoted tilde. */
function withHome({ text, value }: { readonly text: string; readonly value: string }, shell: Shell): Values {
  if (!text.startsWith('~')) return [value]
  if (/^~\+(?:\/|$)/.test(text)) return product(shell.scope.cwds, [value.slice(2)], shell)
  // The folders of other users are not known.
  if (!/^~(?:\/|$)/.test(text)) return UNKNOWN
  return product(variable('HOME', shell), [value.slice(1)], shell)
}
