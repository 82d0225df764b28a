import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser'
import { EngineError } from '../../model/error.ts'
import { valueAt } from '../json-text.ts'
import { type Fields, fieldsOf, isFields, listOf } from './fields.ts'

const MARK = '\u{feff}'

export const withoutMark = (text: string): string => (text.startsWith(MARK) ? text.slice(1) : text)

export const isBlank = (text: string): boolean => withoutMark(text).trim() === ''

/** Changes settings and keeps their byte order mark; blank settings count as `{}`. */
export function changed(text: string, change: (text: string) => string): string {
  const mark = text.startsWith(MARK) ? MARK : ''
  return mark + change(isBlank(text) ? '{}\n' : checked(text))
}

/** Returns settings without the byte order mark; throws if a change could break them. */
export function checked(text: string): string {
  const body = withoutMark(text)
  const whole = parsed(body)
  if (!isFields(whole)) throw notUnderstood('The file is not a JSON object')
  const { hooks, permissions, sandbox } = whole
  if (hooks !== undefined && !isFields(hooks)) throw notUnderstood('`hooks` is not an object')
  for (const [event, groups] of Object.entries(fieldsOf(hooks)))
    if (!Array.isArray(groups)) throw notUnderstood(`\`hooks.${event}\` is not a list`)
  if (permissions !== undefined && !isFields(permissions))
    throw notUnderstood('`permissions` is not an object')
  const allow = fieldsOf(permissions)['allow']
  if (allow !== undefined && !Array.isArray(allow)) throw notUnderstood('`permissions.allow` is not a list')
  checkSandbox(sandbox, fieldsOf(permissions)['deny'])
  return body
}

function checkSandbox(sandbox: unknown, deny: unknown): void {
  const { excludedCommands, filesystem } = fieldsOf(sandbox)
  const { denyRead, denyWrite } = fieldsOf(filesystem)
  for (const [name, value] of Object.entries({ sandbox, 'sandbox.filesystem': filesystem }))
    if (value !== undefined && !isFields(value)) throw notUnderstood(`\`${name}\` is not an object`)
  const lists = {
    'permissions.deny': deny,
    'sandbox.excludedCommands': excludedCommands,
    'sandbox.filesystem.denyRead': denyRead,
    'sandbox.filesystem.denyWrite': denyWrite,
  }
  for (const [name, value] of Object.entries(lists))
    if (value !== undefined && !Array.isArray(value)) throw notUnderstood(`\`${name}\` is not a list`)
}

export const eventsOf = (text: string): readonly string[] => Object.keys(fieldsOf(valueAt(text, ['hooks'])))

export const handlersOf = (group: unknown): readonly unknown[] => listOf(fieldsOf(group)['hooks'])

/** A handler with its event and matcher. */
export interface Placed {
  readonly event: string
  readonly matcher: unknown
  readonly handler: Fields
}

/** All handlers in a value of `hooks`. */
export const placedIn = (hooks: unknown): readonly Placed[] =>
  Object.entries(fieldsOf(hooks)).flatMap(([event, groups]) =>
    listOf(groups).flatMap((group) =>
      handlersOf(group).map((handler) => ({
        event,
        matcher: fieldsOf(group)['matcher'],
        handler: fieldsOf(handler),
      })),
    ),
  )

/** Accepts comments and trailing commas, because they belong to the user. */
function parsed(text: string): unknown {
  const errors: ParseError[] = []
  const value = shallow(() => parse(text, errors, { allowTrailingComma: true }) as unknown)
  const [first] = errors
  if (first === undefined) return value
  const lines = text.slice(0, first.offset).split('\n')
  const what = printParseErrorCode(first.error).replaceAll(
    /(?<=[a-z])[A-Z]/g,
    (letter) => ` ${letter.toLowerCase()}`,
  )
  throw notUnderstood(
    `The file is not valid JSON: line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}: ${what}`,
  )
}

/** The parser recurses, so deep nesting can exhaust the stack. */
function shallow<T>(work: () => T): T {
  try {
    return work()
  } catch {
    throw notUnderstood('The JSON is nested too deeply')
  }
}

/** Whether the client can read settings; it ignores a file that is not strict JSON. */
export function isStrict(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

const notUnderstood = (why: string): EngineError => new EngineError('invalid', `${why}.`)
