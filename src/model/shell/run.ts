import type {
  Assignment,
  Case,
  Command,
  CommandNode,
  CompoundList,
  HereDoc,
  If,
  ParsedScript,
  Pipeline,
  Redirection,
  Statement,
} from 'unbash'
import { COST, type Value } from './args.ts'
import { assignFrom, expand, expandText, expandWhole, runScriptsIn } from './expand.ts'
import { perform, runsShell } from './programs.ts'
import { assign, atMost, giveUp, note, NOTHING, type Shell, subshell, UNKNOWN, type Values } from './shell.ts'

/** Walks through the commands of a script and gives what they print, as far as that is known. */
export function runScript({ commands, errors = [] }: ParsedScript, shell: Shell): Values {
  if (errors.length > 0) giveUp(shell)
  return runList(commands, shell)
}

function runList(statements: readonly Statement[], shell: Shell): Values {
  let output = NOTHING
  for (const { command, background } of statements) {
    if (shell.budget.left < 0) return giveUp(shell)
    const printed = runNode(command, background === true ? subshell(shell) : shell)
    output = atMost([...output, ...printed])
  }
  return output
}

const perhaps = (shell: Shell): Shell => ({ ...shell, isSure: false })

function runNode(node: Statement['command'] | CommandNode | CompoundList, shell: Shell): Values {
  switch (node.type) {
    case 'Command':
      return runCommand(node, shell)
    case 'Pipeline':
      return runPipeline(node, shell)
    case 'AndOr':
      return node.commands.flatMap((one, index) => runNode(one, index === 0 ? shell : perhaps(shell)))
    case 'CompoundList':
      return runList(node.commands, shell)
    case 'BraceGroup':
      return runNode(node.body, shell)
    case 'Subshell':
    case 'Coproc':
      return runNode(node.body, subshell(shell))
    case 'Redirected':
      return runNode(node.command, { ...shell, input: redirected(node.redirects, shell) ?? shell.input })
    case 'If':
      return runIf(node, shell)
    case 'Case':
      return runCase(node, shell)
    case 'While':
      return [...runNode(node.clause, shell), ...runNode(node.body, perhaps(shell))]
    case 'For':
    case 'Select':
      assign(node.name.value, loopValues(node.wordlist, shell), { ...shell, isSure: true })
      return runNode(node.body, perhaps(shell))
    case 'ArithmeticFor':
      for (const part of [node.initialize, node.test, node.update])
        if (part !== undefined) runScriptsIn(part, shell)
      return runNode(node.body, perhaps(shell))
    case 'Function':
      // What it is called with is not known here.
      runNode(node.body, perhaps(shell))
      return NOTHING
    case 'TestCommand':
    case 'ArithmeticCommand':
      runScriptsIn(node, shell)
      return NOTHING
  }
}

function runIf(node: If, shell: Shell): Values {
  const branches = [node, ...node.elif].flatMap(({ clause, then }) => [
    ...runNode(clause, shell),
    ...runNode(then, perhaps(shell)),
  ])
  return node.else === undefined ? branches : [...branches, ...runNode(node.else, perhaps(shell))]
}

function runCase({ word, items }: Case, shell: Shell): Values {
  expand(word, shell)
  return items.flatMap(({ pattern, body }) => {
    for (const one of pattern) expand(one, shell)
    return runNode(body, perhaps(shell))
  })
}

const loopValues = (words: Extract<CommandNode, { type: 'For' }>['wordlist'], shell: Shell): Values =>
  words?.flatMap((word) => expand(word, shell)) ?? shell.scope.variables.get('@') ?? UNKNOWN

/** All but the last command of a pipeline run in subshells of their own. */
function runPipeline({ commands }: Pipeline, shell: Shell): Values {
  let output = shell.input
  for (const [index, command] of commands.entries()) {
    const own = index === commands.length - 1 ? shell : subshell(shell)
    output = runNode(command, { ...own, input: output })
  }
  return output ?? NOTHING
}

function runCommand({ name, args, prefix, redirects }: Command, shell: Shell): Values {
  shell.budget.left -= COST
  const words = [...(name === undefined ? [] : [name]), ...args].flatMap((word) =>
    word.type === 'Word' ? expand(word, shell) : [],
  )
  const assignments = prefix.filter((one) => one.type === 'Assignment')
  const input = redirected(redirects, shell) ?? shell.input
  for (const one of args) if (one.type === 'Assignment') assignFrom(one, shell)
  if (words.length > 0) return perform(words, { ...environmentOf(words, assignments, shell), input })
  for (const one of assignments) assignFrom(one, shell)
  // `$(<file)` prints the file.
  return redirects.length === 0 ? NOTHING : UNKNOWN
}

/** What stands before a command is assigned for that command alone, and matters to shells. */
function environmentOf(words: Values, assignments: readonly Assignment[], shell: Shell): Shell {
  if (assignments.length === 0) return shell
  const environment = { ...subshell(shell), isSure: true }
  for (const one of assignments) assignFrom(one, environment)
  return runsShell(words) ? environment : shell
}

/** Notes the files of redirections, and gives what the command then reads from its input. */
function redirected(redirections: readonly Redirection[], shell: Shell): Values | undefined {
  let input: Values | undefined
  for (const one of redirections) input = inputOf(one, shell) ?? input
  return input
}

function inputOf(one: Redirection, shell: Shell): Values | undefined {
  if (one.type === 'HereDoc') return documentOf(one, shell)
  if (one.target === undefined) return giveUp(shell)
  if (one.type === 'HereString') return expandWhole(one.target, shell)
  const isRead = one.operator.startsWith('<')
  for (const value of expand(one.target, shell))
    if (!isDescriptor(value, one.operator)) note(value, shell, isRead ? 'reads' : 'writes')
  return isRead ? UNKNOWN : undefined
}

/** `2>&1` and `>&-` name no file, and neither does what goes to another command. */
const isDescriptor = (value: Value, operator: string): boolean =>
  value === '-' || (operator.endsWith('&') && (operator === '<&' || /^\d+-?$/.test(value ?? '')))

/** Where a part of the text is not known, the rest still tells more than nothing. */
function documentOf({ operator, delimiter, body }: HereDoc, shell: Shell): Values {
  const mark = body.text.trimEnd()
  const whole = shell.documents.get(mark)
  if (whole !== undefined) {
    shell.documents.delete(mark)
    return [whole]
  }
  const isPlain = delimiter?.quoted === true || body.parts === undefined
  const values = isPlain ? [body.text] : expandText(body.parts, shell)
  const known = values.includes(undefined) ? [body.text] : values
  return operator === '<<' ? known : known.map((text) => text?.replaceAll(/^\t+/gm, ''))
}
