import type { Handler } from '../../model/client-settings.ts'
import type { Canary } from '../../model/client.ts'
import { valueAt } from '../json-text.ts'
import { fieldsOf } from './fields.ts'
import { isGuard, isOurs, wayOf } from './handlers.ts'
import { checked, isBlank, type Placed, placedIn } from './settings-text.ts'

/** The field that the matcher of an event tests; other events ignore their matcher. */
const MATCHED: Readonly<Record<string, string>> = {
  SessionStart: 'source',
  UserPromptExpansion: 'command_name',
  PreToolUse: 'tool_name',
  PostToolUse: 'tool_name',
  PostToolUseFailure: 'tool_name',
  PermissionDenied: 'tool_name',
  StopFailure: 'error',
  SubagentStop: 'agent_type',
  PreCompact: 'trigger',
  SessionEnd: 'reason',
}

/** Events that ignore http hooks silently. */
const COMMANDS_ONLY: ReadonlySet<string> = new Set(['SessionStart', 'Setup'])

/** Whether an event calls only command hooks. */
export const isCommandsOnly = (event: string): boolean => COMMANDS_ONLY.has(event)

/** Whether an event uses its matcher. */
export const isMatched = (event: string): boolean => Object.hasOwn(MATCHED, event)

/** Our handlers in settings. */
export function oursIn(text: string): readonly Placed[] {
  if (isBlank(text)) return []
  return placedIn(valueAt(checked(text), ['hooks'])).filter(({ handler }) => isOurs(handler))
}

/** Our handlers that the client calls for an event. */
export function called(text: string, { event, payload }: Canary): readonly Handler[] {
  return oursIn(text)
    .filter((placed) => isCalledFor(placed, { event, payload }))
    .flatMap(({ handler }) => handlerOf(handler))
}

/** Whether the client calls a handler for an event. */
export const isCalledFor = (placed: Placed, { event, payload }: Pick<Canary, 'event' | 'payload'>): boolean =>
  placed.event === event && isCalled(placed, fieldsOf(payload)[MATCHED[event] ?? ''])

const handlerOf = (handler: Placed['handler']): readonly Handler[] =>
  isGuard(handler)
    ? [{ way: { kind: 'command', command: String(handler['command']) }, isGuard: true }]
    : wayOf(handler).map((way) => ({ way, isGuard: false }))

const isCalled = ({ event, matcher, handler }: Placed, value: unknown): boolean =>
  !(handler['type'] === 'http' && isCommandsOnly(event)) &&
  handler['if'] === undefined &&
  (!isMatched(event) || fits(matcher, String(value)))

/** A matcher is a list of exact names, or else a regular expression. */
export function fits(matcher: unknown, value: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true
  if (typeof matcher !== 'string') return false
  if (/^[\w\- ,|]+$/.test(matcher))
    return matcher
      .split(/[|,]/)
      .some((name) => name.trim() === value || (name.trim() === 'Task' && value === 'Agent'))
  try {
    return new RegExp(matcher).test(value)
  } catch {
    return false
  }
}
