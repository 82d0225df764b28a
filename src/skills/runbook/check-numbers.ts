import { type Diagnostic, type DiagnosticCode, diagnose } from '../../model/diagnostic.ts'
import type { RunbookType } from '../../model/runbook/runbook.ts'
import { phaseNumberOf } from '../../model/runbook/files.ts'
import { readPhaseHeader } from './phase-header.ts'
import {
  nameOf,
  type NumberedPart,
  placeOfItem,
  placeOfPhase,
  type Sections,
  type WrittenItem,
  type WrittenPhase,
} from './sections.ts'

/** Numbers are only labels, and the order of the document counts; likely mistakes get a diagnostic. */
export function checkNumbering(
  sections: Sections,
  parts: readonly NumberedPart[],
  { type, isInline }: { readonly type: RunbookType; readonly isInline: boolean },
): readonly Diagnostic[] {
  const { phases, loose } = sections
  const items = [...loose, ...phases.flatMap((phase) => phase.items)]
  return [
    ...checkPhaseFiles(parts),
    ...loose.map((item) => at('HF421', item, `${nameOf(item)} stands above the first phase header.`)),
    ...checkPhases(phases, isInline),
    ...checkItems(items, type),
  ]
}

/** Phase files begin with 0 or 1 and leave no number out. */
function checkPhaseFiles(parts: readonly NumberedPart[]): readonly Diagnostic[] {
  let before: number | undefined
  return parts.flatMap(({ part, phase }): readonly Diagnostic[] => {
    if (phase === undefined) return []
    const place = { file: part.source.file, line: 1, column: 1 }
    const wanted =
      before === undefined ? 'runbook-phase-0.md or runbook-phase-1.md' : `runbook-phase-${before + 1}.md`
    const isNext = before === undefined ? phase <= 1 : phase === before + 1
    before = phase
    return [
      ...(isNext ? [] : [diagnose('HF414', place, `${wanted} is missing before phase ${phase}.`)]),
      ...(part.source.text.trim() === ''
        ? [diagnose('HF413', place, `The file of phase ${phase} is empty.`)]
        : []),
    ]
  })
}

function checkPhases(phases: readonly WrittenPhase[], allInline: boolean): readonly Diagnostic[] {
  let before: WrittenPhase | undefined
  return phases.flatMap((phase): readonly Diagnostic[] => {
    const { number, items, header, part } = phase
    const place = placeOfPhase(phase)
    const isInline = allInline || readPhaseHeader(part, header).type === 'inline'
    // The outline at the top of a runbook often lists its phases.
    if (items.length === 0 && !isInline)
      return header === undefined || isOnlyPhase(phase)
        ? part.source.text.trim() === ''
          ? []
          : [diagnose('HF413', place, `The file of phase ${number} has no steps.`)]
        : [diagnose('HF410', place, `Phase ${number} has no steps.`)]
    const last = before
    before = phase
    const strays = items.filter(
      ({ entry }) => majorOf(entry.number) !== undefined && majorOf(entry.number) !== number,
    )
    return [
      ...(last === undefined || number > last.number + 1 ? gapBetween(last, phase) : []),
      ...(last !== undefined && number < last.number
        ? [diagnose('HF409', place, `Phase ${number} comes after phase ${last.number}.`)]
        : []),
      ...(last !== undefined && number === last.number && header !== undefined
        ? [diagnose('HF411', place, `Phase ${number} has two headers; they are read as one phase.`)]
        : []),
      ...strays.map((item) => at('HF411', item, `${nameOf(item)} stands in phase ${number}.`)),
    ]
  })
}

/** Whether the file of a phase is about nothing else. */
const isOnlyPhase = ({ part }: WrittenPhase): boolean => phaseNumberOf(part.source.file) !== undefined

const gapBetween = (last: WrittenPhase | undefined, phase: WrittenPhase): readonly Diagnostic[] =>
  last === undefined
    ? []
    : [
        diagnose(
          'HF202',
          placeOfPhase(phase),
          `A phase is missing between ${last.number} and ${phase.number}.`,
        ),
      ]

/** The first part of a number such as 1.2; undefined for a number without parts. */
const majorOf = (number: string): number | undefined =>
  /^\d+\.\d/.test(number) ? Number.parseInt(number, 10) : undefined

function checkItems(items: readonly WrittenItem[], type: RunbookType): readonly Diagnostic[] {
  const majors = new Set<number>()
  let [before, cycleBefore]: (WrittenItem | undefined)[] = []
  return items.flatMap((item): readonly Diagnostic[] => {
    const { kind, entry } = item
    const numbers = entry.number.split('.').map(Number)
    const last = before
    const firstCycle = kind === 'cycle' && cycleBefore === undefined
    before = item
    if (kind === 'cycle') cycleBefore = item
    if (kind === 'cycle' && !/^\d+\.\d+$/.test(entry.number))
      return [
        at(
          'HF403',
          item,
          `${nameOf(item)} needs a number with two parts.`,
          `Write ## Cycle ${numbers[0] || 1}.1: title.`,
        ),
      ]
    if (!numbers.every(Number.isInteger)) return []
    const [major = 0, minor] = numbers
    const isNew = !majors.has(major)
    majors.add(major)
    if (firstCycle && type === 'tdd' && major > 1)
      return [
        at(
          'HF403',
          item,
          `The first cycle is ${entry.number}.`,
          'Number the first cycle 0.1 for a spike, or 1.1.',
        ),
      ]
    if (numbers.length === 2 && isNew && minor !== 1)
      return kind === 'cycle'
        ? [at('HF403', item, `${nameOf(item)} is the first of ${major}.x.`, `Number it ${major}.1.`)]
        : minor === 0
          ? []
          : [at('HF202', item, `${nameOf(item)} is the first of ${major}.x.`)]
    return last === undefined ? [] : sequence(last, item)
  })
}

/** Compares an item with the one before it. */
function sequence(last: WrittenItem, item: WrittenItem): readonly Diagnostic[] {
  const [from, to] = [last, item].map(({ entry }) => entry.number.split('.').map(Number))
  if (from === undefined || to === undefined || !from.every(Number.isInteger)) return []
  const split = to.findIndex((number, index) => number !== from[index])
  // The same number again is an error of its own.
  if (split === -1 || from.length !== to.length) return []
  const [a = 0, b = 0] = [from[split], to[split]]
  if (b < a)
    return [at('HF203', item, `${nameOf(item)} comes after ${nameOf(last)}; it is done in this order.`)]
  return b > a + 1
    ? [at('HF202', item, `A number is missing between ${last.entry.number} and ${item.entry.number}.`)]
    : []
}

const at = (code: DiagnosticCode, item: WrittenItem, message: string, hint?: string): Diagnostic =>
  diagnose(code, placeOfItem(item), message, hint)
