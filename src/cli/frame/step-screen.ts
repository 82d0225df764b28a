import type { Standing } from '../../engine/effort/mover.ts'
import { isFailing } from '../../model/plan/next-action.ts'
import type { Offer } from '../../model/plan/pipeline.ts'
import type { Io } from './io.ts'
import { cell, paint } from './print.ts'
import { table } from './table.ts'

const DO = { skill: 'Call this skill', command: 'Run this command', prompt: 'Do this' } as const

/** A step of a pipeline, with how to report it. */
export function describeOffer(io: Io, found: Offer): string {
  const { position, title, kind, call, verify, attempt, limit, resumed, give, report: how } = found
  return [
    `${position} ${paint(io, 'bold', cell(title))}  ${paint(io, 'dim', `attempt ${countOf(attempt, limit)}`)}`,
    ...(resumed
      ? ['This step was started before and never reported: check what it already did before you repeat it.']
      : []),
    `${DO[kind]}: ${paint(io, 'cyan', cell(call))}`,
    ...(give === undefined ? [] : [`Sub-agents do it: ${cell(give)}.`]),
    ...(verify === null ? [] : [`It is done when ${cell(verify)}.`]),
    `Then: ${paint(io, 'cyan', cell(how.done))}`,
    `If it fails: ${cell(how.fail)}`,
  ].join('\n')
}

/** The user can allow more attempts than the plan does. */
export function countOf(attempts: number, limit: number | null): string {
  if (limit === null) return String(attempts)
  return attempts > limit ? `${attempts} (limit ${limit})` : `${attempts} of ${limit}`
}

/** Where an effort stands in its plan: its steps, and what to do next. */
export function describeStanding(io: Io, standing: Standing): string {
  const { effort_id, skill, status, reason, steps, next, offer, advice, plan_edit: edit } = standing
  const rows = steps.map(({ label, title, state, attempts, limit, optional }) => ({
    step: label,
    title: title === label ? null : title,
    state: optional && state !== 'completed' ? `${state}, optional` : state,
    attempts: attempts > 1 || limit !== null ? countOf(attempts, limit) : null,
  }))
  const about = `effort ${effort_id}, ${status}`
  const actions =
    offer === null
      ? next.map(
          (action) => `${isFailing(action) ? 'if it fails' : 'next'}: ${paint(io, 'cyan', cell(action))}`,
        )
      : []
  return [
    `${paint(io, 'bold', cell(skill))}  ${paint(io, status === 'parked' ? 'red' : 'dim', about)}`,
    table(io, rows),
    ...(reason === null ? [] : [cell(reason)]),
    ...(advice === null ? [] : [`The plan advises otherwise: ${cell(advice)}`]),
    ...(edit == null ? [] : [cell(edit)]),
    ...(offer === null ? [] : [describeOffer(io, offer)]),
    ...actions,
  ].join('\n')
}
