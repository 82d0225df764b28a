import { type Diagnostic, diagnose } from '../../model/diagnostic.ts'
import type { Found, Frontend } from './frontend.ts'
import { readFrontmatter } from '../text/frontmatter.ts'
import { type Block, readBlocks } from '../text/markdown.ts'
import { firstSteps, inSequence } from '../../model/plan/sequence.ts'
import { numberedStep } from '../numbered-step.ts'
import { entryOf, type Entry, idWords } from '../series/entry.ts'
import { checkNumbers } from '../series/numbers.ts'
import { byName, idGiver, type SourceText } from '../text/text.ts'

const RUNBOOK_PATH = /(^|\/)runbook[^/]*\.md$/i
const PART_PATH = /(^|\/)runbook-phase-\d+\.md$/i

/** A runbook: headings define steps and cycles, in file order. */
export const runbook: Frontend = {
  name: 'runbook',
  read({ files }) {
    const sources = [...files]
      .filter(([path]) => RUNBOOK_PATH.test(path))
      .toSorted(([a], [b]) => byName(a, b))
      .map(([path, source]) => ({ path, source }))
    const parts = sources.filter(({ path }) => PART_PATH.test(path))
    const whole = sources.filter(({ path }) => !PART_PATH.test(path)).map(({ source }) => [source])
    // Phase files form one runbook together; any other file is a runbook of its own.
    return [...whole, parts.map(({ source }) => source)]
      .map(readRunbook)
      .find(({ plan }) => plan !== undefined && plan.steps.length > 0)
  },
}

interface Part {
  readonly source: SourceText
  readonly blocks: readonly Block[]
  readonly entries: readonly Entry[]
}

function readPart(source: SourceText): Part {
  const blocks = readBlocks(source, readFrontmatter(source).bodyLine)
  const headings = blocks.filter((block) => block.kind === 'heading')
  const entries = headings.flatMap((heading): Entry[] => {
    const entry = heading.level <= 4 ? entryOf(heading.text) : undefined
    return entry?.word === 'step' || entry?.word === 'cycle' ? [{ ...entry, line: heading.line }] : []
  })
  return { source, blocks, entries }
}

function readRunbook(sources: readonly SourceText[]): Found {
  const parts = sources.map(readPart)
  const give = idGiver()
  const steps = parts.flatMap(({ source, entries }) =>
    entries.map((entry) => {
      const { word, number } = entry
      const label = `${word === 'cycle' ? 'Cycle' : 'Step'} ${number}`
      return numberedStep(entry, { id: give(`${word} ${idWords(number)}`), label, file: source.file })
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
    diagnostics: parts.flatMap(({ source, blocks, entries }) => [
      ...checkNumbers(
        { word: entries[0]?.word ?? 'step', entries, line: entries[0]?.line ?? 1 },
        source.file,
      ),
      ...unreadable(blocks, source.file),
    ]),
  }
}

/** Likely misspelled steps: a number in words, or hashes without the space that a heading needs. */
const MEANT = {
  heading: /^(step|cycle)\s+(one|two|three|four|five|six|seven|eight|nine|ten|[ivx]+\b|-?\d)/i,
  paragraph: /^#{1,6}(step|cycle)\s+\S/i,
}

/** Reports misspelled steps, because their bodies would silently drop out of the plan. */
function unreadable(blocks: readonly Block[], file: string): readonly Diagnostic[] {
  return blocks.flatMap((block) => {
    if (block.kind !== 'heading' && block.kind !== 'paragraph') return []
    if (!MEANT[block.kind].test(block.text) || entryOf(block.text) !== undefined) return []
    const [text = ''] = block.text.split('\n')
    const place = { file, line: block.line, column: 1 }
    const hint = 'Write the number in digits and put a space after the hashes: ## Step 1: title.'
    return [diagnose('HF205', place, `${JSON.stringify(text.slice(0, 80))} is not read as a step.`, hint)]
  })
}
