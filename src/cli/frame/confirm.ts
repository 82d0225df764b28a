import { type Io, isYes } from './io.ts'
import { fitTerminal, printResult } from './show.ts'

/** Whether the user says yes, by --yes or as an answer; where nobody can be asked, only --yes counts. */
export const isConfirmed = async (
  io: Io,
  switches: ReadonlySet<string>,
  question: string,
): Promise<boolean> => switches.has('yes') || isYes((await io.ask?.(question)) ?? '')

/** Tells that nothing happened without a yes, and the command that needs none; returns the exit code. */
export function tellUnconfirmed(
  io: Io,
  result: object,
  { why, next }: { readonly why: string; readonly next: string },
): number {
  if (io.json) printResult(io, { ...result, why, next })
  else {
    io.note(why)
    if (io.ask === undefined) io.note(fitTerminal(io, `  try: ${next}`))
  }
  return 1
}
