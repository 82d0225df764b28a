import type {
  AndOr,
  Assignment,
  Case,
  Command,
  CommandNode,
  CompoundList,
  Function as Definition,
  If,
  ParsedScript,
  Pipeline,
  Redirected,
  Statement,
} from 'unbash'
import { COST, type Value } from './args.ts'
import { assignFrom, expand, runScriptsIn } from './expand.ts'
import { take } from './builtins.ts'
import { declaredAs, isReference, keepOuter } from './declared.ts'
import { keepPrinted } from './made.ts'
import { isDropped, isPlainInput, redirected } from './redirections.ts'
import { countsInput, isOrdered, perform, runsHere, runsShell } from './programs.ts'
import {
  addTo,
  assignTo,
  atMost,
  define,
  merged,
  MOST_VALUES,
  type Scope,
  type Values,
  weightOf,
} from './scope.ts'
import { ask, giveUp, goOn, isTooDeep, NOTHING, type Shell, subshell, UNKNOWN } from './shell.ts'

/** Interprets the commands of a script and returns their known output. */
export function runScript({ commands, errors = [] }: ParsedScript, shell: Shell): Values {
  if (errors.length > 0) giveUp(shell)
  return runList(commands, shell)
}

function runList(statements: readonly Statement[], shell: Shell): Values {
  let output = NOTHING
  for (const { command, background } of statements) {
    if (shell.budget.left < 0) return giveUp(shell)
    const printed = runNode(command, background === true ? subshell(shell) : shell)
    output = atMost([...output, ...printed], shell.scope)
  }
  return output
}

function runNode(node: Statement['command'] | CommandNode | CompoundList, shell: Shell): Values {
  switch (node.type) {
    case 'Command':
      return runCommand(node, shell)
    case 'Pipeline':
      return runPipeline(node, shell)
    case 'AndOr':
      return runAndOr(node, shell)
    case 'CompoundList':
      return runList(node.commands, shell)
    case 'BraceGroup':
      return runNode(node.body, shell)
    case 'Subshell':
    case 'Coproc':
      return runNode(node.body, subshell(shell))
    case 'Redirected':
      return runRedirected(node, shell)
    case 'If':
      return runIf(node, shell)
    case 'Case':
      return runCase(node, shell)
    case 'While':
      return runLoop(shell, () => [...runNode(node.clause, shell), ...runPerhaps(node.body, shell)])
    case 'For':
    case 'Select':
      assignLoop(node.name.value, loopValues(node.wordlist, shell), shell)
      return runLoop(shell, () => runPerhaps(node.body, shell))
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) runScriptsIn(part, shell)
      return runLoop(shell, () => runPerhaps(node.body, shell))
    case 'Function':
      shell.calls.open.set(node.body, shell)
      // What there is no room to remember may be called all the same, as what the shell itself calls.
      if (!define(shell.scope, node.name.value, node.body) || HANDLERS.has(node.name.value))
        runFunction(node.body, subshell(shell))
      return NOTHING
    case 'TestCommand':
    case 'ArithmeticCommand':
      runScriptsIn(node, shell)
      return NOTHING
  }
}

function runRedirected({ command, redirects }: Redirected, shell: Shell): Values {
  const output = runNode(command, { ...shell, input: redirected(redirects, shell) ?? shell.input })
  keepPrinted(redirects, output, shell)
  return output
}

/** A command after `&&` sees earlier changes; after `||`, any of them may have failed. */
function runAndOr({ commands, operators }: AndOr, shell: Shell): Values {
  const mayFail = operators.includes('||')
  const output: Value[] = []
  let [succeeded, failed]: (Scope | undefined)[] = [shell.scope]
  for (const [index, command] of commands.entries()) {
    const isElse = operators[index - 1] === '||'
    const before: Scope = (isElse ? failed : succeeded) ?? shell.scope
    const inner = subshell({ ...shell, scope: before })
    output.push(...runNode(command, inner))
    const after = inner.scope
    // The only failure modeled is a `cd` that did not change the folder.
    const cwds = mayFail ? [...new Set([...before.cwds, ...after.cwds])] : after.cwds
    const undone = { ...after, cwds }
    failed = isElse || failed === undefined ? undone : merged([failed, undone])
    succeeded = isElse && succeeded !== undefined ? merged([succeeded, after]) : after
  }
  goOn(shell, [succeeded ?? shell.scope, failed ?? shell.scope])
  return output
}

