import { type OpenedRunbook, openRunbook } from '../../files/runbook.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { itemsOf } from '../../model/runbook/runbook.ts'
import { counted } from '../../model/text/line.ts'
import type { Arguments } from '../frame/args.ts'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { printLines } from '../frame/show.ts'
import { describeDiagnostics, inOrder } from '../skill/report.ts'
import { findRunbook, findRunbooks } from './find.ts'

/** `holdfast runbook check`, which reads and changes nothing. */
export async function checkRunbooks(io: Io, { positionals: [path], switches }: Arguments): Promise<number> {
  const found = findRunbooks(io, path)
  const wanted = found.length === 0 ? [findRunbook(io, path)] : found
  const opened = await Promise.all(wanted.map((one) => openRunbook(one)))
  printLines(
    io,
    {
      runbooks: opened.map(summaryOf),
      diagnostics: opened.flatMap(({ diagnostics }) => inOrder(diagnostics)),
    },
    () =>
      opened
        .flatMap((one) => [
          ...describe(io, one, switches.has('notes')),
          countOf(io, one, switches.has('notes')),
        ])
        .join('\n'),
  )
  return opened.some(({ diagnostics }) => hasErrors(diagnostics)) ? 1 : 0
}

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean =>
  diagnostics.some(({ severity }) => severity === 'error')

/** The problems of a runbook as a compiler prints them. */
export const describe = (
  io: Io,
  { found, lines, diagnostics }: OpenedRunbook,
  notes: boolean,
): readonly string[] =>
  describeDiagnostics(
    io,
    inOrder(diagnostics).filter(({ severity }) => notes || severity !== 'info'),
    { root: found.root, lines },
  )

/** What a runbook is, for programs. */
export function summaryOf({ runbook, diagnostics }: OpenedRunbook) {
  const { name, folder, files, type, phases } = runbook
  const count = (severity: Diagnostic['severity']) =>
    diagnostics.filter((one) => one.severity === severity).length
  return {
    name,
    folder,
    files,
    type,
    phases: phases.length,
    steps: itemsOf(runbook).length,
    errors: count('error'),
    warnings: count('warning'),
  }
}

/** The last line of a check. */
export function countOf(io: Io, opened: OpenedRunbook, notes: boolean): string {
  const { name, type, phases, steps, errors, warnings } = summaryOf(opened)
  const infos = opened.diagnostics.filter(({ severity }) => severity === 'info').length
  const parts = [
    `${name}: ${counted(steps, 'step')} in ${counted(phases, 'phase')} (${type})`,
    counted(errors, 'error'),
    counted(warnings, 'warning'),
    ...(infos === 0 ? [] : [`${counted(infos, 'note')}${notes ? '' : ' (print them with --notes)'}`]),
  ]
  return paint(io, errors > 0 ? 'red' : 'green', parts.join(', '))
}
