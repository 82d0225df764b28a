import type { Check, Finding } from '../../model/check.ts'
import { bareTags, openBoxes, unanswered, unprocessed } from '../../model/check.ts'
import { missingProof, type Phase, phasesNotEntered, splitPhase } from '../../model/plan/phase.ts'
import { endAll, isByOutcome, leftOut, stepsLeft } from '../../model/plan/moves.ts'
import { provenIn } from '../../model/plan/evidence.ts'
import type { Followed } from '../plan/plan.ts'
import { type EffortFiles, MOST_LOOKED_AT } from './files.ts'

interface Subject {
  readonly files: EffortFiles
  readonly phases: readonly Phase[]
  readonly work: Pick<Followed, 'plan' | 'progress' | 'recorded'>
  readonly todos: readonly { readonly text: string; readonly done: boolean }[]
  readonly history: readonly {
    readonly phase_label: string
    readonly proof: Readonly<Record<string, unknown>> | null
  }[]
}

/** Every check of an effort, in the order of the report. */
export function checkEffort(subject: Subject): readonly Check[] {
  const { files } = subject
  return [
    phasesEntered(subject),
    phasesProven(subject),
    stepsDone(subject),
    todosDone(subject),
    inFiles('bare-tags', files.artifacts.flatMap(bareTags), {
      pass: 'All tags in the artifacts are in backticks or on the **Tags** line.',
      fail: 'Wrap these tags in backticks, or move them to the **Tags**: line below the title',
    }),
    inFiles('checklists', checklistFaults(files), {
      pass: 'Every checklist is processed.',
      fail: `Check off the finished items in ${files.checklist}, with the exact words of the checklist`,
    }),
    inFiles('requests', files.requests.flatMap(unanswered), {
      pass: 'Every request file has a response.',
      fail: 'Write the response under "## Response" and change the tag to #done-…',
    }),
    debriefWritten(files),
    filesRead(files),
    resultWritten(files),
  ]
}

function inFiles(
  check: string,
  findings: readonly Finding[],
  { pass, fail }: { readonly pass: string; readonly fail: string },
): Check {
  if (findings.length === 0) return { check, pass: true, detail: pass, findings }
  const [first] = findings
  const more = findings.length === 1 ? '' : ` and ${findings.length - 1} more`
  const where = `${first?.file}:${first?.line} ${first?.text}${more}`
  return { check, pass: false, detail: `${fail}: ${where}.`, findings: findings.slice(0, MOST_FINDINGS) }
}

/** A longer report would not help. */
const MOST_FINDINGS = 200

const checklistFaults = ({ checklists, asked }: EffortFiles): readonly Finding[] => [
  ...checklists.flatMap(openBoxes),
  ...asked.flatMap((one) => unprocessed(one, checklists)),
]

function filesRead({ unread, tooMuch }: EffortFiles): Check {
  const { file, files, bytes } = MOST_LOOKED_AT
  const most = `limits: ${file} bytes a file, ${files} files, ${bytes} bytes in all`
  const faults = [
    ...(unread.length === 0 ? [] : [`Cannot read ${named(unread)}.`]),
    ...(tooMuch.length === 0
      ? []
      : [`Too large to check (${most}): ${named(tooMuch)}. Split these files or move them elsewhere.`]),
  ]
  const detail = faults.length === 0 ? 'Every file is readable.' : faults.join(' ')
  return { check: 'files-read', pass: faults.length === 0, detail, findings: [] }
}

const MOST_NAMED = 50

function named(paths: readonly string[]): string {
  const more = paths.length - MOST_NAMED
  return [...paths.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ')
}

function debriefWritten({ debrief }: EffortFiles): Check {
  const detail = debrief.written
    ? `${debrief.file} is written.`
    : debrief.wanted
      ? `Write the debrief: ${debrief.file}.`
      : 'The skill requires no debrief.'
  return { check: 'debrief', pass: debrief.written || !debrief.wanted, detail, findings: [] }
}

function resultWritten({ result }: EffortFiles): Check {
  const detail =
    result === undefined
      ? 'The effort has no run.'
      : result.written
        ? `${result.file} is written.`
        : `Write the result of the run: ${result.file}.`
  return { check: 'run-result', pass: result?.written !== false, detail, findings: [] }
}

/** The plan decides, whatever its notation is. */
function stepsDone({ work: { plan, progress, recorded } }: Subject): Check {
  const check = 'steps-done'
  if (plan === undefined) return { check, pass: true, detail: 'The skill has no plan.', findings: [] }
  const { progress: now, owed } = endAll(plan, progress, { recorded, proof: provenIn(recorded) })
  const missing = [...(owed?.artifacts ?? []), ...(owed?.proof ?? [])]
  const pass = now.status === 'completed'
  const left = stepsLeft(plan, progress).map(({ label, title }) =>
    title === label ? label : `${label}: ${title}`,
  )
  const detail = pass
    ? 'Every required step is done.'
    : missing.length > 0
      ? `Step ${owed?.step.label} still owes ${named(missing)}.`
      : `Not done: ${named(left)}.`
  return { check, pass, detail, findings: [] }
}

function todosDone({ todos }: Subject): Check {
  const open = todos.filter(({ done }) => !done).map(({ text }) => text)
  const detail = open.length === 0 ? 'Every required todo is done.' : `Not done: ${named(open)}.`
  return { check: 'todos-done', pass: open.length === 0, detail, findings: [] }
}

/** An outcome of the plan may lead past phases, or end it before them. */
function phasesEntered({ phases, history, work: { plan, progress } }: Subject): Check {
  const out = plan === undefined ? new Set<string>() : leftOut(plan, progress)
  const missed = phasesNotEntered(
    phases.filter(({ label }) => !out.has(label)),
    history.map(({ phase_label }) => phase_label),
  )
  const detail = missed.length === 0 ? 'Every phase was entered.' : `Not entered: ${missed.join(', ')}.`
  return { check: 'phases-entered', pass: missed.length === 0, detail, findings: [] }
}

/** Only success is proved. A phase that starts again after a failure was not left, and the user waived one that was passed. */
function phasesProven({ phases, history, work: { plan, progress } }: Subject): Check {
  const unproven = history.flatMap((entry, index) => {
    const left = history[index - 1]
    if (left === undefined || left.phase_label === entry.phase_label) return []
    const { label: from } = splitPhase(left.phase_label)
    if (progress.visits[from]?.waived === true) return []
    const isLast = !history.slice(index).some(({ phase_label }) => phase_label === left.phase_label)
    const { outcome = 'ok' } = progress.visits[from] ?? {}
    if (isLast && outcome !== 'ok') return []
    if (plan !== undefined && isByOutcome(plan, from, splitPhase(entry.phase_label).label)) return []
    const declared = phases.find(({ label }) => label === from)
    const missing = missingProof(declared?.proof ?? [], entry.proof ?? {})
    return missing.length === 0 ? [] : [`${left.phase_label} (${missing.join(', ')})`]
  })
  const detail =
    unproven.length === 0
      ? 'Every phase was left with its proof.'
      : `Left without proof: ${unproven.join('; ')}.`
  return { check: 'phases-proven', pass: unproven.length === 0, detail, findings: [] }
}