function runIf(node: If, shell: Shell): Values {
  const ways: Way[] = [node, ...node.elif].map(({ clause, then }) => ({
    enter: () => runNode(clause, shell),
    body: then,
  }))
  const last = node.else === undefined ? [] : [{ enter: () => NOTHING, body: node.else }]
  return runWays([...ways, ...last], shell, node.else !== undefined)
}

function runCase({ word, items }: Case, shell: Shell): Values {
  expand(word, shell)
  const ways = items.map(({ pattern, body }, index) => ({
    enter: () => {
      for (const one of pattern) expand(one, shell)
      return NOTHING
    },
    body,
    goesOn: items[index - 1]?.terminator?.endsWith('&') === true,
  }))
  return runWays(ways, shell, false)
}

const MOST_TURNS = 4

/** A turn of a loop sees what the turn before has changed; what still changes after some is unknown. */
function runLoop(shell: Shell, turn: () => Values): Values {
  const output: Value[] = []
  for (let left = MOST_TURNS; left > 0; left--) {
    const before = new Map(shell.scope.variables)
    const weight = weightOf(shell.scope)
    output.push(...turn())
    if (weightOf(shell.scope) === weight) return output
    if (left === 1)
      for (const [name, values] of shell.scope.variables)
        if (values.length !== before.get(name)?.length) addTo(shell.scope, name, UNKNOWN)
  }
  return output
}

/** The body of a loop. */
const runPerhaps = (body: CompoundList, shell: Shell): Values =>
  runWays([{ enter: () => NOTHING, body }], shell, false)

/** One branch, with the condition that runs before it. */
interface Way {
  readonly enter: () => Values
  readonly body: CompoundList
  /** The way before it may lead here as well. */
  readonly goesOn?: boolean
}

/** Each branch starts from the same scope; afterwards the scopes are merged. */
function runWays(ways: readonly Way[], shell: Shell, isComplete: boolean): Values {
  const scopes: Scope[] = []
  const output: Value[] = []
  for (const { enter, body, goesOn } of ways) {
    output.push(...enter())
    const inner = subshell(shell)
    const before = scopes.at(-1)
    if (goesOn === true && before !== undefined) goOn(inner, [inner.scope, before])
    output.push(...runNode(body, inner))
    scopes.push(inner.scope)
  }
  goOn(shell, isComplete ? scopes : [shell.scope, ...scopes])
  return output
}

/** A loop over nothing leaves its variable as it was. */
function assignLoop(name: string, values: Values, { scope }: Shell): void {
  if (values.length > 0) assignTo(scope, name, values)
}

const loopValues = (words: Extract<CommandNode, { type: 'For' }>['wordlist'], shell: Shell): Values =>
  words?.flatMap((word) => expand(word, shell)) ?? shell.scope.variables.get('@') ?? UNKNOWN

/** The commands of a pipeline run in subshells. */
function runPipeline({ commands }: Pipeline, shell: Shell): Values {
  let output = shell.input
  for (const [index, command] of commands.entries()) {
    const own = subshell(shell)
    output = runNode(command, { ...own, input: output })
    // Whether the last one runs in this shell is an option of the shell.
    if (index === commands.length - 1) goOn(shell, [shell.scope, own.scope])
  }
  return output ?? NOTHING
}

function runCommand({ name, args, prefix, redirects }: Command, shell: Shell): Values {
  shell.budget.left -= COST
  const groups = [...(name === undefined ? [] : [name]), ...args].flatMap((word) =>
    word.type === 'Word' ? [expand(word, shell)] : [],
  )
  const words = groups.flat()
  // Any of them may be the name of a function.
  if ((groups[0]?.length ?? 0) > 1) shell.calls.areUnsure = true
  // A name that is worked out at run time may hold the rest of the command too.
  if (groups[0]?.includes(undefined) === true) ask([name?.text], shell)
  const assignments = prefix.filter((one) => one.type === 'Assignment')
  const isCounted = countsInput(words) && !shell.found.hasOwnPrograms
  for (const one of isCounted ? redirects.filter(isPlainInput) : [])
    if (one.target !== undefined) expand(one.target, shell)
  const input =
    redirected(isCounted ? redirects.filter((one) => !isPlainInput(one)) : redirects, shell) ?? shell.input
  keepOuter(words, args, shell)
  for (const one of args)
    if (one.type === 'Assignment') {
      assignFrom(one, shell, isReference(words) ? UNKNOWN : undefined)
      declaredAs(words, one.name, shell)
      if (words[0] === 'alias') ask(shell.scope.variables.get(one.name) ?? [], shell)
    }
  if (words.length > 0) {
    const inner = { ...environmentOf(words, assignments, shell), input }
    const isFunction = shell.scope.functions.has(words[0] ?? '')
    const output = isFunction || isOrdered(words) ? callEach(groups, words, inner) : call(words, inner)
    // A shell keeps the last word of a command.
    assignTo(shell.scope, '_', groups.at(-1) ?? UNKNOWN)
    keepPrinted(redirects, output, shell)
    return redirects.some(isDropped) ? NOTHING : output
  }
  for (const one of assignments) assignFrom(one, shell)
  // `$(<file)` prints the file.
  return redirects.length === 0 ? NOTHING : UNKNOWN
}

