import type { Frontend } from './frontend.ts'
import type { Step } from '../../model/plan/plan.ts'
import { firstSteps, inPhases, inSequence } from '../../model/plan/sequence.ts'
import { numberedStep } from '../numbered-step.ts'
import { checkNumbers, findSeries, idWords, type Series } from '../series.ts'
import { idGiver } from '../text/text.ts'

/** Numbered headings, bold lines or lists: an inferred plan, so it advises and never refuses. */
export const headings: Frontend = {
  name: 'headings',
  read({ blocks, main }) {
    const [longest] = findSeries(blocks)
    if (longest === undefined) return undefined
    const steps = toSteps(longest, main.file)
    const ordered = longest.word === 'phase' ? inPhases(steps) : inSequence(steps)
    return {
      plan: {
        notation: longest.word === 'phase' ? 'phases' : 'series',
        explicit: false,
        gate: 'visited',
        entry: firstSteps(steps),
        steps: ordered,
      },
      diagnostics: checkNumbers(longest, main.file),
    }
  },
}

function toSteps({ word, entries }: Series, file: string): readonly Step[] {
  const give = idGiver()
  return entries.map((entry) =>
    numberedStep(entry, { id: give(`${word} ${idWords(entry.number)}`), label: entry.number, file }),
  )
}
