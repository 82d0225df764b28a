import type { Hand } from '../../model/client.ts'
import { fieldsOf, textOf } from './fields.ts'

const KIND = 'general-purpose'

/** The tools and fields of this client, as captured. */
export const hand: Hand = {
  read: (file, from, to) => ({
    name: 'Read',
    input: {
      file_path: file,
      ...(from > 1 && { offset: from }),
      ...(to < Infinity && { limit: to - from + 1 }),
    },
  }),
  shown: (file, content, from) => ({ type: 'text', file: { filePath: file, content, startLine: from } }),
  write: (file, content) => ({ name: 'Write', input: { file_path: file, content } }),
  shell: (command) => ({ name: 'Bash', input: { command } }),
  todos: (items) => ({
    name: 'TodoWrite',
    input: { todos: items.map((content) => ({ content, status: 'pending' })) },
  }),
  call: (skill, args) => ({ name: 'Skill', input: { skill, args } }),
  give: (prompt) => ({ name: 'Agent', input: { description: 'work', prompt, subagent_type: KIND } }),
  given: (agent) => ({ status: 'completed', agentId: agent }),
  inside: (agent) => ({ agent_id: agent, agent_type: KIND }),
  failed: { error: 'It could not be done.' },
  environment: (session) => ({ CLAUDE_CODE_SESSION_ID: session }),
  heard(reply) {
    const { decision, reason, hookSpecificOutput } = fieldsOf(reply)
    const said = fieldsOf(hookSpecificOutput)
    const isRefused = said['permissionDecision'] === 'deny' || decision === 'block'
    return {
      // If the client asks its user, the user says yes.
      refusal: isRefused ? (textOf(said['permissionDecisionReason']) ?? textOf(reason) ?? '') : undefined,
      context: textOf(said['additionalContext']) ?? '',
    }
  },
}