/** Where the place of a word matters, each of several that it may stand for is taken alone as well. */
function callEach(groups: readonly Values[], words: Values, shell: Shell): Values {
  if (groups.every((group) => group.length < 2)) return call(words, shell)
  const scopes: Scope[] = []
  const output: Value[] = []
  for (const one of [words, ...choices(groups, shell)]) {
    const inner = subshell(shell)
    output.push(...call(one, inner))
    scopes.push(inner.scope)
  }
  goOn(shell, scopes)
  return atMost([...new Set(output)], shell.scope)
}

/** The ways to take one value of each group, as far as there is room. */
function choices(groups: readonly Values[], shell: Shell): readonly Values[] {
  const { budget } = shell
  const open = groups.filter((group) => group.length > 1)
  const count = open.reduce((product, { length }) => Math.min(product * length, MOST_VALUES), 1)
  if (count === MOST_VALUES) giveUp(shell)
  // Each is a call of its own.
  budget.left -= COST * count * (groups.length + 4)
  if (budget.left < 0) return []
  return Array.from({ length: count }, (_, index) => {
    let rest = index
    return groups.flatMap((group) => {
      if (group.length < 2) return group
      const value = group[rest % group.length]
      rest = Math.floor(rest / group.length)
      return [value]
    })
  })
}

/** Runs a function, or a program. */
function call(words: Values, shell: Shell): Values {
  const { functions, variables } = shell.scope
  const bodies = functions.get(words[0] ?? '')
  if (bodies === undefined) return perform(words, shell)
  if (isTooDeep(shell)) return giveUp(shell)
  const outer = new Map<string, Values | undefined>()
  for (const [name, values] of variables) if (PARAMETER.test(name)) outer.set(name, values)
  for (const [name] of outer) variables.delete(name)
  for (const name of take(words.slice(1), shell)) if (!outer.has(name)) outer.set(name, undefined)
  const returns: Scope[] = []
  const output = bodies.flatMap((body) =>
    runFunction(body, { ...shell, depth: shell.depth + 1, outer, returns }),
  )
  if (returns.length > 0) goOn(shell, [shell.scope, ...returns])
  for (const [name, values] of outer) {
    if (values === undefined) shell.scope.variables.delete(name)
    else shell.scope.variables.set(name, values)
  }
  // A name may also stand for its program, as behind a definition that never ran.
  perform(words, shell)
  return atMost(output, shell.scope)
}

const PARAMETER = /^[@*1-9]$/

const HANDLERS: ReadonlySet<string> = new Set(['command_not_found_handle', 'command_not_found_handler'])

function runFunction(body: Definition['body'], shell: Shell): Values {
  shell.calls.open.delete(body)
  return runNode(body, shell)
}

/** Where something unknown was called, that may be any function that nothing else has called. */
export function runOpenFunctions({ calls }: Shell): void {
  if (!calls.areUnsure) return
  for (const [body, shell] of calls.open) {
    if (isTooDeep(shell)) return void giveUp(shell)
    runFunction(body, { ...subshell(shell), depth: shell.depth + 1, input: undefined })
  }
}

/** What stands before a command is assigned for that command alone, and matters to shells and to `read`. */
function environmentOf(words: Values, assignments: readonly Assignment[], shell: Shell): Shell {
  if (assignments.length === 0) return shell
  const environment = subshell(shell)
  for (const one of assignments) assignFrom(one, environment)
  if (runsShell(words)) return environment
  // These run in this shell, and it sees the values for as long as they do.
  if (shell.scope.functions.has(words[0] ?? '') || runsHere(words))
    for (const { name } of assignments)
      addTo(shell.scope, name, environment.scope.variables.get(name) ?? UNKNOWN)
  const given = assignments.flatMap(({ name }) => environment.scope.variables.get(name) ?? [])
  return { ...shell, given, separators: environment.scope.variables.get('IFS') }
}
