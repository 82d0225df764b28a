import { begin, type Progress } from '../model/plan/advance.ts'
import type { Change } from '../model/change.ts'
import { stepsNamedIn, stepsTitledIn } from '../model/delegation.ts'
import type { HookEvent, ToolAction } from '../model/event.ts'
import { isInFile } from '../model/plan/next-action.ts'
import { stepOf } from '../model/plan/plan.ts'
import { type Seen, shownOf } from '../model/plan/shown.ts'
import { visit, visitApproved } from '../model/plan/visit.ts'
import { isNoted } from './step-visit.ts'
import type { Facts, HandedOver, SkillFacts, TouchedSkill } from './facts.ts'
import { rule } from './rule.ts'

/** A step handed to a sub-agent counts once the sub-agent succeeds, if the sub-agent was shown all of it. */
export const subagentSteps = rule({
  name: 'subagent-steps',
  summary: 'records the steps handed to a sub-agent and what it is shown, and counts them when it succeeds',
  on: ['tool.before', 'tool.after', 'tool.failed', 'permission.denied', 'subagent.stopped', 'turn.failed'],
  hearsSubagents: true,
  wakes: ({ event, reads }, { watch }) =>
    event.subagent === undefined
      ? isHandOver(event) || isCall(event)
      : isEndOfSubagent(event) || (isAnswer(event) && reads.length > 0 && watch.hasDelegations !== false),
  needs: ['delegated', 'delegations', 'spans', 'touched'],
  judge(event, { delegated = [], delegations = [], spans, touched }) {
    const changes =
      event.kind === 'tool.before'
        ? handOver(event.tool.id, delegated)
        : event.subagent !== undefined && isAnswer(event)
          ? delegations.flatMap((one) => shownTo(event.subagent?.id ?? '', one, touched))
          : delegations.flatMap((one) => newsOf(event, one, spans))
    if (changes.length === 0) return undefined
    // Only the answer to a call can be told to its caller.
    const isAnswered = event.kind === 'tool.after' || event.kind === 'tool.failed'
    const isReported = isAnswered && changes.some(({ kind }) => kind === 'step.reported')
    return { changes, ...(isReported && { tellsStanding: true }) }
  },
})

/** True if an event of the main thread hands work to a sub-agent or reports its result. */
export function isHandOver(event: HookEvent): boolean {
  switch (event.kind) {
    case 'tool.before':
      return isAgent(event.tool.does) && event.tool.does.prompt.includes('.md')
    case 'tool.after':
      return isAgent(event.tool.does)
    case 'tool.failed':
    case 'permission.denied':
      return isAgent(event.tool.does) || event.tool.does.kind === 'skill'
    default:
      return false
  }
}

/** True if an event calls a sub-agent; a prompt may name a step without a file. */
export const isCall = (event: HookEvent): boolean => event.kind === 'tool.before' && isAgent(event.tool.does)

const isEndOfSubagent = ({ kind }: HookEvent): boolean =>
  kind === 'subagent.stopped' || kind === 'turn.failed'

const isAnswer = ({ kind }: HookEvent): boolean => kind === 'tool.after'

const isAgent = (does: ToolAction): does is Extract<ToolAction, { kind: 'agent' }> => does.kind === 'agent'

/** The steps of a skill that a prompt names; each counts as done for the next. */
export function stepsHandedOver(
  skill: SkillFacts,
  event: HookEvent,
  isInCharge: boolean,
): readonly TouchedSkill[] {
  const { plan, recorded } = skill
  if (event.kind !== 'tool.before' || !isAgent(event.tool.does) || plan === undefined) return []
  let progress: Progress = skill.progress ?? begin(plan)
  const { prompt } = event.tool.does
  const titled = isInCharge ? stepsTitledIn(prompt, plan, progress.current) : []
  return [...stepsNamedIn(prompt, plan, isInCharge), ...titled].map((step) => {
    const before = progress
    const entry = visit(plan, before, step, recorded)
    if (entry.ok) ({ progress } = entry)
    const path = plan.steps.find(({ id }) => id === step)?.place.file ?? step
    return { path, step, skill: { ...skill, progress: before } }
  })
}

function handOver(call: string | undefined, delegated: NonNullable<Facts['delegated']>): readonly Change[] {
  if (call === undefined) return []
  const bySkill = Map.groupBy(delegated, ({ skill }) => skill.name)
  return [...bySkill.values()].flatMap((touched): Change[] => {
    const [first] = touched
    const steps = touched.flatMap(({ step }) => step ?? [])
    if (first === undefined) return []
    const { name, effort } = first.skill
    const shown = effort === undefined ? [] : touched.flatMap((one) => promptShows(one, effort.id, call))
    return [{ kind: 'steps.delegated', skill: name, effort: effort?.id, call, steps }, ...shown]
  })
}

