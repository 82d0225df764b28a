/** A blank, `&&`, or a part of a word: in single quotes, in double quotes, after a backslash, or plain. */
const PART =
  /(\s+)|(&&)|'([^']*)'|"((?:[^"\\$`]|\\.)*)"|\\(.)|([^\s'"\\&|;<>()$`#*?[\]{}!]+|(?<=\S)[#*?[\]{}!]+)/sy

/**
 * The words of each command in a line as our texts tell it; undefined if it has more syntax than that. Only the shell
 * itself and a large parser read all of it.
 */
export function wordsIn(line: string): readonly (readonly string[])[] | undefined {
  const commands: string[][] = [[]]
  let isInWord = false
  PART.lastIndex = 0
  while (PART.lastIndex < line.length) {
    const found = PART.exec(line)
    if (found === null) return undefined
    const [, blank, and, single, double, escaped, plain] = found
    const words = commands.at(-1) ?? []
    if (and !== undefined) commands.push([])
    if (blank === undefined && and === undefined) {
      const part = single ?? double?.replaceAll(/\\(["\\$`])/g, '$1') ?? escaped ?? plain ?? ''
      if (isInWord) words.push(`${words.pop()}${part}`)
      else words.push(part)
    }
    isInWord = blank === undefined && and === undefined
  }
  return commands
}
