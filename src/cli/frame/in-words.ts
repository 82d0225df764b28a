import { EngineError } from '../../model/error.ts'
import type { Command } from './command.ts'

const DESCRIBE = 'holdfast rpc --describe '

/** What is wrong with what was typed, in the words of its command: the flags and places that it has, and its own help. */
export function inWordsOf(command: Command, error: unknown): unknown {
  if (!(error instanceof EngineError) || error.code !== 'invalid') return error
  const { hint, field, message } = error
  const method = hint?.startsWith(DESCRIBE) === true ? hint.slice(DESCRIBE.length) : undefined
  // Who calls methods knows them by their own names.
  if (command.name === 'rpc' ? hint !== undefined : hint !== undefined && method === undefined) return error
  const said = method === undefined ? message : message.replace(`${method}: `, '')
  const isNamed = field !== undefined && said.startsWith(`${field} `)
  return new EngineError(
    'invalid',
    isNamed ? `${typedAs(command, field)}${said.slice(field.length)}` : said,
    {
      cause: error,
      hint: `holdfast ${command.name} --help`,
      ...(field !== undefined && { field }),
    },
  )
}

/** What commands call TEXT, whatever it is the text of. */
const TEXTS = new Set(['content', 'resolution'])

/** How a command calls a parameter of the method that it is made with. */
function typedAs({ flags, usage }: Command, field: string): string {
  const names = [field, field.replace(/_id$/, ''), ...(field === 'user_approved' ? ['reason'] : [])]
  const flag = names.find((name) => Object.hasOwn(flags, name))
  if (flag !== undefined) return `--${flag.replaceAll('_', '-')}`
  const places = usage.split(/[ |[\]]/)
  const place = names.map((name) => name.toUpperCase()).find((name) => places.includes(name))
  return place ?? (TEXTS.has(field) && places.includes('TEXT') ? 'TEXT' : field)
}
