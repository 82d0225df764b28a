import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import type { Runbook, RunbookItem, RunbookType } from '../../model/runbook/runbook.ts'
import type { RunbookHead } from './head.ts'
import type { Part } from './part.ts'
import type { NumberedPart, Sections } from './sections.ts'

const NAME = /^[A-Za-z0-9][\w.-]{0,47}$/

/** The folder of a runbook names its agents. */
export const checkName = ({ name, files: [file = ''] }: Runbook): readonly Diagnostic[] =>
  NAME.test(name)
    ? []
    : [
        diagnose(
          'HF419',
          { file, line: 1, column: 1 },
          `The folder ${JSON.stringify(name)} cannot name agents.`,
        ),
      ]

const WANTS: Readonly<Record<RunbookType, { readonly kind: RunbookItem['kind']; readonly what: string }>> = {
  general: { kind: 'step', what: 'step' },
  tdd: { kind: 'cycle', what: 'cycle' },
  mixed: { kind: 'cycle', what: 'cycle' },
  inline: { kind: 'inline', what: 'inline phase' },
}

/** What the frontmatter says must not contradict the headings. */
export function checkType(
  { phases, type, files, folder }: Runbook,
  head: RunbookHead,
  parts: readonly NumberedPart[],
): readonly Diagnostic[] {
  const items = phases.flatMap((phase) => phase.items)
  const [file = folder] = files
  if (items.length === 0) return [noSteps(file, head, parts)]
  if (head.type === undefined || head.typePlace === undefined || head.type === type) return []
  const { kind, what } = WANTS[head.type]
  if (!items.some((item) => item.kind === kind))
    return [diagnose('HF416', head.typePlace, `The type is ${head.type}, but the runbook has no ${what}.`)]
  const message = `The type is ${head.type}, but the runbook is ${type}.`
  return head.type === 'mixed'
    ? []
    : [
        diagnose(
          'HF408',
          head.typePlace,
          message,
          `Write type: ${type}, or remove the line: the headings decide.`,
        ),
      ]
}

/** Names what stands where steps should, if it looks like one. */
function noSteps(file: string, { type }: RunbookHead, parts: readonly NumberedPart[]): Diagnostic {
  for (const { part } of parts)
    for (const block of part.blocks)
      if ((block.kind === 'paragraph' || block.kind === 'item') && LOOKS_LIKE_STEP.test(block.text)) {
        const place = { file: part.source.file, line: block.line, column: 1 }
        const text = block.text.split('\n', 1)[0]?.slice(0, 80)
        return diagnose('HF412', place, `The runbook has no steps: ${JSON.stringify(text)} is no heading.`)
      }
  const what = WANTS[type ?? 'general'].what
  return diagnose('HF412', { file, line: 1, column: 1 }, `The runbook has no ${what}.`)
}

const LOOKS_LIKE_STEP = /^(?:\*\*|__)?(?:step|cycle)\s+\d/i

/** Nothing that looks like a step or phase is dropped silently. */
export const unread = ({ source: { file }, strays }: Part): readonly Diagnostic[] =>
  strays.map(({ what, line, text }) =>
    diagnose(
      'HF401',
      { file, line, column: 1 },
      `${JSON.stringify(text.slice(0, 80))} is not read as a ${what}.`,
    ),
  )

/** Sections that would be lost silently. */
export function unused({ unused: marks }: Sections): readonly Diagnostic[] {
  // A header that is not read is told already.
  const lines = new Set(
    [...new Set(marks.map(({ part }) => part))].flatMap(({ source: { file }, strays }) =>
      strays.map(({ line }) => `${line} ${file}`),
    ),
  )
  return marks
    .filter(({ part, mark }) => !lines.has(`${mark.line} ${part.source.file}`))
    .map(({ part, mark }) =>
      diagnose(
        'HF418',
        { file: part.source.file, line: mark.line, column: 1 },
        `The section ${JSON.stringify(mark.text.slice(0, 80))} belongs to no step, so no agent reads it.`,
      ),
    )
}
