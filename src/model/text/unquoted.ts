import { linesOfText } from './prose.ts'

/** What stands for a character that is not the writer's own word; no white space, so that words do not fall apart. */
const HIDDEN = '\0'

/** Code spans and quotes that begin and end in one line; an apostrophe within a word begins none. */
const QUOTED = /(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)|(?<!\w)"[^"]*"|“[^“”]*”|(?<!\w)'[^']*'(?!\w)/g

/** The text with hidden code, quotes and quoted lines; every other character keeps its place. */
export function unquoted(text: string): string {
  const lines = [...linesOfText(text)].map(({ text: line, isCode }) =>
    isCode || /^\s*>/.test(line) ? hidden(line) : line.replaceAll(QUOTED, hidden),
  )
  return lines.join('\n')
}

const hidden = (text: string): string => text.replaceAll(/[^\r\n]/g, HIDDEN)
