import { isOtherGlob, isTypeOfCode, pickedBy } from '../text/file-types.ts'
import { type Reader, WRAPPERS, type Writer } from './commands.ts'

/** The value of a word; undefined if it is known only at run time. */
export type Value = string | undefined

/** The name of a program without its folder. */
export const programOf = (word: Value): Value => word?.slice(word.lastIndexOf('/') + 1)

/** Removes wrappers such as `sudo`, with their options and the assignments of `env`. */
export function unwrapped(words: readonly Value[]): readonly Value[] {
  let at = 0
  for (let wrapper = wrapperAt(words, at); wrapper !== undefined; wrapper = wrapperAt(words, at))
    at = afterOptions(words, at + 1, wrapper.valued) + wrapper.skip
  return words.slice(at)
}

const wrapperAt = (words: readonly Value[], at: number) => WRAPPERS.get(programOf(words[at]) ?? '')

function afterOptions(words: readonly Value[], begin: number, valued: string): number {
  let at = begin
  for (; at < words.length; at++) {
    const word = words[at] ?? ''
    if (word.startsWith('-')) at += takesNext(word, valued) ? 1 : 0
    else if (!/^\w+=/.test(word)) break
  }
  return at
}

/** Whether the value of an option is the next word; in `-n5` it is attached. */
const takesNext = (option: string, valued: string): boolean =>
  option.length > 1 && !option.startsWith('--') && valuedAt(option, valued) === option.length - 1

/** The index of the first letter that takes a value, or the length of the option. */
function valuedAt(option: string, valued: string): number {
  for (let at = 1; at < option.length; at++) if (valued.includes(option[at] ?? ' ')) return at
  return option.length
}

/** The files in a program's arguments, and whether the program shows their contents. */
export function filesOf(
  args: readonly Value[],
  reader: Reader,
  isPiped: boolean,
): { readonly files: readonly Value[]; readonly isShown: boolean } {
  const { options, operands } = split(args, reader.valued)
  const has = (names: readonly string[] | undefined) => names?.some((name) => options.has(name)) === true
  const given = reader.pattern === undefined || has(reader.pattern) ? operands : operands.slice(1)
  const isShown = !has(reader.silent)
  if (reader.copies !== undefined)
    return { files: (has(reader.copies) ? given : given.slice(0, -1)).flatMap(copiedPaths), isShown }
  // A search shows lines from anywhere in a folder, so names below it do not matter.
  if (given.length > 0) {
    const files = reader.recursive === undefined ? given : given.map(folderOf)
    const isPlain = reader.recursive !== 'always' && !has(reader.recursive)
    return {
      files: isElsewhere(args, reader)
        ? files.filter(mayBeFile)
        : [...files, ...(isPlain ? [] : [...files.flatMap(searchedBelow), ...picked(files, args, reader)])],
      isShown,
    }
  }
  const isSearch = reader.recursive === 'always' ? !isPiped : has(reader.recursive)
  return {
    files: isSearch && !isElsewhere(args, reader) ? ['.', ...picked(['.'], args, reader)] : [],
    isShown,
  }
}

/** A copied folder, as far as one skill reaches: a copy of many folders is a backup. */
export const copiedPaths = (path: Value): readonly Value[] =>
  mayBeFile(path)
    ? [path, ...belowPattern(path)]
    : [...(hasEnding(path) ? [path] : []), `${path}/*`, `${path}/*/*`].map((one) =>
        one?.replaceAll('//', '/'),
      )

