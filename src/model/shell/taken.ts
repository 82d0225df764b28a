import { absolutePath } from '../text/path.ts'
import { copiedPaths, mayBeFolder, programOf, split, takenBelow, type Value } from './args.ts'
import { enter } from './builtins.ts'
import { isInterpreter } from './quiet.ts'
import { gitCall, NAMES_FILE } from './git.ts'
import type { Values } from './scope.ts'
import { ask, link, note, noteCopied, type Shell, subshell, UNKNOWN } from './shell.ts'

/** A program that nothing is known of may open what its words, its input and its environment name. */
export function askAll(words: Values, shell: Shell): void {
  const { found, scope, input } = shell
  const texts = [...words, ...(input ?? [])]
  // Parts of a script may be words of their own.
  const whole = texts.filter((text) => text !== undefined).join(' ')
  const isList = isInterpreter(programOf(words[0])) && printsNames(whole)
  ask(
    texts.filter((text) => !isList || !LISTING.test(text ?? '')),
    shell,
  )
  ask([...(shell.given ?? []), ...foldersListedIn(whole)], shell)
  const given = found.isAllExported ? scope.variables.keys() : found.exported
  for (const name of given) ask(scope.variables.get(name) ?? [], shell)
}

/** Words of a script that list a folder, and those that open files or run programs. */
const LISTS = /listdir|scandir|walk|iterdir|readdir|opendir|glob|File::Find/i
const OPENS = /open(?!dir)|read(?!dir)|\bcat\b|copy|input|process|exec|spawn|system|lines|slurp|[<`]/i

/** What a script may list to read it: its own folder, those in quotes, and files below them that it names. */
export function foldersListedIn(text: Value): Values {
  if (text === undefined || !LISTS.test(text) || !OPENS.test(text)) return []
  const folders = ['.', ...[...text.matchAll(/["']([^"'\s]+)["']/g)].map(([, quoted]) => quoted)]
  const names = [...text.matchAll(/(?<![\w*/.-])[\w-]+\.md(?!\w)/gi)].map(([name]) => `./**/${name}`)
  return [...folders, ...names]
}

/** Calls that show names of files at most. */
const NAMES_ONLY: ReadonlySet<string> = new Set(
  'print log puts glob rglob iglob globSync listdir readdirSync sorted len list join require Path'.split(' '),
)

/** A call that lists a folder. */
const LISTING = /(?:glob|globSync|listdir|readdirSync)\s*\(/

/** Whether a script lists files and does nothing else. */
const printsNames = (text: string): boolean =>
  LISTING.test(text) &&
  !OPENS.test(text) &&
  [...text.matchAll(/(\w*)\s*\(/g)].every(([, name = '']) => NAMES_ONLY.has(name))

/** Editing in place can leave the old text under another name. */
export function keepBackups(args: Values, files: Values, shell: Shell): void {
  const suffixes = args.flatMap((arg) => /^(?:-[a-zA-Z0-9]*?i|--in-place=)(.+)$/.exec(arg ?? '')?.[1] ?? [])
  for (const suffix of suffixes)
    for (const file of files) if (file !== undefined) link(file, `${file}${suffix}`, shell)
}

/** Programs that give a file another name. */
export const LINKERS: ReadonlySet<string> = new Set(['ln', 'link', 'mv', 'cp'])

/** Notes the names that files get by a link or a move. */
export function rename(name: string, args: Values, shell: Shell): void {
  const { options, operands } = split(args, 'tS')
  if (name === 'cp' && !['-l', '-s', '--link', '--symbolic-link'].some((option) => options.has(option)))
    return
  const into = options.get('-t') ?? options.get('--target-directory')
  const target = into ?? (operands.length > 1 ? operands.at(-1) : '.')
  const sources = into === undefined && operands.length > 1 ? operands.slice(0, -1) : operands
  const isSymbolic = name === 'ln' && (options.has('-s') || options.has('--symbolic'))
  for (const source of sources) {
    link(source, target, shell)
    // A symbolic link counts from its own folder.
    if (isSymbolic && source !== undefined && target?.includes('/') === true && !source.startsWith('/'))
      link(`${target.replace(/[^/]*$/, '')}${source}`, target, shell)
    // What is moved can be read there later.
    if (name === 'mv') for (const one of moved(source)) noteTaken(one, shell)
  }
}

const moved = (path: Value): Values =>
  path === undefined ? [] : mayBeFolder(path) ? [`${path}/**/*`] : [path]

/** Notes what is taken along by a copy or a move of many files. */
export function noteTaken(path: Value, { scope, found }: Shell): void {
  for (const cwd of scope.cwds) {
    const absolute = path === undefined ? undefined : absolutePath(path, cwd)
    if (absolute !== undefined) found.taken.add(absolute)
  }
}

/** Files and folders that are copied into something else. */
export function takeAlong(sources: Values, shell: Shell): Values {
  for (const source of sources) {
    for (const path of copiedPaths(source)) noteCopied(path, shell)
    for (const path of takenBelow(source)) noteTaken(path, shell)
  }
  return UNKNOWN
}

/** Git shows files of the working tree and of its history. */
export function runGit(args: Values, shell: Shell): Values {
  const call = gitCall(args)
  if (call === undefined) {
    askAll(args, shell)
    return UNKNOWN
  }
  ask([...args.filter((arg) => NAMES_FILE.test(arg ?? '')), ...(shell.given ?? [])], shell)
  // It takes names from its input too.
  if (args.some((arg) => /^--(?:batch|stdin)/.test(arg ?? ''))) {
    askAll([], shell)
    if (shell.input?.includes(undefined) === true) note(undefined, shell, 'reads')
  }
  const inner = subshell(shell)
  if (call.folder !== '.') enter([call.folder], inner)
  for (const path of call.shown) note(path, inner, 'reads')
  for (const path of call.fromRoot) for (const one of fromAnyRoot(path, inner)) note(one, inner, 'reads')
  takeAlong(call.copied, inner)
  if (call.moved.length > 1) rename('mv', call.moved, inner)
  return [...call.printed, undefined]
}

/** The root of the repository may be any folder above. */
const fromAnyRoot = (path: string, { scope }: Shell): Values =>
  scope.cwds.flatMap((cwd) => {
    const parts = cwd?.split('/') ?? []
    return parts.map((_, at) => `${parts.slice(0, parts.length - at).join('/')}/${path}`)
  })
