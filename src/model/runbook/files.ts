const WHOLE = /(?:^|\/)runbook\.md$/i
const PHASE = /(?:^|\/)runbook-phase-(\d+)\.md$/i

/** The number of a phase file; undefined for any other file. */
export function phaseNumberOf(path: string): number | undefined {
  const number = PHASE.exec(path)?.[1]
  return number === undefined ? undefined : Number(number)
}

/** True for a file that is a runbook, or a phase of one, by its name. */
export const isRunbookFile = (path: string): boolean => WHOLE.test(path) || PHASE.test(path)
