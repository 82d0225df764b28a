import { absolutePath } from './path.ts'

/** The base folders for relative paths. */
interface From {
  readonly cwd: string | undefined
  readonly home?: string | undefined
}

const MOST = 100
const LONGEST = 4096
/** Characters around a path in prose, code and arguments, and rarely inside one. */
const PATH = /[^\s"'`<>()[\]{},;|=:#@*!?&\\]+/g
/** A longer extension is another name. */
const ENDING = /\.md(?![\w-]|\.\w)/gi
const MENTION = /(?:^|\s)@(?:"([^"\n]*)"|([^\s"]+))/g

/** Absolute paths of the Markdown files that a text names; any may be a step. */
export const filesNamedIn = (text: string, from: From, most = MOST): readonly string[] =>
  absolute(markdownNamedIn(text), from, most)

/** Markdown files that a prompt mentions with `@`; clients attach them without a tool call. */
export const mentionsIn = (prompt: string, from: From): readonly string[] =>
  absolute(
    [...prompt.matchAll(MENTION)].flatMap(([, quoted, plain]) => markdownIn(quoted ?? plain ?? '')),
    from,
  )

/** The ranges of lines, as in `@a.md#L3-7`, of a mentioned file; undefined if a mention attaches all of it. */
export function rangesMentioned(
  prompt: string,
  name: string,
): readonly (readonly [first: number, last: number])[] | undefined {
  const ranges: (readonly [number, number])[] = []
  for (const [, quoted, plain] of prompt.matchAll(MENTION)) {
    const word = quoted ?? plain ?? ''
    const [path] = markdownIn(word)
    if (path?.split('/').at(-1) !== name) continue
    const [, first, last = first] = /^#L(\d+)(?:-(\d+))?/.exec(word.slice(path.length)) ?? []
    if (first === undefined) return undefined
    ranges.push([Number(first), Number(last)])
  }
  return ranges.length === 0 ? undefined : ranges
}

/** Markdown files that a text names, as written. */
export const markdownNamedIn = (text: string): readonly string[] =>
  [...text.matchAll(PATH)].flatMap(([word]) => markdownIn(word))

function absolute(found: readonly string[], { cwd, home }: From, most = MOST): readonly string[] {
  const paths = new Set<string>()
  for (const path of found) {
    const whole = absolutePath(path.startsWith('~/') ? `${home ?? '~'}${path.slice(1)}` : path, cwd)
    if (whole !== undefined) paths.add(whole)
    if (paths.size === most) break
  }
  return [...paths]
}

/** A path without punctuation or line number; undefined if not Markdown. */
function markdownIn(word: string): readonly string[] {
  if (word.length > LONGEST) return []
  const end = [...word.matchAll(ENDING)].at(-1)?.index ?? 0
  return end > 0 ? [word.slice(0, end + 3)] : []
}
