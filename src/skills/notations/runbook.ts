import { diagnose } from '../../model/diagnostic.ts'
import { firstSteps, inSequence } from '../../model/plan/sequence.ts'
import { phaseNumberOf } from '../../model/runbook/files.ts'
import { numberedStep } from '../numbered-step.ts'
import { readPart } from '../runbook/part.ts'
import { idWords } from '../series/entry.ts'
import { checkNumbers } from '../series/numbers.ts'
import { byName, idGiver, type SourceText } from '../text/text.ts'
import type { Found, Frontend } from './frontend.ts'

const RUNBOOK_PATH = /(^|\/)runbook[^/]*\.md$/i

/** A runbook of a skill: its steps and cycles in file order. `skills/runbook/read.ts` reads all of what it says. */
export const runbook: Frontend = {
  name: 'runbook',
  read({ files }) {
    const sources = [...files]
      .filter(([path]) => RUNBOOK_PATH.test(path))
      .toSorted(([a], [b]) => byName(a, b))
      .map(([path, source]) => ({ path, source }))
    const parts = sources.filter(({ path }) => phaseNumberOf(path) !== undefined)
    const whole = sources
      .filter(({ path }) => phaseNumberOf(path) === undefined)
      .map(({ source }) => [source])
    // Phase files form one runbook together; any other file is a runbook of its own.
    return [...whole, parts.map(({ source }) => source)]
      .map(planOf)
      .find(({ plan }) => plan !== undefined && plan.steps.length > 0)
  },
}

function planOf(sources: readonly SourceText[]): Found {
  const parts = sources.map(readPart).map(({ source: { file }, marks, strays }) => ({
    file,
    entries: marks.flatMap(({ kind, entry }) =>
      (kind === 'step' || kind === 'cycle') && entry ? [entry] : [],
    ),
    strays: strays.filter(({ what }) => what === 'step'),
  }))
  const give = idGiver()
  const steps = parts.flatMap(({ file, entries }) =>
    entries.map((entry) => {
      const { word, number } = entry
      const label = `${word === 'cycle' ? 'Cycle' : 'Step'} ${number}`
      return numberedStep(entry, { id: give(`${word} ${idWords(number)}`), label, file })
    }),
  )
  return {
    plan: {
      notation: 'runbook',
      explicit: true,
      gate: 'visited',
      entry: firstSteps(steps),
      steps: inSequence(steps),
    },
    diagnostics: parts.flatMap(({ file, entries, strays }) => [
      ...checkNumbers({ word: entries[0]?.word ?? 'step', entries, line: entries[0]?.line ?? 1 }, file),
      // Their bodies would silently drop out of the plan.
      ...strays.map(({ line, text }) =>
        diagnose(
          'HF401',
          { file, line, column: 1 },
          `${JSON.stringify(text.slice(0, 80))} is not read as a step.`,
        ),
      ),
    ]),
  }
}
