import type { Handler } from '../../model/client-settings.ts'
import type { Canary } from '../../model/client.ts'
import { valueAt } from '../json-text.ts'
import { fieldsOf } from './fields.ts'
import { isGuard, isOurs, wayOf } from './handlers.ts'
import { checked, isBlank, type Placed, placedIn } from './settings-text.ts'

/** The field of an event that a matcher is compared with; others ignore theirs. */
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

/** These take no http, and the client does not say so. */
const COMMANDS_ONLY: ReadonlySet<string> = new Set(['SessionStart', 'Setup'])

export const isCommandsOnly = (event: string): boolean => COMMANDS_ONLY.has(event)

export const isMatched = (event: string): boolean => Object.hasOwn(MATCHED, event)

/** Ours among what settings hold. */
export function oursIn(text: string): readonly Placed[] {
  if (isBlank(text)) return []
  return placedIn(valueAt(checked(text), ['hooks'])).filter(({ handler }) => isOurs(handler))
}

/** Those of our handlers that the client calls for an event. */
export function called(text: string, { event, payload }: Canary): readonly Handler[] {
  const value = fieldsOf(payload)[MATCHED[event] ?? '']
  return oursIn(text)
    .filter((placed) => placed.event === event && isCalled(placed, value))
    .flatMap(({ handler }) => handlerOf(handler))
}

const handlerOf = (handler: Placed['handler']): readonly Handler[] =>
  isGuard(handler)
    ? [{ way: { kind: 'command', command: String(handler['command']) }, isGuard: true }]
    : wayOf(handler).map((way) => ({ way, isGuard: false }))

const isCalled = ({ event, matcher, handler }: Placed, value: unknown): boolean =>
  !(handler['type'] === 'http' && isCommandsOnly(event)) &&
  handler['if'] === undefined &&
  (!isMatched(event) || fits(matcher, String(value)))

/** Exact names where it holds nothing else, a regular expression where it does. */
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
