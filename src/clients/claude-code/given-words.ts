import type { ToolAction } from '../../model/event.ts'
import { shellWord } from '../../model/shell/word.ts'
import { keptText } from '../../model/text/kept.ts'
import { pathOfAddress } from '../../model/text/path.ts'
import { type Fields, isFields } from './fields.ts'

/** Fields for people, which may name a file without meaning its text. */
const PROSE =
  /^(?:body|text|message|title|description|comment|summary|prompt|content|note|reason|thought|label)s?$/i
const DEEPEST = 20

/** A tool that nothing is known of counts as a program that is given every path in its input. */
export function givenTo(tool: string, input: Fields): ToolAction {
  const words = wordsIn(input, 0).flatMap((word) => localIn(word))
  if (words.length === 0) return { kind: 'other' }
  const line = [tool, ...words.map(shellWord)].join(' ')
  return { kind: 'command', command: keptText(line, Infinity) }
}

/** The texts in fields, lists and objects, in order. */
export function wordsIn(value: unknown, depth: number): readonly string[] {
  if (typeof value === 'string') return [value]
  // What is deeper is not taken apart.
  if (depth > DEEPEST) return [JSON.stringify(value) ?? '']
  if (Array.isArray(value)) return value.flatMap((one) => wordsIn(one, depth + 1))
  if (!isFields(value)) return []
  return Object.entries(value).flatMap(([field, one]) => (PROSE.test(field) ? [] : wordsIn(one, depth + 1)))
}

/** A word that may name a file here. */
function localIn(word: string): readonly string[] {
  if (!/\/|\.md/i.test(word)) return []
  if (!/^[a-z][\w+.-]*:\/\//i.test(word)) return [word]
  return [pathOfAddress(word) ?? []].flat()
}
