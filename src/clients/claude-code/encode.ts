import type { Honours } from '../../model/client.ts'
import type { Decision } from '../../model/decision.ts'
import type { HookEvent } from '../../model/event.ts'
import { cutTo } from '../../model/text/kept.ts'

/** The client moves longer output to a file, and the agent reads only its beginning. */
const LONGEST_OUTPUT = 10_000

/** Where in a reply the client looks for a refusal. */
type Form = 'permissionDecision' | 'decision' | 'behavior' | 'action' | 'end'

interface Row extends Honours {
  readonly form?: Form | undefined
}

const ALLOW = ['allow'] as const
const BOTH = ['allow', 'block'] as const

/** By default a row honors nothing. */
const row = (kind: HookEvent['kind'], honours: Partial<Omit<Row, 'kind'>> = {}): Row => ({
  kind,
  context: [],
  notice: [],
  ...honours,
})

const DROPPED = 'the prompt is dropped; the user reads the reason'
const REFUSED = 'the call is refused; the agent reads the reason'
const TOO_LATE = 'the call has happened; the agent reads the reason'
const ENDS = 'the turn ends; the user reads the reason'
const GOES_ON = 'the agent continues, with the reason as its next instruction'
const NOT_ADDED = 'the item is not added; the agent reads the reason'
const STAYS_OPEN = 'the item stays open; the agent reads the reason'

/** Every event of the client, and what it honors; one misplaced field makes it discard the whole reply. */
export const EVENTS: ReadonlyMap<string, Row> = new Map([
  ['SessionStart', row('session.started', { context: ALLOW, notice: ALLOW })],
  ['SessionEnd', row('session.ended')],
  [
    'UserPromptSubmit',
    row('prompt.submitted', { form: 'decision', block: DROPPED, context: ALLOW, notice: ALLOW }),
  ],
  [
    'UserPromptExpansion',
    row('prompt.expanded', { form: 'decision', block: DROPPED, context: ALLOW, notice: ALLOW }),
  ],
  [
    'PreToolUse',
    row('tool.before', { form: 'permissionDecision', block: REFUSED, context: BOTH, notice: BOTH }),
  ],
  ['PostToolUse', row('tool.after', { form: 'decision', block: TOO_LATE, context: BOTH, notice: BOTH })],
  ['PostToolUseFailure', row('tool.failed', { context: ALLOW, notice: ALLOW })],
  ['PostToolBatch', row('tool.batch', { form: 'end', block: ENDS, context: ALLOW, notice: BOTH })],
  ['PermissionRequest', row('permission.requested', { form: 'behavior', block: REFUSED })],
  ['PermissionDenied', row('permission.denied')],
  ['SubagentStart', row('subagent.started', { context: ALLOW })],
  // A context keeps an agent from stopping, so only a refusal may carry one.
  ['SubagentStop', row('subagent.stopped', { form: 'decision', block: GOES_ON, context: ['block'] })],
  ['Stop', row('turn.stopped', { form: 'decision', block: GOES_ON, context: ['block'], notice: BOTH })],
  ['StopFailure', row('turn.failed')],
  // Any other reply becomes part of the instructions for the summary.
  ['PreCompact', row('compact.before', { form: 'decision', block: 'nothing is compacted' })],
  ['PostCompact', row('compact.after')],
  ['Notification', row('notification')],
  ['MessageDisplay', row('message.shown')],
  ['InstructionsLoaded', row('instructions.loaded')],
  ['TaskCreated', row('todo.created', { form: 'decision', block: NOT_ADDED })],
  ['TaskCompleted', row('todo.completed', { form: 'decision', block: STAYS_OPEN })],
  // Only an exit code keeps a teammate working; JSON can only stop it.
  ['TeammateIdle', row('teammate.idle')],
  ['ConfigChange', row('config.changed', { form: 'decision', block: 'the change is not applied' })],
  ['CwdChanged', row('cwd.changed')],
  ['DirectoryAdded', row('folder.added')],
  ['FileChanged', row('file.changed')],
  // Never hooked: the hook would have to create the worktree, and an empty reply fails.
  ['WorktreeCreate', row('worktree.wanted')],
  ['WorktreeRemove', row('worktree.removed')],
  [
    'PreModelSwitch',
    row('model.switching', { form: 'permissionDecision', block: 'the model does not change' }),
  ],
  ['PostModelSwitch', row('model.switched', { context: ALLOW })],
  ['Elicitation', row('question.asked', { form: 'action', block: 'the question is declined' })],
  ['ElicitationResult', row('question.answered', { form: 'action', block: 'the answer is withheld' })],
  ['Setup', row('setup', { context: ALLOW })],
  // Not a hook: its reply is text for the screen.
  ['StatusLine', row('context.measured')],
])

/** Encodes a decision for the client; a reason that cannot refuse goes into the context or notice. */
export function encode(decision: Decision, event: HookEvent): unknown {
  if (saysNothing(decision)) return undefined
  const honours = event.kind === 'other' || event.name === undefined ? undefined : EVENTS.get(event.name)
  if (honours === undefined) return undefined

  const reason = decision.kind === 'allow' ? undefined : decision.reason
  const form = reason !== undefined && canBeRefused(event) ? honours.form : undefined
  const as = form === undefined ? 'allow' : 'block'
  const hasContext = honours.context.includes(as)
  // A reason without its own field goes where the agent or the user reads it.
  const homeless = form === undefined || form === 'end' ? reason : undefined
  const context = hasContext ? joined([homeless, ...decision.contexts]) : undefined
  const notice = honours.notice.includes(as)
    ? joined([hasContext ? undefined : homeless, decision.notice])
    : undefined

  const { top, specific } = refusal(form, cutTo(reason ?? '', LONGEST_OUTPUT), decision.kind === 'ask')
  const fields = { ...specific, ...(context !== undefined && { additionalContext: context }) }
  const reply = {
    ...top,
    ...(notice !== undefined && { systemMessage: notice }),
    ...(Object.keys(fields).length > 0 && { hookSpecificOutput: { hookEventName: event.name, ...fields } }),
  }
  return Object.keys(reply).length === 0 ? undefined : reply
}

const saysNothing = ({ kind, contexts, notice }: Decision): boolean =>
  kind === 'allow' && contexts.length === 0 && notice === undefined

/** Settings of the organization cannot be refused. */
const canBeRefused = (event: HookEvent): boolean =>
  event.kind !== 'config.changed' || event.source !== 'policy_settings'

/** Only a tool call can be put to the user; elsewhere a question is a refusal. */
function refusal(
  form: Form | undefined,
  reason: string,
  isQuestion: boolean,
): { top?: object; specific?: object } {
  switch (form) {
    case 'permissionDecision':
      return {
        specific: {
          permissionDecision: isQuestion ? 'ask' : 'deny',
          permissionDecisionReason: reason,
        },
      }
    case 'decision':
    case 'end':
      return { top: { decision: 'block', reason } }
    case 'behavior':
      return { specific: { decision: { behavior: 'deny', message: reason } } }
    case 'action':
      return { specific: { action: 'decline' } }
    case undefined:
      return {}
  }
}

function joined(texts: readonly (string | undefined)[]): string | undefined {
  const said = texts.filter((text) => text !== undefined && text !== '')
  return said.length === 0 ? undefined : cutTo(said.join('\n\n'), LONGEST_OUTPUT)
}
