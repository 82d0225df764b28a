import { stripVTControlCharacters } from 'node:util'

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** The columns that a text takes in a terminal: wide characters take two, marks and colors none. */
export function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length
  let width = 0
  for (const char of stripVTControlCharacters(text))
    width += WIDE.test(char) ? 2 : /\p{Mn}|\p{Cf}/u.test(char) ? 0 : 1
  return width
}

/** Pads a text to a width. */
export const padTo = (text: string, width: number): string =>
  text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Wraps a text into lines of at most this width, without loss. */
export function wrap(text: string, width: number): readonly string[] {
  if (widthOf(text) <= width) return [text]
  const lines: string[] = []
  let line: string | undefined
  for (const word of text.split(' ')) {
    const [first = '', ...rest] = broken(word, width)
    const isJoined = line !== undefined && widthOf(line) + 1 + widthOf(first) <= width
    if (line !== undefined && !isJoined) lines.push(line.trimEnd())
    line = isJoined ? `${line} ${first}` : first
    for (const piece of rest) {
      lines.push(line)
      line = piece
    }
  }
  return [...lines, line ?? '']
}

// oxlint-disable-next-line no-control-regex -- colors begin with ESC
const COLOR = /(?:\u001B\[\d+m)?/.source
/** After these labels, a line is a command unless it begins a sentence. */
const LABELED =
  /(?<=^ *(?:fix|next|or|try|optional|to leave it out|[Ii]f it fails|only the user can run|Then|Now|Run this command): |Fix: )(?![A-Z][a-z]).+/
    .source
/** A word in quotes may have spaces, which a line break would change. */
const QUOTED = /'(?:[^']|'\\'')*'/.source
/** A command at the start of a line, after a colon or "run", or in parentheses ends with the line or with a punctuation mark. */
const COMMAND = `(?:(?<=^ *|(?<!^holdfast): |\\brun )${COLOR}|\\()(?:holdfast|'(?:[^']|'\\\\'')*/bin/holdfast'|/\\S*/bin/holdfast)(?: +(?:${QUOTED}|\\S*[^\\s.,;:?)]|\\.{1,2})(?= |$))+(?: +(?:${QUOTED}|\\S+))?`
const UNIT = new RegExp(`( *)(${LABELED}|${COMMAND}|\`[^\`]*\`\\S*|\\S+)`, 'g')

/** Wraps the lines of a text; a path or command that is too long stands on its own line, so that it can be copied. */
export const fit = (text: string, width: number): string =>
  text
    .split('\n')
    .map((line) => (widthOf(line) <= width ? line : folded(line, width)))
    .join('\n')

function folded(text: string, width: number): string {
  const indent = ' '.repeat(hangingIndent(text, width))
  const lines: string[] = []
  let line = ''
  for (const [gapAndUnit, , unit = ''] of text.matchAll(UNIT)) {
    const isFull = line.trim() !== '' && widthOf(line + gapAndUnit) > width
    if (isFull) lines.push(line)
    line = isFull ? indent + unit : line + gapAndUnit
  }
  return [...lines, line].join('\n')
}

/** Goes on below the last column of a line with columns, else two to the right. */
function hangingIndent(text: string, width: number): number {
  const column = widthOf(/^.*\S {2,}(?=\S)/.exec(text)?.[0] ?? '')
  return column > 0 && column <= width / 3 ? column : text.length - text.trimStart().length + 2
}

/** Breaks a long word, preferably after a slash or comma, so that paths and JSON stay readable. */
function broken(word: string, width: number): readonly string[] {
  const pieces: string[] = []
  let rest = word
  for (;;) {
    const most = fitting(rest, width)
    if (most === rest.length) return [...pieces, rest]
    const end = Math.max(rest.lastIndexOf('/', most - 1), rest.lastIndexOf(',', most - 1)) + 1
    const length = end > most / 2 ? end : most
    pieces.push(rest.slice(0, length))
    rest = rest.slice(length)
  }
}

/** How much of a text fits into a width; at least one character, so that the loop ends. */
function fitting(text: string, width: number): number {
  let [length, taken] = [0, 0]
  for (const char of text) {
    taken += widthOf(char)
    if (taken > width && length > 0) break
    length += char.length
  }
  return length
}

/** Cuts a text to a width, with an ellipsis. */
export const cutTo = (text: string, width: number): string =>
  widthOf(text) <= width ? text : `${text.slice(0, fitting(text, Math.max(1, width - 1)))}…`

/** Cuts the start of a text, because the end of a path says most. */
export const cutStart = (text: string, width: number): string => {
  if (widthOf(text) <= width) return text
  const backward = Array.from(text).toReversed().join('')
  const kept = backward.slice(0, fitting(backward, Math.max(1, width - 1)))
  return `…${Array.from(kept).toReversed().join('')}`
}
