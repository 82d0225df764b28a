import type { ChainView } from '../../model/chain/view.ts'
import { type Effort, wordsOf } from '../../model/effort.ts'
import { modeWords } from '../../model/mode.ts'
import { statusText } from '../../model/status-line.ts'
import { chainLines } from './chain-screen.ts'
import type { Io } from './io.ts'
import { nextLines } from './next-lines.ts'
import { cell, paint } from './print.ts'
import { parkedLine } from './step-screen.ts'
import { table } from './table.ts'
import { cutTo } from './wrap.ts'
import { inOneLine } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'

/** The result of `db.effort.get`. */
export interface EffortInFull extends Effort {
  readonly phase_history: readonly { readonly phase_label: string; readonly created_at: string }[]
  readonly next_phases: readonly string[]
  readonly proof_to_leave: readonly string[]
  readonly steps: readonly {
    readonly step: string
    readonly attempts: number
    readonly started_at: string
    readonly completed_at: string | null
    readonly outcome: string | null
  }[]
  readonly todos: readonly { readonly text: string; readonly done: boolean }[]
  readonly approvals: readonly {
    readonly kind: string
    readonly subject: string
    readonly reason: string
    readonly created_at: string
    readonly used_at: string | null
  }[]
  readonly artifacts: readonly {
    readonly name: string
    readonly rank: string
    readonly path: string | null
  }[]
  readonly sessions: readonly {
    readonly id: number
    readonly client: string | null
    readonly created_at: string
    readonly ended_at: string | null
    readonly ended_reason: string | null
  }[]
  /** The open session that began it and turned to other work. */
  readonly set_aside_by: EffortInFull['sessions'][number] | null
  /** An edit of its plan that does not apply. */
  readonly plan_edit: string | null
  /** The chain of which it does a skill. */
  readonly chain: ChainView | null
  readonly next: readonly string[]
  readonly optional: readonly string[]
  /** Why its plan is parked. */
  readonly reason: string | null
  readonly failures: readonly string[]
}

/** The effort as text. */
export function describeEffort(io: Io, effort: EffortInFull): string {
  const { id, skill, mode, task_id: task, lifecycle, agent_id: agent, current_phase: phase } = effort
  const request = requestOf(effort)
  const modes = modeWords(effort)
  const about = [
    `effort ${id}`,
    ...(effort.ordinal > 1 ? [`no. ${effort.ordinal} in its task`] : []),
    ...(mode === null && modes.length === 0 ? [] : [`mode ${modes.length === 0 ? mode : modes.join(' ')}`]),
    lifecycle,
    ...(agent === null ? [] : [`by ${agent}`]),
  ]
  const head = `${paint(io, 'cyan', cell(statusText(effort)))} ${paint(io, 'bold', cell(skill))}  ${paint(io, 'dim', cell(about.join(', ')))}`
  return [
    head,
    ...(request === undefined ? [] : [`${paint(io, 'dim', 'for')}   ${cell(request)}`]),
    `${paint(io, 'dim', 'task')}  ${cell(task)}`,
    ...(phase === null ? [] : [`${paint(io, 'dim', 'in')}    ${cell(phase)}`]),
    ...section(io, 'phases', effort.phase_history.map(phaseLine)),
    ...section(io, 'steps', effort.steps.map(stepLine)),
    ...section(io, 'todos', todoLines(effort.todos)),
    ...section(io, 'approvals', effort.approvals.map(approvalLine)),
    ...section(
      io,
      'artifacts',
      effort.artifacts.map(({ name, rank, path }) => `${name} (${rank})${path === null ? '' : `  ${path}`}`),
    ),
    ...section(io, 'result', effort.result == null ? [] : JSON.stringify(effort.result, null, 2).split('\n')),
    ...section(io, 'sessions', effort.sessions.map(sessionLine)),
    ...section(
      io,
      'set aside by session',
      effort.set_aside_by == null ? [] : [sessionLine(effort.set_aside_by)],
    ),
    ...parkedLine(effort.reason),
    ...effort.failures.map(cell),
    ...(effort.plan_edit == null ? [] : [cell(effort.plan_edit)]),
    ...(effort.chain == null ? [] : chainLines(effort.chain)),
    ...nextLines(io, effort),
  ].join('\n')
}

const LONGEST_REQUEST = 60

/** What the effort is for, in a few words. */
export function requestOf(effort: Pick<Effort, 'request' | 'metadata'>): string | undefined {
  const words = inOneLine(wordsOf(effort))
  return words === '' ? undefined : `"${cutTo(words, LONGEST_REQUEST)}"`
}

/** A table of efforts, with their tasks if they may differ. */
export function effortTable(
  io: Io,
  efforts: readonly Effort[],
  taskOf: (task: string) => string | null = () => null,
): string {
  return table(
    io,
    efforts.map(({ id, ordinal, skill, mode, lifecycle, current_phase, agent_id, ...effort }) => ({
      effort: id,
      'no.': ordinal,
      skill,
      request: requestOf(effort),
      mode: modeWords({ mode, metadata: effort.metadata }).join(' '),
      lifecycle,
      phase: current_phase,
      agent: agent_id,
      started: relativeTime(effort.created_at),
      finished: effort.finished_at === null ? null : relativeTime(effort.finished_at),
      task: taskOf(effort.task_id),
    })),
    { cut: ['request'], short: ['task', 'agent'] },
  )
}

/** Todos as check boxes. */
export const todoLines = (todos: EffortInFull['todos']): readonly string[] =>
  todos.map(({ text, done }) => cell(`[${done ? 'x' : ' '}] ${text}`))

const section = (io: Io, title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [paint(io, 'bold', title), ...lines.map((line) => `  ${cell(line)}`)]

const phaseLine = ({ phase_label: label, created_at: at }: EffortInFull['phase_history'][number]): string =>
  `${label}  entered ${relativeTime(at)}`

function stepLine({ step, attempts, started_at, completed_at, outcome }: EffortInFull['steps'][number]) {
  const tries = attempts === 1 ? '' : `, attempt ${attempts}`
  return completed_at === null
    ? `${step}  begun ${relativeTime(started_at)}${tries}`
    : `${step}  ${outcome === 'ok' ? 'completed' : `ended with ${outcome ?? ''}`} ${relativeTime(completed_at)}${tries}`
}

const approvalLine = ({ kind, subject, reason, used_at }: EffortInFull['approvals'][number]): string =>
  `${kind} ${subject}: ${reason} (${used_at === null ? 'not used yet' : `used ${relativeTime(used_at)}`})`

const sessionLine = ({ id, client, ...one }: EffortInFull['sessions'][number]): string =>
  `${id}${client === null ? '' : ` ${client}`}  ${one.ended_at === null ? `opened ${relativeTime(one.created_at)}` : `${one.ended_reason ?? 'ended'} ${relativeTime(one.ended_at)}`}`
