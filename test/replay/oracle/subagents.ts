import { linesOf, PLACE, responseOf } from '../payload.ts'
import { type Act, isPlanned, skillNamed } from '../scene.ts'
import { endDelegations, forkSkill, wasShown } from './delegations.ts'
import { callSkill, finishEffort } from './skills.ts'
import { type Client, clientIn, type Decision, type Moment } from './state.ts'
import { isOver } from './steps.ts'
import { afterTool, beforeTool } from './tools.ts'
import { atWork, endWindow, startWindow } from './windows.ts'

/** A tool call of a sub-agent. */
type Call = Pick<Extract<Act, { kind: 'sub' }>, 'id' | 'tool'>

/** A sub-agent shows that its client lives, ends what it was given, and works in its scope if it has one. */
export function subagent(moment: Moment, client: Client, act: Extract<Act, { kind: 'sub' }>): Decision {
  const { event, agent, tool } = act
  if (client.window === undefined) return 'allow'
  client.window.heard = moment.at
  if (event === 'StopFailure') endDelegations(moment, client, (one) => one.agent === agent, 'failed')
  if (event === 'SubagentStop') {
    for (const one of client.handedOver) if (one.agent === undefined) one.stopped.add(agent)
    endDelegations(moment, client, (one) => one.agent === agent, 'ok')
  }
  if (event === 'PostToolUse' && tool.kind === 'read') wasShown(client, agent, tool)
  const name = `${client.name}/${agent}`
  const scope = client.project.clients.find((one) => one.name === name)
  const calls = event === 'PreToolUse' && tool.kind === 'skill' ? skillNamed(tool.name) : undefined
  const isBack = scope?.last?.effort?.active === true
  const isNew = event === 'SubagentStart' && scope?.window === undefined
  if (isNew && takeFork(moment, client, agent)) return 'allow'
  if (scope?.window !== undefined || isBack) return inScope(moment, scope, act)
  // Only a skill with steps needs a scope.
  if (calls === undefined || !isPlanned(calls)) return 'allow'
  if (calls.forks === true) {
    forkSkill(moment, client, calls, act.id, '')
    return 'allow'
  }
  return inScope(moment, scope ?? clientIn(client.project, name, client), act)
}

/** A new sub-agent takes the oldest call of its prompt, as its own call. */
function takeFork(moment: Moment, client: Client, agent: string): boolean {
  if (client.handedOver.some((one) => one.agent === agent)) return false
  const waiting = client.handedOver.find(
    (one) => one.fork?.prompt === moment.prompt && one.agent === undefined,
  )
  const skill = skillNamed(waiting?.skill ?? '')
  if (waiting?.fork === undefined || skill === undefined) return false
  waiting.agent = agent
  const scope = clientIn(client.project, `${client.name}/${agent}`, client)
  atWork(moment, scope)
  callSkill(moment, scope, skill, { words: waiting.fork.words.replace(/^- /, ''), by: 'user' })
  return true
}

/** In its scope, a sub-agent is what the main thread is in its window. */
function inScope(
  moment: Moment,
  scope: Client,
  { event, id, tool }: Extract<Act, { kind: 'sub' }>,
): Decision {
  switch (event) {
    case 'SubagentStart':
      if (scope.window === undefined) startWindow(moment, scope, 'resume')
      return 'allow'
    case 'PreToolUse': {
      const decision = beforeTool(moment, scope, id, tool)
      writeIn(moment, scope, { id, tool }, decision === 'block' ? 'refused' : undefined)
      return decision
    }
    case 'PostToolUse':
      afterTool(moment, scope, id, tool)
      writeIn(moment, scope, { id, tool }, JSON.stringify(responseOf({ id, tool })))
      return 'allow'
    case 'SubagentStop':
    case 'StopFailure':
      stopIn(moment, scope, event === 'SubagentStop')
      return 'allow'
    default:
      return event satisfies never
  }
}

/** A sub-agent that stops well has finished what it carried out. */
function stopIn(moment: Moment, scope: Client, isWell: boolean): void {
  if (scope.window === undefined) return
  scope.underWay.clear()
  const { effort } = scope.window
  if (isWell && effort?.active === true && isOver(effort)) finishEffort(moment, scope.project, effort)
  endWindow(moment, scope)
}

/** Only hooks report what a sub-agent does. */
function writeIn(moment: Moment, { window, script }: Client, call: Call, outcome?: string): void {
  if (window === undefined || outcome === undefined) return
  for (const line of linesOf({ kind: 'before', ...call }, false, PLACE).before) script.write(line, moment.at)
  script.tell({ kind: 'result', id: call.id, outcome }, moment.at)
}
