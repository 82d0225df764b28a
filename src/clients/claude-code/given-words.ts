import type { ToolAction } from '../../model/event.ts'
import { shellWord } from '../../model/shell/word.ts'
import { keptText } from '../../model/text/kept.ts'
import { pathOfAddress } from '../../model/text/path.ts'
import { type Fields, isFields } from './fields.ts'

/** Fields for people, which may name a file without meaning its text. */
const PROSE =
  /^(?:body|text|message|title|description|comment|summary|prompt|content|note|reason|thought|label)s?$/i

/** A tool that nothing is known of counts as a program that is given every path in its input. */
export function givenTo(tool: string, input: Fields): ToolAction {
  const words = wordsIn(input).flatMap((word) => localIn(word))
  if (words.length === 0) return { kind: 'other' }
  const line = [tool, ...words.map(shellWord)].join(' ')
  return { kind: 'command', command: keptText(line, Infinity) }
}

/** The texts in fields, lists and objects, in order; without recursion, because nothing limits how deep they are. */
export function wordsIn(input: unknown): readonly string[] {
  const found: string[] = []
  const open: unknown[] = [input]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string') found.push(value)
    // One by one, because a spread of a long list overflows the stack.
    else if (Array.isArray(value)) for (const one of value.toReversed()) open.push(one)
    else if (isFields(value))
      for (const [field, one] of Object.entries(value).toReversed())
        open.push(PROSE.test(field) && typeof one === 'string' ? meantIn(one) : one)
  }
  return found
}

/** Code quotes the files that it opens, and a mention attaches its file. */
const meantIn = (text: string): readonly string[] =>
  [...text.matchAll(/(["'])([^"'\s]+)\1|@([^\s"']+)/g)].flatMap(
    ([, , quoted, mentioned]) => quoted ?? mentioned ?? [],
  )

/** A word that may name a file here. */
function localIn(word: string): readonly string[] {
  if (!/\/|\.md/i.test(word)) return []
  if (/^https?:\/\//i.test(word)) return []
  return [pathOfAddress(word) ?? word]
}
