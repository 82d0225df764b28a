import type { Standing } from '../../engine/effort/mover.ts'
import { resumeCommand } from '../../model/effort.ts'
import { calledText } from '../../model/plan/called.ts'
import type { Offer } from '../../model/plan/pipeline.ts'
import { relativeTime } from '../../model/text/time.ts'
import type { Io } from './io.ts'
import { nextLines } from './next-lines.ts'
import { cell, paint } from './print.ts'
import { table } from './table.ts'

const DO = {
  skill: 'Call this skill',
  command: 'Run this command',
  prompt: 'Do this',
} as const

/** A step of a pipeline, with how to report it. */
export function describeOffer(io: Io, found: Offer): string {
  const { position, title, kind, call, verify, attempt, limit, resumed, give, called, report: how } = found
  const command = (text: string) => paint(io, 'cyan', cell(text))
  const isCalled = called?.state === 'open' || called?.state === 'finished'
  return [
    `${position} ${paint(io, 'bold', cell(title))}  ${paint(io, 'dim', `attempt ${countOf(attempt, limit)}`)}`,
    ...(resumed && called === null
      ? ['This step was started before and never reported: check what it already did before you repeat it.']
      : []),
    ...calledLine(called, command),
    ...(isCalled
      ? []
      : [kind === 'own' ? 'Holdfast does this step itself.' : `${DO[kind]}: ${command(call)}`]),
    ...(give === undefined ? [] : [`Sub-agents do it: ${cell(give)}.`]),
    ...(verify === null ? [] : [`It is done when ${cell(verify)}.`]),
    `${wordsBefore(found)}: ${command(how.done)}`,
    `If it fails: ${cell(how.fail)}`,
  ].join('\n')
}

const wordsBefore = ({ kind, called }: Offer): string =>
  kind === 'own' ? 'To try it' : called?.state === 'finished' ? 'Now' : 'Then'

/** What came of the skill that a step has called; nothing if it called none. */
function calledLine(called: Offer['called'], command: (text: string) => string): readonly string[] {
  if (called === null) return []
  const text = cell(calledText(called))
  if (called.state !== 'open') return [text]
  return [`${text} Go on with it: ${command(resumeCommand({ id: called.effort_id }))}`]
}

/** The user can allow more attempts than the plan does. */
export function countOf(attempts: number, limit: number | null): string {
  if (limit === null) return String(attempts)
  return attempts > limit ? `${attempts} (limit ${limit})` : `${attempts} of ${limit}`
}

/** Why a plan is parked; nothing if it is not. */
export const parkedLine = (reason: string | null): readonly string[] =>
  reason === null ? [] : [`Parked: ${cell(reason)}`]

/** The state of a step; behind a step that parked the plan, the others wait as ever. */
export const stateText = (state: string): string => (state === 'blocked' ? 'waiting' : state)

/** How a finished effort ended; a new start is no part of it. */
function finishedLines(io: Io, { effort_id, finished }: Standing): readonly string[] {
  if (finished === null) return []
  const { outcome, reason, description, at, again, parent } = finished
  const how = outcome === 'abandoned' ? 'it was given up' : 'its plan was carried out'
  const about = reason ?? description
  const when = at === null ? '' : ` ${relativeTime(at)}`
  return [
    `Effort ${effort_id} is finished: ${how}${when}${about === null ? '' : ` (${cell(about)})`}.`,
    parent != null
      ? 'It was the work of a sub-agent: return to the agent that started you.'
      : `To begin it anew, if the user asks: ${paint(io, 'cyan', cell(again))}`,
  ]
}

const waysOn = (io: Io, standing: Standing): readonly string[] =>
  standing.offer === null ? nextLines(io, standing) : [describeOffer(io, standing.offer)]

/** Where an effort stands in its plan: its steps, and what to do next, if the caller may do it. */
export function describeStanding(io: Io, standing: Standing): string {
  const { effort_id, skill, status, reason, steps, failures, open, advice, plan_edit: edit } = standing
  const rows = steps.map(({ label, title, state, attempts, limit, optional }) => ({
    step: label,
    title: title === label ? null : title,
    state: optional && state !== 'completed' ? `${stateText(state)}, optional` : stateText(state),
    attempts: attempts > 1 || limit !== null ? countOf(attempts, limit) : null,
  }))
  const about = `effort ${effort_id}, ${status}`
  return [
    `${paint(io, 'bold', cell(skill))}  ${paint(io, status === 'parked' ? 'red' : 'dim', about)}`,
    table(io, rows),
    ...parkedLine(reason),
    ...failures.map(cell),
    ...(open.length === 0 ? [] : [`Every required step is done. ${open.map(cell).join(' ')}`]),
    ...finishedLines(io, standing),
    ...(advice === null ? [] : [`The plan advises otherwise: ${cell(advice)}`]),
    ...(edit == null ? [] : [cell(edit)]),
    ...(standing.held == null ? waysOn(io, standing) : [cell(standing.held)]),
  ].join('\n')
}
