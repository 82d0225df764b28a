import { EngineError } from '../../model/error.ts'
import type { Command } from './command.ts'

const DESCRIBE = 'holdfast rpc --describe '

/** Rewrites an error with the flags, arguments and help of the command; a hint of flags becomes a whole command. */
export function inWordsOf(command: Command, error: unknown): unknown {
  if (!(error instanceof EngineError)) return error
  const { hint, field, message } = error
  if (error.code === 'not-found' && hint === undefined)
    return new EngineError('not-found', message, {
      cause: error,
      hint: `holdfast ${command.name} --help`,
      ...(field !== undefined && { field }),
    })
  if (error.code !== 'invalid') return error
  if (hint?.startsWith('--') === true)
    return new EngineError('invalid', message, { cause: error, hint: `holdfast ${command.name} ${hint}` })
  const method = hint?.startsWith(DESCRIBE) === true ? hint.slice(DESCRIBE.length) : undefined
  // Callers of `rpc` use the names of the method.
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

/** Parameters that commands call TEXT. */
const TEXTS = new Set(['content', 'resolution'])

/** The name that a command gives to a parameter of its method. */
function typedAs({ flags, usage }: Command, field: string): string {
  const names = [field, field.replace(/_id$/, ''), ...(field === 'user_approved' ? ['reason'] : [])]
  const flag = names.find((name) => Object.hasOwn(flags, name))
  if (flag !== undefined) return `--${flag.replaceAll('_', '-')}`
  const places = usage.split(/[ |[\]]/)
  const place = names.map((name) => name.toUpperCase()).find((name) => places.includes(name))
  return place ?? (TEXTS.has(field) && places.includes('TEXT') ? 'TEXT' : field)
}