/** A pattern may stand for a skill or its steps; a mere star stands for many folders. */
const belowPattern = (path: Value): readonly Value[] =>
  path === undefined || !/[*?[][^/]*\/?$/.test(path) || /\.\w+$/.test(path)
    ? []
    : (/(?:^|\/)\*\/?$/.test(path) ? ['/*'] : ['/*', '/*/*']).map(
        (more) => `${path.replace(/\/$/, '')}${more}`,
      )

/** What a search below a pattern reaches; stars at the end stand for their folder. */
export function searchedBelow(path: Value): readonly Value[] {
  if (path === undefined || !/[*?[]/.test(path) || /\.\w+$/.test(path)) return []
  const parts = path.split('/')
  while (/^\**$/.test(parts.at(-1) ?? '-')) parts.pop()
  const folder = parts.join('/')
  if (!/[*?[]/.test(folder)) return [folder || (path.startsWith('/') ? '/' : '.')]
  // Only what names a hidden folder means the files of a client; the others may hold a whole project.
  const below = /(?:^|\/)\.[^/.]/.test(folder) ? ['/**/*'] : ['/*', '/*/*', '/*/*/*']
  return below.map((more) => `${folder}${more}`)
}

/** What a copy may take along besides the files that it names, as a pattern. */
export const takenBelow = (path: Value): readonly string[] =>
  path !== undefined && (mayBeFolder(path) || belowPattern(path).length > 0)
    ? [`${path.replace(/\/$/, '')}/**/*`]
    : []

/** Whether a copy of this takes whole folders along. */
export const mayBeFolder = (path: Value): path is string => !mayBeFile(path) && !hasEnding(path)

/** A link may have any ending. */
const hasEnding = (path: Value): boolean => /[^/]\.[^/.]+$/.test(path ?? '')

/** The files that a search picks by their names, in each of its folders. */
function picked(
  folders: readonly Value[],
  args: readonly Value[],
  { only, valued }: Reader,
): readonly Value[] {
  const globs = split(args, valued).every.flatMap(([name, value]) =>
    only?.globs.includes(name) === true ? [value] : [],
  )
  return folders.flatMap((folder) => globs.flatMap((glob) => pickedBy(folder, glob)))
}

/** True for a name of a Markdown file, a pattern and an unknown name. */
const mayBeFile = (path: Value): boolean => path === undefined || /\.md$|[*?[]/i.test(path)

/** True if options limit a search to files that are no Markdown. */
function isElsewhere(args: readonly Value[], { only, valued }: Reader): boolean {
  if (only === undefined) return false
  const { every } = split(args, valued)
  const given = (names: readonly string[]) =>
    every.flatMap(([name, value]) => (names.includes(name) ? [value] : []))
  const [globs, types] = [given(only.globs), given(only.types)]
  // Each of several globs or types adds files.
  return (globs.length > 0 && globs.every(isOtherGlob)) || (types.length > 0 && types.every(isTypeOfCode))
}

/** The files that a program writes, by its arguments; a missing name is unknown. */
export function writtenBy(args: readonly Value[], writer: Writer): readonly Value[] {
  const { options, operands } = split(args, writer.valued)
  const has = (names: readonly string[] | undefined) => names?.some((name) => options.has(name)) === true
  if (writer.only !== undefined && !has(writer.only)) return []
  const given = writer.pattern === undefined || has(writer.pattern) ? operands : operands.slice(1)
  const into = writer.into?.flatMap((name) => (options.has(name) ? [options.get(name)] : [])) ?? []
  switch (writer.which) {
    case 'all':
      return [...given, ...into, ...(writer.into === undefined ? [] : putInto(into, given))]
    case 'first':
      return [given[0]]
    case 'last':
      return into.length === 0 && given.length < 2
        ? []
        : [...(into.length > 0 ? into : given.slice(-1)), ...putInto(into, given)]
  }
}

/** Where sources end up if their target is a folder; a name that is not plain stands for the folder alone. */
function putInto(into: readonly Value[], given: readonly Value[]): readonly Value[] {
  const [targets, sources] = into.length > 0 ? [into, given] : [given.slice(-1), given.slice(0, -1)]
  const names = sources.flatMap((source) => source?.replace(/\/+$/, '').split('/').at(-1) ?? [])
  return targets.flatMap((target) =>
    target === undefined
      ? []
      : names.filter((name) => PLAIN.test(name)).map((name) => `${target.replace(/\/+$/, '')}/${name}`),
  )
}

const PLAIN = /^(?!\.{0,2}$)[^*?[\]{}$~]+$/

const folderOf = (path: Value): Value => path?.split('/**/')[0]

/** Splits arguments into options with their values, and operands. */
export function split(args: readonly Value[], valued: string) {
  const every: (readonly [name: string, value: Value])[] = []
  const operands: Value[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === '--') return listed(every, [...operands, ...args.slice(at + 1)])
    if (arg === undefined || !arg.startsWith('-')) operands.push(arg)
    else if (arg.startsWith('--')) {
      const [name = arg, value] = arg.split('=', 2)
      every.push([name, value ?? (NEXT.has(name) ? args[++at] : undefined)])
    } else if (arg.startsWith('-')) {
      const end = valuedAt(arg, valued)
      for (const letter of arg.slice(1, end)) every.push([`-${letter}`, undefined])
      if (end < arg.length)
        every.push([`-${arg[end]}`, takesNext(arg, valued) ? args[++at] : arg.slice(end + 1)])
    }
  }
  return listed(every, operands)
}

/** Long options whose value is the next word, even if it looks like an option. */
const NEXT: ReadonlySet<string> = new Set(
  '--regexp --file --label --exclude --exclude-dir --exclude-from --include --expression --suffix --replace --glob --type --after-context --before-context --context --max-count --lines --bytes'.split(
    ' ',
  ),
)

/** The last value of each option counts, except where several add up. */
const listed = (every: readonly (readonly [name: string, value: Value])[], operands: readonly Value[]) => ({
  every,
  options: new Map(every),
  operands,
})

const LONGEST_ROOT = 4096

/** The output of `find` as patterns; only names are evaluated, so the real output may be smaller. */
export function foundBy(all: readonly Value[]): readonly Value[] {
  const first = all.findIndex((arg, at) => !/^-(?:[HLP]|D|O\d)$/.test(arg ?? '') && all[at - 1] !== '-D')
  const args = first === -1 ? [] : all.slice(first)
  const end = args.findIndex((arg) => arg === undefined || /^[-(!]/.test(arg))
  const roots = end === 0 || args.length === 0 ? ['.'] : args.slice(0, end === -1 ? undefined : end)
  const tests = args.flatMap((arg, at) => (arg === '-name' ? [args[at + 1]] : []))
  const isPlain = tests.length > 0 && !args.some((arg) => arg === '!' || arg === '-not')
  // An alternative may be a test that is not evaluated.
  const hasOther = args.some((arg) => /^-(or?|iname|i?path|i?wholename|i?regex)$/.test(arg ?? ''))
  const names = isPlain ? [...tests, ...(hasOther && tests.length === 1 ? ['*'] : [])] : ['*']
  return roots.flatMap((root) => {
    // Nested `find` commands would make the root longer each time.
    if (root === undefined || names.includes(undefined) || root.length > LONGEST_ROOT) return [undefined]
    // `find` also prints a file that is named as its root.
    return [...(/\.md$/i.test(root) ? [root] : []), ...names.map((name) => `${root}/**/${name}`)]
  })
}

/** The commands that `find` runs for each file. */
export function execsOf(
  args: readonly Value[],
): readonly { readonly words: readonly Value[]; readonly isElsewhere: boolean }[] {
  return args.flatMap((arg, at) => {
    if (!/^-(exec|execdir|ok|okdir)$/.test(arg ?? '')) return []
    const rest = args.slice(at + 1)
    const end = rest.findIndex((one) => one === ';' || one === '+')
    const words = rest.slice(0, end === -1 ? undefined : end)
    return [{ words, isElsewhere: arg?.endsWith('dir') === true }]
  })
}

/** The work left for one command, because a short command can expand to a lot of text. */
export interface Budget {
  left: number
}

/** The cost of a value besides its length. */
export const COST = 16

/** The file that `xargs` takes its input from. */
export function listOf(args: readonly Value[]): readonly Value[] {
  const { options } = split(args.slice(0, afterOptions(args, 0, 'adEILnPs')), 'adEILnPs')
  return ['-a', '--arg-file'].flatMap((name) => (options.has(name) ? [options.get(name)] : []))
}

/** The options of `xargs` that replace a mark or separate its input. */
function xargsOptions(options: readonly Value[]) {
  let [mark, separator]: (string | undefined)[] = []
  for (const [at, option = ''] of options.entries()) {
    const [, long, value] = /^--(replace|null|delimiter)(?:=([^]*))?$/.exec(option) ?? []
    const [, letter, attached = ''] = /^-(?!-)[rtpxo0]*([iId0])([^]*)$/.exec(option) ?? []
    const next = attached === '' ? options[at + 1] : attached
    if (long === 'replace' || letter === 'i') mark = (value ?? attached) || '{}'
    if (letter === 'I') mark = next
    if (long === 'delimiter' || letter === 'd') separator = value ?? next
    if (long === 'null' || /^-[rtpxo]*0/.test(option)) separator = '\\0'
  }
  return { mark, separator }
}

/** The command that `xargs` runs on its input. */
export function xargsOf(args: readonly Value[], input: readonly Value[], budget: Budget): readonly Value[] {
  const at = afterOptions(args, 0, 'adEILnPs')
  const command = at < args.length ? args.slice(at) : ['echo']
  const { mark, separator } = xargsOptions(args.slice(0, at))
  const values = input.flatMap((value) => itemsOf(value, { separator, isLine: mark !== undefined }))
  return mark === undefined ? [...command, ...values] : filledIn(command, { mark, values }, budget)
}

/** The items of an input; without a separator of its own, `xargs` takes quotes away. */
function itemsOf(
  text: Value,
  { separator, isLine }: { readonly separator: Value; readonly isLine: boolean },
): readonly Value[] {
  if (text === undefined) return [undefined]
  if (separator !== undefined)
    return text.trim().split(separator.startsWith('\\') ? /[\0\n]/ : separator.slice(0, 1))
  const plain = text.replaceAll(/["'\\]/g, '')
  const texts = plain === text ? [text] : [text, plain]
  return texts.flatMap((one) => one.trim().split(isLine ? /[\0\n]/ : /\s+/))
}

/** Replaces the mark in a command; a word that contains it becomes one word per value. */
export function filledIn(
  words: readonly Value[],
  { mark, values }: { readonly mark: Value; readonly values: readonly Value[] },
  budget: Budget,
): readonly Value[] {
  if (mark === undefined || mark === '') return words
  return words.flatMap((word) => {
    const parts = word?.split(mark) ?? []
    if (parts.length < 2) return [word]
    return values.map((value) => {
      budget.left -= COST + parts.length * (value?.length ?? 0)
      return value === undefined || budget.left < 0 ? undefined : parts.join(value)
    })
  })
}

/** The output of `ls`; unknown names in a folder become a pattern. */
export function listedBy(args: readonly Value[]): readonly Value[] {
  const { operands } = split(args, 'ITw')
  if (operands.length === 0) return ['*']
  return operands.map((path) => (path === undefined || /[*?[]|\.md$/i.test(path) ? path : '*'))
}
