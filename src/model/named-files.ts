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
const MENTION = /(?:^|\s)@(?:"([^"\n]*)"|([^\s"]+))/g

/** The Markdown files that a text names, such as the prompt of a sub-agent, as absolute paths: any may be a step. */
export const filesNamedIn = (text: string, from: From): readonly string[] =>
  markdownIn(text.matchAll(PATH), from)

/** The Markdown files that a prompt mentions with `@`, which clients attach without using a tool. */
export const mentionsIn = (prompt: string, from: From): readonly string[] =>
  markdownIn(prompt.matchAll(MENTION), from)

function markdownIn(found: Iterable<RegExpExecArray>, { cwd, home }: From): readonly string[] {
  const paths = new Set<string>()
  for (const [whole, quoted, plain] of found) {
    const path = trimmed(quoted ?? plain ?? whole)
    if (path === undefined) continue
    const absolute = absolutePath(path.startsWith('~/') ? `${home ?? '~'}${path.slice(1)}` : path, cwd)
    if (absolute !== undefined) paths.add(absolute)
    if (paths.size === MOST) break
  }
  return [...paths]
}

/** A path without what ends a sentence or names a line of the file; nothing where it is not Markdown. */
function trimmed(text: string): string | undefined {
  if (text.length > LONGEST) return undefined
  const end = text.toLowerCase().lastIndexOf('.md')
  return end > 0 && /^(?:[.,;:!?)\]}]+|[#:]\S*)?$/.test(text.slice(end + 3))
    ? text.slice(0, end + 3)
    : undefined
}
