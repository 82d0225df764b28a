import { DIRECTIVES, skillNamed, type Tool } from '../scene.ts'
import { heardTodos, lacksTodos } from './commands.ts'
import { answered, forkSkill, handOver, refusedToHand } from './delegations.ts'
import { commandOf } from './moves.ts'
import { refusedToRead, wasRead } from './reading.ts'
import { callSkill } from './skills.ts'
import { type Client, type Decision, type Effort, type Moment, refuseCall, say } from './state.ts'
import { atWork, heard } from './windows.ts'

const [REMIND_AFTER, REFUSE_AFTER] = [3, 10]
const MARKS = [80, 73]

/** A call is judged before it begins. */
export function beforeTool(moment: Moment, client: Client, id: string, tool: Tool): Decision {
  const window = atWork(moment, client)
  const { calls, effort, isReminded } = window
  // All rules use the state before the event.
  const isWatched = effort?.active === true && effort.skill.heartbeat === true
  window.calls++
  client.underWay.add(id)
  const refused = tool.kind === 'read' ? refusedToRead(client, tool.files) : refusedToHand(client, tool)
  if (refused !== undefined) return refuseCall(moment, client, id, refused)
  if (tool.kind === 'todos' && lacksTodos(client, tool.items))
    return refuseCall(moment, client, id, 'tool.refused todo-check')
  const skill = tool.kind === 'skill' ? skillNamed(tool.name) : undefined
  // A refused call starts no sub-agent.
  const isRefused = isWatched && calls >= REFUSE_AFTER
  if (skill?.forks === true) {
    if (!isRefused) forkSkill(moment, client, skill, id, '')
  } else if (skill !== undefined) callSkill(moment, client, skill, { words: '', by: 'agent' })
  if (isWatched && !['todos', 'ours', 'command'].includes(tool.kind)) {
    if (calls >= REFUSE_AFTER) return refuseCall(moment, client, id, 'tool.refused heartbeat')
    if (calls >= REMIND_AFTER && !isReminded) return remind(moment, client, id, { tool, effort })
  }
  return allowTool(moment, client, id, tool)
}

/** A call that another rule refuses, or that begins other work, leaves the reminder to a later one. */
function remind(
  moment: Moment,
  client: Client,
  id: string,
  { tool, effort }: { readonly tool: Tool; readonly effort: Effort },
): Decision {
  moment.warnings.push('heartbeat')
  const decision = allowTool(moment, client, id, tool)
  const { window } = client
  if (window !== undefined && window.effort === effort && decision === 'allow') window.isReminded = true
  return decision
}

function allowTool(moment: Moment, client: Client, id: string, tool: Tool): Decision {
  if (tool.kind === 'work') return workIn(moment, client, id, tool)
  if (tool.kind === 'command') return commandOf(moment, client, id, tool.move)
  if (tool.kind === 'agent') handOver(moment, client, id, tool)
  return 'allow'
}

/** Directives are sent once; a write before a required one is read is refused once. */
function workIn(
  moment: Moment,
  client: Client,
  id: string,
  { by, folder }: Extract<Tool, { kind: 'work' }>,
): Decision {
  const known = client.window?.directives
  if (by === 'directive' || known?.get(folder) === 'told') return 'allow'
  if (by === 'Edit' && DIRECTIVES[folder].isHard && known?.get(folder) === undefined) {
    known?.set(folder, 'refused')
    return refuseCall(moment, client, id, 'tool.refused directive-gate')
  }
  known?.set(folder, 'told')
  moment.warnings.push('directive')
  return 'allow'
}

/** What a call has shown. */
export function afterTool(moment: Moment, client: Client, id: string, tool: Tool): void {
  if (!heard(moment, client)) return
  client.underWay.delete(id)
  if (tool.kind === 'read') wasRead(moment, client, tool)
  if (tool.kind === 'todos') heardTodos(moment, client, tool.items)
  if (tool.kind === 'agent') answered(moment, client, id, tool.isBehind)
  if (tool.kind === 'work' && tool.by === 'directive') client.window?.directives.set(tool.folder, 'told')
  warn(moment, client)
}

function warn(moment: Moment, { window }: Client): void {
  if (window === undefined) return
  const mark = MARKS.find((one) => window.usage >= one) ?? 0
  if (mark > window.told) {
    say(moment, `context.warned ${mark}`)
    moment.warnings.push('context')
  }
  window.told = mark
}

/** What a user types. */
export function promptOf(moment: Moment, client: Client, text: string): void {
  atWork(moment, client)
  const [, name = '', words = ''] = /^\/(\w+)(?: -(?=\s))?\s*(.*)$/s.exec(text) ?? []
  const skill = skillNamed(name)
  const isQuick = /^\/\w+ -\s/.test(text)
  if (skill?.forks === true) forkSkill(moment, client, skill, moment.prompt, isQuick ? `- ${words}` : words)
  else if (skill !== undefined)
    callSkill(moment, client, skill, { words, by: 'user', mode: isQuick ? 'quick' : 'full' })
  warn(moment, client)
}
