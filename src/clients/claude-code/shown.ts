import { type Fields, fieldsOf, isFields, listOf, LONGEST_TEXT } from './fields.ts'

/** The text of a tool's response that the model reads; undefined if its form is unknown. */
export function shownIn(response: unknown): string | undefined {
  if (!isFields(response)) return textIn(response)
  const { stdout, stderr } = response
  if (typeof stdout === 'string')
    return isKeptInFile(response)
      ? cut(stdout.slice(0, PREVIEW))
      : cut(typeof stderr === 'string' ? `${stdout}\n${stderr}` : stdout)
  return textIn(fieldsOf(response['file'])['content']) ?? textIn(response['content']) ?? listed(response)
}

/** Of an output that is too large, the model reads only the beginning. */
const PREVIEW = 2000
const isKeptInFile = ({ persistedOutputPath: path }: Fields): boolean => path !== undefined

/** No NUL reaches an event, because PostgreSQL stores none. */
const cut = (text: string): string => text.slice(0, LONGEST_TEXT).replaceAll('\0', '')

/** A text, or the blocks of an MCP server. */
function textIn(value: unknown): string | undefined {
  if (typeof value === 'string') return cut(value)
  if (!Array.isArray(value)) return undefined
  const texts = value.map((block) => fieldsOf(block)['text']).filter((text) => typeof text === 'string')
  return cut(texts.join('\n'))
}

/** A search that names files shows nothing of them. */
const listed = ({ filenames }: Fields): string | undefined =>
  Array.isArray(filenames) ? cut(listOf(filenames).join('\n')) : undefined
