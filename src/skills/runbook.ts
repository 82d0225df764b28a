import { type Diagnostic, diagnose } from '../model/diagnostic.ts'
import type { Found, Frontend } from './frontend.ts'
import { readFrontmatter } from './frontmatter.ts'
import { type Heading, readBlocks } from './markdown.ts'
import { type Bare, inSequence } from './sequence.ts'
import { checkNumbers, entryOf, type Entry } from './series.ts'
import type { SourceText } from './text.ts'

const RUNBOOK_PATH = /(^|\/)runbook[^/]*\.md$/i

/** A runbook: steps and cycles by headings, in the order of the file. */
export const runbook: Frontend = {
  name: 'runbook',
  read({ files }) {
    const found = [...files]
      .filter(([path]) => RUNBOOK_PATH.test(path))
      .map(([, source]) => readRunbook(source))
    return found.find(({ plan }) => plan !== undefined && plan.steps.length > 0)
  },
}

function readRunbook(source: SourceText): Found {
  const { bodyLine } = readFrontmatter(source)
  const headings = readBlocks(source, bodyLine).filter(
    (block) => block.kind === 'heading',
  ) as readonly Heading[]
  const entries = headings.flatMap((heading): Entry[] => {
    const entry = heading.level <= 4 ? entryOf(heading.text) : undefined
    return entry?.word === 'step' || entry?.word === 'cycle' ? [{ ...entry, line: heading.line }] : []
  })
  const series = { word: entries[0]?.word ?? 'step', entries, line: entries[0]?.line ?? 1 }
  const doubles = checkNumbers(series, source.file)
  const given = new Set<string>()
  const steps = entries.map((entry): Bare => {
    const base = `${entry.word}-${entry.number.replaceAll('.', '-')}`
    const id = given.has(base) ? `${base}-${entry.line}` : base
    given.add(id)
    return {
      id,
      label: `${entry.word === 'cycle' ? 'Cycle' : 'Step'} ${entry.number}`,
      title: entry.title,
      optional: /\(optional\)/i.test(entry.title),
      consumes: [],
      produces: [],
      proof: [],
      place: { file: source.file, line: entry.line, column: 1 },
    }
  })
  const first = steps[0]?.id
  return {
    plan: {
      notation: 'runbook',
      explicit: true,
      gate: 'visited',
      entry: first === undefined ? [] : [first],
      steps: inSequence(steps),
    },
    diagnostics: [...doubles, ...unreadable(headings, source.file)],
  }
}

/** A heading that was meant as a step and is not one would drop its body without a word. */
function unreadable(headings: readonly Heading[], file: string): readonly Diagnostic[] {
  return headings
    .filter(
      ({ text }) =>
        /^(step|cycle)\b/i.test(text) && /^(step|cycle)\s+(one|two|three|four|five|six|[ivx]+)\b/i.test(text),
    )
    .map(({ text, line }) =>
      diagnose(
        'HF205',
        { file, line, column: 1 },
        `${JSON.stringify(text)} is not read as a step.`,
        'Write the number in digits: ## Step 1: title.',
      ),
    )
}
