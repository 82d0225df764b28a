import type { RunbookState, RunbookSteps } from '../../engine/effort/runbook-run.ts'
import { UNFILLED } from '../../model/plan/action-words.ts'
import { CATEGORIES } from '../../model/runbook/failure.ts'
import type { Io } from './io.ts'
import { nextLines } from './next-lines.ts'
import { cell, paint } from './print.ts'
import { countOf, parkedLine, stateText } from './step-screen.ts'
import { table } from './table.ts'

/** The one thing that an orchestrator does now, in the order in which it does it. */
export function describeHand(io: Io, state: RunbookState): string {
  const { step, title, phase, position, agent, attempt, limit, resumed } = state
  if (step === null) return [headOf(io, state), ...standLines(io, state)].join('\n')
  const about = [
    position,
    paint(io, 'bold', step),
    cell(title),
    `(${cell(phase)}, try ${countOf(attempt ?? 1, limit)})`,
  ]
  return [
    ...state.notes.map(cell),
    about.join(' '),
    ...(resumed === true
      ? [
          'It was handed out before and not reported. If its sub-agent has answered, only report that; else hand it out again.',
        ]
      : []),
    ...(agent === null ? inlineLines(state) : handLines(state)),
    ...reportLines(io, state),
  ].join('\n')
}

/** A prompt is copied as it is, so it stands between two lines that it does not have itself. */
function betweenLines(prompt: string): readonly string[] {
  const own = [...prompt.matchAll(/^\s*(-{5,})\s*$/gm)].map(([, dashes = '']) => dashes.length + 1)
  const line = '-'.repeat(Math.max(5, ...own))
  return [line, prompt, line]
}

const handLines = ({ agent, model, max_turns, prompt }: RunbookState): readonly string[] => [
  'Start exactly one sub-agent (Agent tool) and wait for its answer. Do nothing else meanwhile.',
  `agent: ${cell(agent)}`,
  `model: ${cell(model)}`,
  `max turns: ${cell(max_turns)}`,
  'prompt: what stands between the lines, unchanged',
  ...betweenLines(prompt ?? ''),
]

const inlineLines = ({ prompt }: RunbookState): readonly string[] => [
  'Do this yourself, without a sub-agent, and commit it:',
  ...betweenLines(prompt ?? ''),
]

function reportLines(
  io: Io,
  { command_done: done, command_error: error, agent }: RunbookState,
): readonly string[] {
  const command = (text: string | null) => paint(io, 'cyan', cell(text))
  const [well, badly] =
    agent === null
      ? ['If it is done', 'If you cannot do it']
      : ['If it answers "done: …"', 'If it answers "error: CATEGORY: …"']
  return [
    `${well}, run: ${command(done)}`,
    `${badly}, run: ${command(error)}`,
    agent === null
      ? `Replace CATEGORY with one of ${CATEGORIES.join(', ')}, and ${UNFILLED} with what stopped you.`
      : `Replace CATEGORY with its word and ${UNFILLED} with the rest of the answer.`,
  ]
}

/** What a report has changed, and what comes next. */
export function describeReport(
  io: Io,
  state: RunbookState & { readonly moved: boolean },
  { step, outcome }: { readonly step: string; readonly outcome: string },
): string {
  const told = state.moved
    ? `Step ${step}: ${outcome}.`
    : `Step ${step} was reported before; nothing changed.`
  return [cell(told), ...standLines(io, state)].join('\n')
}

/** Each step with its tries, and what comes next. */
export function describeRun(io: Io, state: RunbookSteps): string {
  const rows = state.steps.map((row) => ({
    step: row.step,
    phase: row.phase,
    state: stateText(row.state),
    attempts: row.attempts === 0 ? null : countOf(row.attempts, row.limit),
    model: row.model ?? 'the orchestrator',
    outcome: row.outcome,
  }))
  return [headOf(io, state), table(io, rows), ...standLines(io, state)].join('\n')
}

function headOf(io: Io, { runbook, effort, status }: RunbookState): string {
  const about = `effort ${effort}, ${status}`
  return `${paint(io, 'bold', cell(runbook))}  ${paint(io, status === 'parked' ? 'red' : 'dim', about)}`
}

function standLines(io: Io, state: RunbookState): readonly string[] {
  const { status, reason, failures, notes } = state
  return [
    ...parkedLine(reason),
    ...failures.map(cell),
    ...(status === 'parked' ? ['Stop here and tell the user; only the user can let it go on.'] : []),
    ...(status === 'completed' ? ['Every step of the runbook is done.'] : []),
    ...notes.map(cell),
    ...nextLines(io, state),
  ]
}
