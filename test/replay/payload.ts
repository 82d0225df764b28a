import { join } from 'node:path'
import { type Deed, pathOf, type SkillFile, type Tool } from './scene.ts'

/** What Claude Code would send for a deed; nothing for what an agent does by our own commands. */
export function payloadOf(
  { session, act }: Deed,
  project: string,
): Readonly<Record<string, unknown>> | undefined {
  const about = { session_id: session, cwd: project }
  const event = (name: string, more: object = {}) => ({ ...about, hook_event_name: name, ...more })
  switch (act.kind) {
    case 'start':
      return event('SessionStart', { source: act.source })
    case 'prompt':
      return event('UserPromptSubmit', { prompt: act.text })
    case 'before':
      return event('PreToolUse', callOf(act, project))
    case 'after':
      return event('PostToolUse', { ...callOf(act, project), tool_response: {} })
    case 'failed':
      return event('PostToolUseFailure', { ...callOf(act, project), error: 'It failed.' })
    case 'sub':
      return event(act.event, {
        agent_id: 'a1',
        agent_type: 'helper',
        ...(act.event.startsWith('Subagent')
          ? {}
          : callOf({ id: `sub-${session}`, tool: act.tool }, project)),
      })
    case 'compacting':
      return event('PreCompact', { trigger: 'auto' })
    case 'stop':
      return event('Stop', { stop_hook_active: false, last_assistant_message: act.words })
    case 'notification':
      return event('Notification', { notification_type: 'idle_prompt', message: 'Waiting.' })
    case 'end':
      return event('SessionEnd', { reason: act.reason })
    case 'usage':
      return { ...about, context_window: { used_percentage: act.percent, context_window_size: 200_000 } }
    case 'log':
    case 'finish':
      return undefined
    default:
      return act satisfies never
  }
}

const callOf = ({ id, tool }: { readonly id: string; readonly tool: Tool }, project: string) => ({
  tool_use_id: id,
  ...toolOf(tool, project),
})

const bash = (command: string) => ({ tool_name: 'Bash', tool_input: { command } })

function toolOf(tool: Tool, project: string): object {
  const full = ({ skill, file }: SkillFile) => join(project, pathOf(skill, file))
  switch (tool.kind) {
    case 'read':
      return reading(tool, tool.files.map(full))
    case 'hidden':
      return bash(`python3 -c "print(open('${full(tool.file)}').read())"`)
    case 'edit':
      return {
        tool_name: 'Edit',
        tool_input: { file_path: full(tool.file), old_string: 'a', new_string: 'b' },
      }
    case 'skill':
      return { tool_name: 'Skill', tool_input: { skill: tool.name } }
    case 'shell':
      return bash('ls -la')
    case 'agent':
      return { tool_name: 'Agent', tool_input: { prompt: 'Help.', subagent_type: 'helper' } }
    case 'todos':
      return { tool_name: 'TodoWrite', tool_input: { todos: [] } }
    case 'ours':
      return bash('holdfast log "went on"')
    default:
      return tool satisfies never
  }
}

function reading({ by }: Extract<Tool, { kind: 'read' }>, paths: readonly string[]): object {
  const words = paths.map((path) => `'${path}'`).join(' ')
  switch (by) {
    case 'Read':
      return { tool_name: 'Read', tool_input: { file_path: paths[0] } }
    case 'cat':
      return bash(`cat ${words}`)
    case 'head':
      return bash(`head -n 40 ${words}`)
    case 'sed':
      return bash(`sed -n '1,80p' ${words}`)
    case 'pipe':
      return bash(`cat ${words} | grep -n step | wc -l`)
    default:
      return by satisfies never
  }
}