/** What the sub-agent must still be shown; nothing is kept of a step that its prompt contains. */
const promptShows = ({ step, seen }: TouchedSkill, effort: number, call: string): readonly Change[] =>
  step === undefined || seen === undefined || seen.missing.length === 0
    ? []
    : [{ kind: 'lines.shown', effort, to: call, step, seen }]

/** The lines of its steps that a sub-agent was shown by its own call. */
function shownTo(
  agent: string,
  { skill, effort, steps, seen = {} }: HandedOver,
  touched: readonly TouchedSkill[],
): readonly Change[] {
  if (effort === undefined) return []
  return touched.flatMap((one): Change[] => {
    const { step = '' } = one
    const before = seen[step]
    if (one.skill.name !== skill.name || !steps.includes(step) || before === undefined) return []
    const now = one.seen ?? { ...before, missing: [] }
    return [{ kind: 'lines.shown', effort, to: agent, step, seen: now }]
  })
}

function newsOf(event: HookEvent, given: HandedOver, spans: Facts['spans']): readonly Change[] {
  const { call, agent, stopped, skill, request } = given
  const about = { kind: 'delegation.noted', skill: skill.name, call } as const
  const failed: readonly Change[] = [{ ...about, outcome: 'failed' }, ...reports(given, 'fail')]
  switch (event.kind) {
    case 'tool.after': {
      if (event.tool.id !== call) return []
      const { id, state } = event.tool.subagent ?? {}
      if (state === 'done')
        return cameBack(given, { ...about, ...(id !== undefined && { agent: id }) }, spans)
      if (state !== 'running' || id === undefined || id === agent) return []
      return stopped.includes(id)
        ? cameBack(given, { ...about, agent: id }, spans)
        : [{ ...about, agent: id }]
    }
    case 'tool.failed':
      // A call that the user stopped or denied says nothing about its step.
      if (event.tool.id !== call) return []
      return event.interrupted ? [{ ...about, outcome: 'failed' }] : failed
    case 'permission.denied':
      return event.tool.id === call ? [{ ...about, outcome: 'failed' }] : []
    case 'subagent.stopped': {
      const id = event.subagent?.id
      if (id === undefined) return []
      if (agent === undefined) return request === undefined ? [{ ...about, stopped: id }] : []
      return agent === id ? cameBack(given, { ...about, agent: id }, spans) : []
    }
    case 'turn.failed':
      return agent !== undefined && event.subagent?.id === agent ? failed : []
    default:
      return []
  }
}

/** What a sub-agent says about the steps that several must do; none of another effort. */
function reports({ skill, effort, steps }: HandedOver, outcome: 'ok' | 'fail'): readonly Change[] {
  const { plan } = skill
  if (plan === undefined || effort === undefined || skill.effort?.id !== effort) return []
  return steps
    .filter((id) => stepOf(plan, id)?.dispatch !== undefined)
    .map((step) => ({ kind: 'step.reported', effort, step, outcome }))
}

function cameBack(
  given: HandedOver,
  about: Pick<Extract<Change, { kind: 'delegation.noted' }>, 'kind' | 'skill' | 'call' | 'agent'>,
  spans: Facts['spans'],
): readonly Change[] {
  const { skill, effort, steps, seen = {} } = given
  const { plan, recorded } = skill
  const visits: Change[] = []
  const whole = new Set(steps.filter((id) => (seen[id]?.missing.length ?? 0) === 0))
  const isOver = skill.effort?.id !== effort
  let now = plan === undefined || isOver ? undefined : (skill.progress ?? begin(plan))
  for (const step of steps) {
    if (plan === undefined || now === undefined) break
    const wanted = stepOf(plan, step)
    // A step without a file was started by a command.
    if (wanted?.dispatch !== undefined && !isInFile(plan, wanted)) continue
    const told = seen[step]
    const partly = told !== undefined && told.missing.length > 0
    const planned = visit(plan, now, step, recorded, { partly })
    const approved = !planned.ok && skill.approved.includes(step)
    const next = approved ? visitApproved(plan, now, step, recorded, { partly }) : planned
    if (next.ok ? next.progress === now : isNoted({ skill, step }, { spans })) continue
    if (next.ok) now = next.progress
    const isKept = partly || skill.seen?.[step] !== undefined
    visits.push({
      kind: 'step.visited',
      skill: skill.name,
      step,
      progress: next.ok ? next.progress : undefined,
      ...(approved && { approved }),
      ...(isKept && { seen: bySubagent(told) }),
    })
  }
  const { agent, ...end } = about
  // The agent matters only if something is kept of what it was shown.
  const isKept = agent !== undefined && Object.keys(seen).length > 0
  const read = { ...given, steps: steps.filter((id) => whole.has(id)) }
  return [...visits, { ...end, ...(isKept && { agent }), outcome: 'ok' }, ...reports(read, 'ok')]
}

/** The main thread itself has seen nothing of the step. */
const bySubagent = (seen: Seen | undefined): Seen => ({
  digest: '',
  total: seen?.total ?? 0,
  missing: [],
  bySubagent: seen === undefined ? 0 : shownOf(seen),
})
