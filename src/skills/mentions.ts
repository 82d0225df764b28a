import type { SkillSource } from './notations/frontend.ts'
import { endOf } from './references.ts'

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

/** Code in a line, between any number of back-ticks. */
const CODE = /(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)/g
/** A link with its target, which may have angle brackets and a title. */
const LINK = /\]\(\s*(?:<([^<>\n]+)>|([^()\s<>]+(?:\([^()\s]*\)[^()\s]*)*))(?:\s+["'][^"'\n]*["'])?\s*\)/g
const DEFINITION = /^\s{0,3}\[[^\]\n]+\]:\s+(?:<([^<>\n]+)>|(\S+))/g
/** Any run of characters that paths and their placeholders consist of, so that none is cut in two. */
const TOKEN = /[A-Za-z0-9_./@~$<>{}*%+\-:=#\\|[\]…]+/g
/** A file without a folder. */
const NAME = /^\w[\w.-]*\.[a-z]{2,8}$/i

/** Tells which lines can name a file; most lines are skipped by it. */
export interface Hints {
  readonly prose: (line: string) => boolean
  readonly command: (line: string) => boolean
}

/** Every path in lines with a hint, of a body and of the commands in its code, in order; nothing is known about their files. */
export function findMentions({ main, frontmatter, blocks }: Body, hints: Hints): readonly Mention[] {
  const { lines } = main
  const fences = blocks.filter((block) => block.kind === 'fence')
  const mentions: Mention[] = []
  const last = Math.min(lines.length, frontmatter.bodyEnd)
  let [at, end] = [0, endOf(fences[0])]
  for (let index = 0; index < last; index++) {
    const line = index + 1
    while (end < line) end = endOf(fences[++at])
    const fence = fences[at]
    const isFenced = fence !== undefined && line >= fence.line
    if (isFenced && !COMMANDS.has(fence.language)) {
      index = end - 1
      continue
    }
    const isCode = isFenced || index < frontmatter.bodyLine
    const text = lines[index] ?? ''
    if (text.length > LONGEST_LINE || !(isCode ? hints.command : hints.prose)(text)) continue
    for (const found of isCode ? inCommand(text) : inProse(text))
      mentions.push({
        path: found.path,
        line,
        column: found.at + 1,
        how: found.how,
        before: `${lines[index - 1] ?? ''}\n${text.slice(0, found.at)}`.slice(-ROOM),
        after: text.slice(found.at + found.path.length, found.at + found.path.length + ROOM),
      })
  }
  return mentions
}

type Found = Pick<Mention, 'path' | 'how'> & { readonly at: number }

function inProse(text: string): readonly Found[] {
  const codes = allOf(text, CODE, '`').map(({ index, 0: whole }) => ({
    from: index,
    to: index + whole.length,
  }))
  const isCode = (at: number) => codes.some(({ from, to }) => at > from && at < to)
  const links = [...allOf(text, LINK, ']('), ...allOf(text, DEFINITION, ']:')]
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

const inCommand = (text: string): readonly Found[] =>
  tokensOf(text, (path) => path.includes('/')).map((one) => ({ ...one, how: 'command' as const }))

function tokensOf(text: string, isPath: (token: string) => boolean): readonly Omit<Found, 'how'>[] {
  const tokens: Omit<Found, 'how'>[] = []
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (!token.includes('/') && !token.includes('.')) continue
    // A client loads the file after @ with the text.
    const at = token.startsWith('@') ? 1 : 0
    const path = withoutAnchor(token.slice(at).replace(/[.:…]+$/, ''))
    if (isPath(path)) tokens.push({ path, at: index + at })
  }
  return tokens
}

/** All matches of a pattern that needs a certain string; looking for the string is cheaper. */
const allOf = (text: string, pattern: RegExp, needed: string): readonly RegExpExecArray[] =>
  text.includes(needed) ? [...text.matchAll(pattern)] : []

const withoutAnchor = (path: string): string => path.replace(/[#?].*$/, '').replace(/:\d+(-\d+)?$/, '')
