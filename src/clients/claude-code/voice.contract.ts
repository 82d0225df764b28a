import type { Voice } from '../subject.contract.ts'

/** The payload fields of Claude Code, as captured. */
export const voice: Voice = {
  origin: (session, cwd) => ({ session_id: session, cwd }),
  started: { source: 'startup' },
  prompt: (text) => ({ prompt: text }),
  read: (file) => ({ tool_name: 'Read', tool_input: { file_path: file } }),
  plainRead: (file) => ({ name: 'Read', input: { file_path: file } }),
  call: (id) => ({ tool_use_id: id }),
  done: { tool_response: {} },
  environment: (session) => ({ CLAUDE_CODE_SESSION_ID: session }),
  settings:
    '{\n  "model": "opus",\n  "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}\n}\n',
  misread: ['{"hookSpecificOutput": {"hookEventName": "Other"}}'],
  skills: ['demo-skill', 'release-checklist'],
  // The client's own summarizer stops without a type.
  isOther: (payload) => (payload as { agent_type?: unknown }).agent_type === '',
  faults(reply, { name, decision, honours }) {
    const { hookSpecificOutput: specific, systemMessage, ...top } = (reply ?? {}) as Reply
    const refuses = specific?.permissionDecision === 'deny' || top.decision === 'block'
    const as = refuses ? 'block' : 'allow'
    return {
      'refuses an event that cannot be refused': refuses && honours?.block === undefined,
      'does not match the decision': refuses !== (decision === 'block' && honours?.block !== undefined),
      'names another event': specific !== undefined && specific.hookEventName !== name,
      'has a context that the client ignores':
        specific?.additionalContext !== undefined && honours?.context.includes(as) !== true,
      'has a notice that the client ignores':
        systemMessage !== undefined && honours?.notice.includes(as) !== true,
    }
  },
}

interface Reply {
  readonly decision?: string
  readonly systemMessage?: string
  readonly hookSpecificOutput?: {
    readonly hookEventName?: string
    readonly permissionDecision?: string
    readonly additionalContext?: string
  }
}
