import { agentOf } from '../payload.ts'
import { shownBy, type Skill, type Tool } from '../scene.ts'
import { read } from '../trail.ts'
import { mayRead, visit } from './reading.ts'
import { type Client, type Effort, type HandedOver, type Moment, openSpans, say } from './state.ts'

/** Delegating a step starts it; each of several counts as done for the next. */
export function refusedToHand(client: Client, tool: Tool): string | undefined {
  if (tool.kind !== 'agent') return undefined
  const imagined = new Map<Effort, Effort>()
  for (const { skill, file } of tool.steps) {
    const effort = openSpans(client).find((span) => span.skill === skill)?.effort
    if (effort?.trail === undefined) continue
    const now = imagined.get(effort) ?? effort
    if (!mayRead(now, file) && effort.skill.numbered !== true)
      return `step.refused ${skill} ${file} #${effort.ordinal}`
    imagined.set(effort, { ...now, trail: read(now.trail ?? effort.trail, file, false) ?? now.trail })
  }
  return undefined
}

/** The call waits at the main thread, because clients report every sub-agent there. */
export function forkSkill(
  moment: Moment,
  { parent, ...client }: Client,
  skill: Skill,
  call: string,
  words: string,
): void {
  const { handedOver } = parent ?? client
  const fork = { words, prompt: moment.prompt }
  const nothing = { effort: undefined, steps: [], holds: [], seen: new Map() }
  const given = { call, skill: skill.name, ...nothing, stopped: new Set<string>() }
  handedOver.push({ ...given, agent: undefined, fork })
  say(moment, `skill.forked ${skill.name}`)
}

/** Steps that the prompt of a call names go to its sub-agent. */
export function handOver(
  moment: Moment,
  client: Client,
  call: string,
  { steps: files, holds }: Extract<Tool, { kind: 'agent' }>,
): void {
  for (const [skill, steps] of Map.groupBy(files, (one) => one.skill)) {
    const effort = openSpans(client).find((span) => span.skill === skill)?.effort
    if (effort === undefined) continue
    const names = steps.map(({ file }) => file)
    say(moment, ...names.map((step) => `step.delegated ${skill} ${step} #${effort.ordinal}`))
    const given = { call, skill, effort, steps: names, holds }
    client.handedOver.push({ ...given, seen: new Map(), agent: undefined, stopped: new Set() })
  }
}

/** What a sub-agent reads counts for the steps that it may have been given. */
export function wasShown({ handedOver }: Client, agent: string, tool: Extract<Tool, { kind: 'read' }>): void {
  for (const { skill, steps, seen } of handedOver)
    for (const one of tool.files)
      if (one.skill === skill && steps.includes(one.file)) {
        const key = `${agent} ${one.file}`
        seen.set(key, new Set([...(seen.get(key) ?? []), ...shownBy(tool)]))
      }
}

/** The answer of a call names its sub-agent. */
export function answered(moment: Moment, client: Client, id: string, isBehind: boolean): void {
  for (const one of client.handedOver) if (one.call === id) one.agent ??= agentOf(id)
  const isBack = ({ call, stopped }: HandedOver) => call === id && (!isBehind || stopped.has(agentOf(id)))
  endDelegations(moment, client, isBack, 'ok')
}

/** A successful sub-agent counts for its effort, if the skill still works on it. */
export function endDelegations(
  moment: Moment,
  client: Client,
  isIt: (one: HandedOver) => boolean,
  outcome: 'ok' | 'failed',
): void {
  const ended = client.handedOver.filter(isIt)
  client.handedOver = client.handedOver.filter((one) => !ended.includes(one))
  for (const { skill, effort, steps, holds, seen, agent } of ended) {
    const span = openSpans(client).find((one) => one.skill === skill)
    if (outcome === 'ok' && effort !== undefined && span?.effort === effort)
      for (const step of steps) {
        const halves = new Set([...holds, ...(seen.get(`${agent} ${step}`) ?? [])])
        visit(moment, client, span, { effort, step, halves, isGiven: true })
      }
    say(moment, `delegation.ended ${skill} ${outcome} #${effort?.ordinal ?? ''}`)
  }
}

/** The sub-agents of a client end with it; one in the background outlives the sub-agent that started it. */
export function loseSubagents(moment: Moment, client: Client): void {
  if (client.parent === undefined) endDelegations(moment, client, () => true, 'failed')
}
