import {
  type Assignment,
  type CommandArgument,
  forEachChild,
  type Redirection,
  type SyntaxNode,
  type WordPart,
} from 'unbash'
import { programOf, unwrapped, xargsOf } from './args.ts'
import { SHELLS } from './commands.ts'
import { syntaxOf } from './syntax.ts'

/** The value of a word; undefined if it is known only at run time. */
export type Word = string | undefined

interface SimpleCommand {
  readonly words: readonly Word[]
  readonly hasInput: boolean
  /** True if it writes to a file, or reads one. */
  readonly isRedirected: boolean
  /** True inside of a group, a condition or a loop. */
  readonly isInside: boolean
}

/** Whether a shell command runs nothing but our program. */
export function isOnlyOurs(command: string): boolean {
  const others = simpleCommands(command)
    .map(({ words }) => words)
    .filter(([program]) => program !== 'cd')
  return others.length > 0 && others.every((words) => ourWords(words).length > 0)
}

/** The commands in source order; none if the syntax is invalid. */
export function simpleCommands(command: string): readonly SimpleCommand[] {
  const commands: SimpleCommand[] = []
  try {
    const script = syntaxOf(command)?.script
    if (script !== undefined) collect(script, { hasInput: false, isInside: false }, commands)
  } catch {
    // The parser recurses; a command that exhausts the stack calls nothing of ours.
    return []
  }
  return commands
}

function collect(
  node: SyntaxNode,
  { hasInput, isInside }: Pick<SimpleCommand, 'hasInput' | 'isInside'>,
  commands: SimpleCommand[],
): void {
  // A declared function does not run yet, and a command inside a word only prints the word.
  if (node.type === 'Function' || node.type === 'Word') return
  if (node.type === 'Command') {
    const words = [...node.prefix.filter(isAssignment), ...(node.name ? [node.name] : []), ...node.args]
    commands.push({
      words: words.map(wordOf),
      hasInput: hasInput || node.redirects.some(isInput),
      isRedirected: node.redirects.some(({ operator }) => operator !== '>&'),
      isInside,
    })
    return
  }
  const isRead = hasInput || (node.type === 'Redirected' && node.redirects.some(isInput))
  const [first] = node.type === 'Pipeline' ? node.commands : []
  const inside = isInside || !LISTS.has(node.type)
  forEachChild(node, (child) =>
    collect(
      child,
      { hasInput: isRead || (node.type === 'Pipeline' && child !== first), isInside: inside },
      commands,
    ),
  )
}

/** What only puts commands one after the other. */
const LISTS: ReadonlySet<SyntaxNode['type']> = new Set<SyntaxNode['type']>([
  'Script',
  'Statement',
  'AndOr',
  'Pipeline',
  'Redirected',
])

const isAssignment = ({ type }: Assignment | Redirection): boolean => type === 'Assignment'

const isInput = ({ operator }: Redirection): boolean => operator.startsWith('<')

/** Only the shell expands patterns, lists and the home folder. */
function wordOf(node: CommandArgument | Redirection): Word {
  if (node.type !== 'Word') return undefined
  if (node.parts === undefined) return node.text.startsWith('~') ? undefined : node.value
  return node.parts.every(isText) ? node.value : undefined
}

function isText(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
      return !part.text.startsWith('~')
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.every(({ type }) => type === 'Literal')
    default:
      return false
  }
}

const OURS: ReadonlySet<Word> = new Set(['holdfast', 'engine'])

/** The words after the name of our program; none if another program runs. */
export function ourWords([program, ...rest]: readonly Word[]): readonly Word[] {
  const name = programOf(program)
  if (OURS.has(name)) return rest
  return name === 'npx' && OURS.has(rest[0]) ? rest.slice(1) : []
}

/** True if a shell command calls our program in plain words. */
const callsOurs = (command: string): boolean =>
  simpleCommands(command).some(({ words }) => wrappedWords(words).length > 0)

/** The same for arguments of a program that may run them as a command. */
export const wordsAfterOurs = (args: readonly Word[]): readonly Word[] => {
  const at = args.findIndex((arg) => OURS.has(programOf(arg)))
  return at === -1 ? [] : args.slice(at + 1)
}

/** The same behind assignments and programs that run another: `sudo`, `env`, `npx`, `xargs`, `node FILE`. */
export function wrappedWords(words: readonly Word[]): readonly Word[] {
  const [program, ...rest] = withoutWrappers(words)
  const name = programOf(program)
  if (name === 'xargs') return wrappedWords(xargsOf(rest, [], { left: 0 }))
  if (name !== 'node' && name !== 'bun') return ourWords([program, ...rest])
  const file = rest.findIndex((word) => word?.startsWith('-') !== true)
  return ENTRY.test(rest[file] ?? '') ? rest.slice(file + 1) : []
}

/** The script that a command gives to a shell as one word. */
export function scriptIn(words: readonly Word[]): string | undefined {
  const [program, ...rest] = withoutWrappers(words)
  const name = programOf(program) ?? ''
  if (name === 'eval') return rest.includes(undefined) ? undefined : rest.join(' ')
  const at = SHELLS.has(name) ? rest.findIndex((word) => /^-[a-z]*c$/.test(word ?? '')) : -1
  return at === -1 ? undefined : rest[at + 1]
}

/** What an unknown word at the start stands for is an assignment, or may be nothing. */
const withoutWrappers = (words: readonly Word[]): readonly Word[] =>
  unwrapped(
    words.slice(
      Math.max(
        0,
        words.findIndex((word) => word !== undefined),
      ),
    ),
  )

/** The file of our program, which a runtime is given. */
const ENTRY = /(?:^|\/)(?:holdfast|engine)(?:\.m?js)?$/

/** True if a shell command calls our program and nothing that shows anything else, not even inside of a word. */
export function callsOursAlone(command: string): boolean {
  if (!callsOurs(command)) return false
  const nodes: SyntaxNode[] = []
  try {
    const script = syntaxOf(command)?.script
    if (script !== undefined) flatten(script, nodes)
  } catch {
    return false
  }
  return nodes.every(({ type }) => type !== 'Function') && nodes.every((node) => isHarmless(node))
}

function flatten(node: SyntaxNode, nodes: SyntaxNode[]): void {
  nodes.push(node)
  forEachChild(node, (child) => flatten(child, nodes))
}

/** A program beside ours may shorten what ours prints, or give it a long text; it reads no file. */
function isHarmless(node: SyntaxNode): boolean {
  if (node.type !== 'Command') return true
  const words = [...node.prefix.filter(isAssignment), ...(node.name ? [node.name] : []), ...node.args].map(
    wordOf,
  )
  if (wrappedWords(words).length > 0) return true
  if (node.redirects.some(({ operator }) => operator === '<')) return false
  const [program = '', ...args] = node.name === undefined ? [] : [node.name, ...node.args].map(wordOf)
  if (program === 'head' || program === 'tail')
    return args.every((arg) => /^(-[nc]?\d*|\d+)$/.test(arg ?? ''))
  return (
    program === '' || program === 'cd' || program === 'export' || (program === 'cat' && args.length === 0)
  )
}
