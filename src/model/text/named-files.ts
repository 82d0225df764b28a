import { absolutePath } from './path.ts'

/** Where the text is from, for paths that are not absolute. */
interface From {
  readonly cwd: string | undefined
  readonly home?: string | undefined
}

const MOST = 100
const LONGEST = 4096
/** What can stand around a path in prose, in code and in arguments, and hardly in one. */
const PATH = /[^\s"'`<>()[\]{},;|=:#@*!?&\\]+/g
/** What goes on after it is another name. */
const ENDING = /\.md(?![\w-]|\.\w)/gi
const MENTION = /(?:^|\s)@(?:"([^"\n]*)"|([^\s"]+))/g

/** The Markdown files that a text names, such as the prompt of a sub-agent, as absolute paths: any may be a step. */
export const filesNamedIn = (text: string, from: From): readonly string[] =>
  absolute(markdownNamedIn(text), from)

/** The Markdown files that a prompt mentions with `@`, which clients attach without using a tool. */
export const mentionsIn = (prompt: string, from: From): readonly string[] =>
  absolute(
    [...prompt.matchAll(MENTION)].flatMap(([, quoted, plain]) => markdownIn(quoted ?? plain ?? '')),
    from,
  )

/** The Markdown files that a text names, as it writes them. */
export const markdownNamedIn = (text: string): readonly string[] =>
  [...text.matchAll(PATH)].flatMap(([word]) => markdownIn(word))

function absolute(found: readonly string[], { cwd, home }: From): readonly string[] {
  const paths = new Set<string>()
  for (const path of found) {
    const whole = absolutePath(path.startsWith('~/') ? `${home ?? '~'}${path.slice(1)}` : path, cwd)
    if (whole !== undefined) paths.add(whole)
    if (paths.size === MOST) break
  }
  return [...paths]
}

/** A path without what ends a sentence or names a line of the file; nothing where it is not Markdown. */
function markdownIn(word: string): readonly string[] {
  if (word.length > LONGEST) return []
  const end = [...word.matchAll(ENDING)].at(-1)?.index ?? 0
  return end > 0 ? [word.slice(0, end + 3)] : []
}
