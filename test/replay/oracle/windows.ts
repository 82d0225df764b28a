import type { Source } from '../scene.ts'
import { loseSubagents } from './delegations.ts'
import { isAlive, isServed } from './presence.ts'
import { completeSpan, finishEffort, takeCharge } from './skills.ts'
import { type Client, type Moment, openSpans, say, type Window } from './state.ts'
import { isFulfilled } from './steps.ts'

/** A repeated start comes within this time. */
const TWICE = 2000

/** An event of an open or unknown session; a late event after the end has no effect. */
export function heard(moment: Moment, client: Client): boolean {
  if (client.window === undefined && client.last === undefined) openWindow(moment, client)
  if (client.window === undefined) return false
  client.window.heard = moment.at
  return true
}

/** A prompt or tool call without a start resumes the session. */
export function atWork(moment: Moment, client: Client): Window {
  const isBack = client.window === undefined && client.last !== undefined
  const window = client.window ?? openWindow(moment, client)
  if (isBack) {
    resumeWork(moment, client, 'resume')
    moment.begun = moment.ledger.length
  }
  window.heard = moment.at
  return window
}

/** A cleared context has no directives. */
function openWindow(moment: Moment, client: Client, forgets = false): Window {
  const { project, window: before } = client
  const known = forgets ? [] : ((before ?? client.last)?.directives ?? [])
  if (!project.isKnown) say(moment, 'project.registered', 'task.created')
  project.isKnown = true
  if (before !== undefined) closeWindow(moment, client, 'continued')
  const work = client.last?.effort
  // However silent the other session is: only an explicit continue takes an effort.
  const isFree = work?.active === true && (before !== undefined || !isServed(work, client))
  client.window = {
    follows: client.last !== undefined,
    begun: moment.at,
    effort: isFree ? work : undefined,
    task: client.last?.task ?? before?.task ?? client.parent?.window?.task,
    heard: moment.at,
    calls: 0,
    isReminded: false,
    usage: 0,
    told: 0,
    dehydratedAt: -1,
    directives: new Map(known),
  }
  if (isFree) work.last = client
  client.script.open()
  // The list has the order of the windows.
  project.clients.splice(project.clients.indexOf(client), 1)
  project.clients.push(client)
  say(moment, `session.started ${client.name}`)
  moment.begun = moment.ledger.length
  return client.window
}

function closeWindow(moment: Moment, client: Client, reason: string): void {
  const { window } = client
  if (window === undefined) return
  if (window.dehydratedAt !== moment.at) dehydrate(moment, client)
  say(moment, `session.ended ${client.name} ${reason}`)
  client.last = window
  client.window = undefined
}

/** An active effort leaves a note when its window closes. */
export function dehydrate(moment: Moment, { window }: Client): void {
  if (window?.effort?.active !== true) return
  window.dehydratedAt = moment.at
  say(moment, `effort.dehydrated #${window.effort.ordinal}`)
}

/** A client reports that a window begins. */
export function startWindow(moment: Moment, client: Client, source: Source): void {
  const { window } = client
  const isNext = source === 'compact' || source === 'resume'
  const isTwice =
    window !== undefined &&
    (window.follows || source === 'resume') &&
    window.calls === 0 &&
    moment.at - window.begun < TWICE
  if (window === undefined || (isNext && !isTwice)) openWindow(moment, client, source !== 'resume')
  if (source !== 'compact') loseSubagents(moment, client)
  moment.begun = moment.ledger.length
  resumeWork(moment, client, source)
  if (client.window !== undefined) client.window.heard = moment.at
}

function resumeWork(moment: Moment, client: Client, source: Source): void {
  const work = client.window?.effort
  const isInCharge = client.spans.some(({ status }) => status === 'active')
  if (work?.active === true && !isInCharge) takeCharge(moment, client, work.skill, { effort: work })
  endFormer(moment, client)
  if (source !== 'compact') {
    say(moment, ...[...client.underWay].map((id) => `tool.unknown ${id}`))
    client.underWay.clear()
  }
  endOrphans(moment, client)
}

/** Before an effort is taken up, silent sessions end. */
export function endFormer(moment: Moment, client: Client): void {
  if (!moment.takesUp) return
  moment.takesUp = false
  const own = moment.ledger.splice(moment.begun)
  endOrphans(moment, client)
  moment.begun = moment.ledger.length
  say(moment, ...own)
}

/** A killed client sends no end, so the next session ends it. */
function endOrphans(moment: Moment, { name, project }: Client): void {
  const gone = project.clients.filter(
    (one) => one.name !== name && one.window !== undefined && !isAlive(moment, one),
  )
  for (const one of gone) closeWindow(moment, one, 'orphaned')
  for (const one of gone) completeAll(moment, one)
}

/** A client reports its own end. */
export function endWindow(moment: Moment, client: Client): void {
  loseSubagents(moment, client)
  if (client.parent === undefined) finishAllOver(moment, client)
  dehydrate(moment, client)
  completeAll(moment, client)
  // A client ends with its sub-agents.
  for (const one of client.project.clients.filter(({ parent }) => parent === client)) {
    if (one.window === undefined) continue
    completeAll(moment, one)
    closeWindow(moment, one, 'finished')
  }
  closeWindow(moment, client, 'finished')
}

/** Work that needs no more ends with its session, unless somebody else is at it. */
function finishAllOver(moment: Moment, client: Client): void {
  const { project, window } = client
  for (const effort of new Set([window?.effort, ...openSpans(client).map((span) => span.effort)])) {
    const isElsewhere = project.clients.some((one) => one !== client && one.window?.effort === effort)
    if (effort?.active === true && isFulfilled(effort) && !isElsewhere) finishEffort(moment, project, effort)
  }
}

function completeAll(moment: Moment, client: Client): void {
  for (const span of openSpans(client)) completeSpan(moment, span)
}
