import { inOneLine } from '../model/text/line.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import type { Finding } from './finding.ts'
import type { Window } from './window.ts'

/** What came of the work of an agent: what is wrong, and what its author should know. */
export interface Worked {
  readonly findings: readonly Finding[]
  readonly notes: readonly string[]
}

export const FINE: Worked = { findings: [], notes: [] }

/** An agent that did not come to the end has found a fault. */
export const failing = (code: Finding['code'], message: string, path: readonly string[]): Worked => ({
  findings: [{ level: 2, code, message, path }],
  notes: [],
})

const LONGEST = 300

/** A text without the paths of the test, in one line. */
export const plainly = (it: Window, text: string): string =>
  inOneLine(
    text
      .replaceAll(/(?:\S+\/node\s+)?\S+\/bin\/holdfast(?:\.js)?(?=\s)/g, PROGRAM)
      .replaceAll(`${it.project}/`, ''),
    LONGEST,
  )
