import { CANARY_FILES, CANARY_PROJECT, CANARY_SKILL } from '../../model/canary.ts'
import type { Canary, Heard } from '../../model/client.ts'
import { EVENTS } from './encode.ts'
import { fieldsOf, isFields } from './fields.ts'

const first = { tool_name: 'Read', tool_input: { file_path: CANARY_FILES.first }, tool_use_id: 'canary' }
const agent = { agent_id: 'canary', agent_type: 'canary' }

type Row = readonly [event: string, wants: Canary['wants'], fields: object]

/** Every hooked event, as the client would report it for a session that uses the canary skill. */
const ROWS: readonly Row[] = [
  ['SessionStart', 'context', { source: 'compact' }],
  ['UserPromptSubmit', 'context', { prompt: `/${CANARY_SKILL}` }],
  [
    'UserPromptExpansion',
    'context',
    { expansion_type: 'slash_command', command_name: CANARY_SKILL, command_args: '' },
  ],
  ['PreToolUse', 'refusal', { ...first, tool_input: { file_path: CANARY_FILES.second } }],
  [
    'PreToolUse',
    'refusal',
    { ...first, tool_name: 'Bash', tool_input: { command: `cat ${CANARY_FILES.second}` } },
  ],
  ['PostToolUse', 'nothing', { ...first, tool_response: {} }],
  ['PostToolUseFailure', 'nothing', { ...first, error: 'canary' }],
  ['PermissionDenied', 'nothing', { ...first, reason: 'canary' }],
  ['Stop', 'nothing', { stop_hook_active: true, background_tasks: [] }],
  ['StopFailure', 'nothing', { error: 'unknown' }],
  ['SubagentStart', 'nothing', agent],
  ['SubagentStop', 'nothing', { ...agent, stop_hook_active: true }],
  ['PreCompact', 'nothing', { trigger: 'manual', custom_instructions: '' }],
  ['TaskCreated', 'nothing', { task_id: '1', task_subject: 'canary' }],
  ['TaskCompleted', 'nothing', { task_id: '1', task_subject: 'canary' }],
  ['ConfigChange', 'nothing', { source: 'skills', file_path: '/canary/SKILL.md' }],
  ['SessionEnd', 'nothing', { reason: 'other' }],
]

/** The test events of a session. */
export const canaries = (session: string): readonly Canary[] =>
  ROWS.map(([event, wants, fields]) => ({
    event,
    wants,
    payload: { session_id: session, cwd: CANARY_PROJECT, hook_event_name: event, ...fields },
  }))

/** What the client would read from a reply; one misplaced field makes it unreadable. */
export function heard(text: string, event: string): Heard {
  if (text.trim() === '') return 'nothing'
  const reply = parsed(text)
  if (reply === undefined) return 'unreadable'
  const { decision, reason, hookSpecificOutput } = reply
  const specific = fieldsOf(hookSpecificOutput)
  if (hookSpecificOutput !== undefined && specific['hookEventName'] !== event) return 'unreadable'
  const isRefused =
    EVENTS.get(event)?.form === 'permissionDecision'
      ? specific['permissionDecision'] === 'deny' && isSaid(specific['permissionDecisionReason'])
      : decision === 'block' && isSaid(reason)
  if (isRefused) return 'refusal'
  return isSaid(specific['additionalContext']) ? 'context' : 'nothing'
}

const isSaid = (text: unknown): boolean => typeof text === 'string' && text !== ''

function parsed(text: string) {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}
