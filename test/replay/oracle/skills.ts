import { isPlanned, type Skill } from '../scene.ts'
import { isHeld, isServed } from './presence.ts'
import {
  type Client,
  type Effort,
  type Mode,
  type Moment,
  openSpans,
  type Project,
  say,
  type Span,
} from './state.ts'
import { endPlan, isFulfilled, isOver, isUntouched, unbegun } from './steps.ts'

/** How a skill becomes active. */
interface Entry {
  /** The effort that it goes on with, if it does not begin anew. */
  readonly effort: Effort | undefined
  readonly words?: string
  readonly mode?: Mode
  readonly anew?: boolean
  readonly finishes?: boolean
  /** The user's own call, which no skill made. */
  readonly byUser?: boolean
}

/** The words of a user decide what a call goes on with; an agent goes on with what it has. */
export function callSkill(
  moment: Moment,
  client: Client,
  skill: Skill,
  {
    words,
    by,
    mode = 'full',
  }: { readonly words: string; readonly by: 'user' | 'agent'; readonly mode?: Mode },
): void {
  const own = ownEffort(client, skill)
  const byUser = by === 'user' && client.parent === undefined
  if (words === '--continue' && (isPlanned(skill) || skill.headings !== undefined)) {
    const open = client.project.efforts.filter((one) => one.skill === skill && one.active)
    const free = open.findLast((one) => one !== own && !isHeld(moment, one, client))
    // A sub-agent carries the skill out in any case.
    if (own === undefined && free === undefined && client.parent === undefined) return
    // A bare call that nothing followed gives way to older work.
    const isLeft =
      own !== undefined &&
      isUntouched(own) &&
      free !== undefined &&
      !isUntouched({ ...free, request: free.request ?? '' })
    if (isLeft) finishEffort(moment, client.project, own)
    takeCharge(moment, client, skill, { effort: isLeft ? free : (own ?? free), words: '', byUser })
    return
  }
  const work = client.window?.effort
  if (by === 'user' && work?.active === true && work.skill !== skill && isFulfilled(work))
    finishEffort(moment, client.project, work)
  const isOther = by === 'user' && own !== undefined && words !== '' && words !== own.request
  const finishes = own !== undefined && (isOver(own) || (isOther && (isUntouched(own) || isFulfilled(own))))
  takeCharge(moment, client, skill, { effort: own, words, mode, anew: isOther || finishes, finishes, byUser })
}

/** The skill becomes active: its span continues, resumes or starts, and the active one is suspended. */
export function takeCharge(moment: Moment, client: Client, skill: Skill, entry: Entry): void {
  const { effort, words = '', mode = 'full', anew: isNew = false, finishes = false, byUser = false } = entry
  const open = openSpans(client)
  const own = open.filter((span) => span.skill === skill.name)
  const others = open.filter((span) => span.skill !== skill.name)
  const caller = byUser ? undefined : (others.find(({ status }) => status === 'active') ?? others[0])
  for (const span of others.filter(({ status }) => status === 'active')) {
    span.status = 'suspended'
    say(moment, `span.suspended ${span.skill}`)
  }
  const mine = own.find((span) => span.effort === effort)
  if (mine !== undefined && !isNew) {
    if (mine.status === 'active') return
    mine.status = 'active'
    say(moment, `span.resumed ${mine.skill}`)
    serve(moment, client, mine.effort)
    return
  }
  for (const span of own) completeSpan(moment, span)
  if (finishes) finishEffort(moment, client.project, effort)
  const work = !isPlanned(skill)
    ? undefined
    : isNew || effort === undefined
      ? beginEffort(moment, client, skill, { request: words, mode, byUser })
      : effort
  const begun = { skill: skill.name, effort: work, parent: caller, status: 'active' } as const
  client.spans.push({ ...begun, number: client.project.opened++, steps: [] })
  say(moment, `span.opened ${skill.name}`)
  serve(moment, client, work)
  moment.takesUp ||= work !== undefined && work === effort
}

/** The effort of the skill that this session serves. */
export function ownEffort(client: Client, skill: Skill): Effort | undefined {
  const own = openSpans(client).find((span) => span.skill === skill.name)?.effort ?? client.window?.effort
  return own?.active === true && own.skill === skill ? own : undefined
}

function beginEffort(
  moment: Moment,
  { project, window, parent }: Client,
  skill: Skill,
  { request, mode, byUser }: { readonly request: string; readonly mode: Mode; readonly byUser: boolean },
): Effort {
  // A sub-agent is part of the open work of its session; after that work, the user's words begin other work.
  const isPart = project.efforts.some(({ active, task }) => active && task === window?.task)
  const isTyped = parent === undefined ? byUser : !isPart
  const isOther = isTyped && request !== '' && request !== window?.task?.words
  const known = isOther ? undefined : window?.task
  if (known === undefined) say(moment, 'task.created')
  const task = known ?? { words: request }
  const about = { skill, request, task, active: true }
  const effort: Effort = { ordinal: project.efforts.length + 1, ...about, ...unbegun(skill, mode) }
  project.efforts.push(effort)
  say(moment, `effort.started #${effort.ordinal}`)
  return effort
}

/** An effort ends with its spans. */
export function finishEffort(
  moment: Moment,
  { clients }: Project,
  effort: Effort | undefined,
  outcome = 'completed',
): void {
  if (effort === undefined || !effort.active) return
  const spans = clients.flatMap((one) => openSpans(one)).filter((span) => span.effort === effort)
  for (const span of spans.toSorted((a, b) => a.number - b.number)) completeSpan(moment, span)
  if (outcome === 'completed') endPlan(effort)
  effort.active = false
  say(moment, `effort.finished #${effort.ordinal} ${outcome}`)
}

/** An effort that a command ends gives its sessions back to the work that waits for it. */
export function finishAndReturn(
  moment: Moment,
  project: Project,
  effort: Effort,
  outcome?: 'completed' | 'abandoned',
): void {
  const ended = project.clients.flatMap((client) =>
    openSpans(client)
      .filter((span) => span.effort === effort && span.status === 'active')
      .map((span) => ({ client, span })),
  )
  finishEffort(moment, project, effort, outcome)
  for (const { client, span } of ended) {
    const waiting = openSpans(client).filter((one) => one.effort?.active === true)
    const next = waiting.find((one) => one === span.parent) ?? waiting[0]
    if (next?.effort === undefined || isServed(next.effort, client)) continue
    next.status = 'active'
    say(moment, `span.resumed ${next.skill}`)
    serve(moment, client, next.effort)
  }
}

/** A change of work is a sign of life. */
function serve(moment: Moment, client: Client, effort: Effort | undefined): void {
  const { window, name } = client
  if (window === undefined || effort === undefined || window.effort === effort) return
  window.heard = moment.at
  window.effort = effort
  effort.last = client
  window.task = effort.task
  window.calls = 0
  window.isReminded = false
  say(moment, `session.switched ${name} #${effort.ordinal}`)
}

/** A span ends. */
export function completeSpan(moment: Moment, span: Span): void {
  span.status = 'completed'
  say(moment, `span.completed ${span.skill}`)
}
