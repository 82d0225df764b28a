import type { Frontend } from './frontend.ts'
import type { Step } from '../../model/plan/plan.ts'
import { firstSteps, inPhases, inSequence } from '../../model/plan/sequence.ts'
import { numberedStep } from '../numbered-step.ts'
import { choosePlan } from '../series/choose.ts'
import { idWords } from '../series/entry.ts'
import type { Series } from '../series/find.ts'
import { checkNumbers } from '../series/numbers.ts'
import { idGiver } from '../text/text.ts'

/** Numbered headings, bold lines, lists or tags: an inferred plan, so it advises and never refuses. */
export const headings: Frontend = {
  name: 'headings',
  read({ blocks, main }) {
    const { plan } = choosePlan(blocks)
    if (plan === undefined) return undefined
    const steps = toSteps(plan, main.file)
    const ordered = plan.word === 'phase' ? inPhases(steps) : inSequence(steps)
    return {
      plan: {
        notation: plan.word === 'phase' ? 'phases' : 'series',
        explicit: false,
        gate: 'visited',
        entry: firstSteps(steps),
        steps: ordered,
      },
      diagnostics: checkNumbers(plan, main.file, blocks),
    }
  },
}

function toSteps({ word, entries }: Series, file: string): readonly Step[] {
  const give = idGiver()
  return entries.map((entry) =>
    numberedStep(entry, { id: give(`${word} ${idWords(entry.number)}`), label: entry.number, file }),
  )
}
