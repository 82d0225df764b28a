import type { SkillSource } from './notations/frontend.ts'

/** A path that the text of a skill names. */
export interface Mention {
  /** As written, without an anchor. */
  readonly path: string
  readonly line: number
  readonly column: number
  readonly how: 'link' | 'code' | 'text' | 'command'
  /** What surrounds it, for words that say what the file is. */
  readonly before: string
  readonly after: string
}

type Body = Pick<SkillSource, 'main' | 'frontmatter' | 'blocks'>

/** Longer lines are not written by hand, so they are skipped. */
const LONGEST_LINE = 20_000
const ROOM = 120

const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g
/** A link with its target, which may have angle brackets and a title. */
const LINK = /\]\(\s*(?:<([^<>\n]+)>|([^()\s<>]+(?:\([^()\s]*\)[^()\s]*)*))(?:\s+["'][^"'\n]*["'])?\s*\)/g
const DEFINITION = /^\s{0,3}\[[^\]\n]+\]:\s+(?:<([^<>\n]+)>|(\S+))/
/** Any run of characters that paths and their placeholders consist of, so that none is cut in two. */
const TOKEN = /[A-Za-z0-9_./@~$<>{}*%+\-:=#\\|[\]…]+/g
/** A file without a folder. */
const NAME = /^\w[\w.-]*\.[a-z]{2,8}$/i

/** Every path in lines that are worth reading, of a body and of the commands in its code, in order; nothing is known about their files. */
export function findMentions(
  { main, frontmatter, blocks }: Body,
  isWorthReading: (line: string) => boolean,
): readonly Mention[] {
  const fences = fencesOf(blocks)
  const mentions: Mention[] = []
  const last = Math.min(main.lines.length, frontmatter.bodyEnd)
  for (let index = 0; index < last; index++) {
    const text = main.lines[index] ?? ''
    if (text.length > LONGEST_LINE || !isWorthReading(text)) continue
    const language = index < frontmatter.bodyLine ? 'yaml' : fences.get(index + 1)
    const found = language === undefined ? inProse(text) : inCode(text, language)
    for (const { path, at, how } of found)
      mentions.push({
        path,
        line: index + 1,
        column: at + 1,
        how,
        before: `${main.lines[index - 1] ?? ''}\n${text.slice(0, at)}`.slice(-ROOM),
        after: text.slice(at + path.length, at + path.length + ROOM),
      })
  }
  return mentions
}

type Found = Pick<Mention, 'path' | 'how'> & { readonly at: number }

function inProse(text: string): readonly Found[] {
  const codes = [...text.matchAll(CODE)].map(({ index, 0: whole }) => ({
    from: index,
    to: index + whole.length,
  }))
  const isCode = (at: number) => codes.some(({ from, to }) => at > from && at < to)
  const definition = DEFINITION.exec(text)
  const links = [...text.matchAll(LINK), ...(definition === null ? [] : [definition])]
    .filter(({ index }) => !isCode(index))
    .map((match) => ({ match, path: withoutAnchor(match[1] ?? match[2] ?? '') }))
    .map(({ match, path }) => ({ path, at: match.index + match[0].indexOf(path), how: 'link' as const }))
  const isLink = (at: number) => links.some((link) => at >= link.at && at < link.at + link.path.length)
  const others = tokensOf(text, (path) => path.includes('/') || NAME.test(path))
    .filter(({ at }) => !isLink(at))
    .map((one) => ({ ...one, how: isCode(one.at) ? ('code' as const) : ('text' as const) }))
  // A path with a link of its own is named by that link.
  const linked = new Set(links.map(({ path }) => path))
  return [...links, ...others.filter(({ path }) => !linked.has(path))].toSorted((a, b) => a.at - b.at)
}

/** What a command runs or reads. */
const COMMANDS = new Set([
  '',
  'bash',
  'sh',
  'shell',
  'zsh',
  'console',
  'shell-session',
  'json',
  'yaml',
  'yml',
])

const inCode = (text: string, language: string): readonly Found[] =>
  COMMANDS.has(language)
    ? tokensOf(text, (path) => path.includes('/')).map((one) => ({ ...one, how: 'command' as const }))
    : []

const tokensOf = (text: string, isPath: (token: string) => boolean): readonly Omit<Found, 'how'>[] =>
  [...text.matchAll(TOKEN)].flatMap(({ 0: token, index }) => {
    // A client loads the file after @ with the text.
    const at = token.startsWith('@') ? 1 : 0
    const path = withoutAnchor(token.slice(at).replace(/[.:…]+$/, ''))
    return isPath(path) ? [{ path, at: index + at }] : []
  })

const withoutAnchor = (path: string): string => path.replace(/[#?].*$/, '').replace(/:\d+(-\d+)?$/, '')

/** The language of each line that is code. */
function fencesOf(blocks: SkillSource['blocks']): ReadonlyMap<number, string> {
  const fences = new Map<number, string>()
  for (const block of blocks) {
    if (block.kind !== 'fence') continue
    const length = block.content.split('\n').length
    for (let line = block.line; line <= block.line + length; line++) fences.set(line, block.language)
  }
  return fences
}
