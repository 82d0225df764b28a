import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { itemsOf } from '../../model/runbook/runbook.ts'
import { read } from './case.contract.ts'

const RUNS = Number(process.env['HOLDFAST_RUNS'] ?? 150)

const heading = fc.constantFrom(
  '# Phase 1: a',
  '### Phase 2: b (type: inline)',
  '### Phase 3: c (type: tdd) model: opus',
  '## Phase 1',
  '## Step 1: a',
  '## Step 2.1: b',
  '### Step 2.2 - c',
  '## Cycle 1.1: d',
  '### Cycle 3.2: [REGRESSION] e',
  '## Step 3.1.4: f',
  '## Notes',
  '## Common Context ',
  '## Orchestrator Instructions',
)
const other = fc.constantFrom(
  '### RED Phase',
  '**GREEN Phase:** do',
  '**Stop conditions**',
  '**Execution Model**: haiku',
  'Execution Model: any',
  '#### Max Turns: 3',
  '**Report Path**: `../x`',
  '---',
  'Title: x',
  '- [ ] `src/a.ts`',
  '## Step Two: x',
  '##Step 1',
  'text',
  '',
)
const fence = fc.constantFrom('```', '~~~~', '> ```', '<!--', '    ## Step 9: code')
const lines = (...kinds: readonly fc.Arbitrary<string>[]) =>
  fc
    .array(fc.oneof(...kinds), { maxLength: 30 })
    .map((all) => `---\nmodel: haiku\n---\n${all.join('\n\n')}\n`)
const anything = fc.oneof(lines(heading, other, fence), anyString({ maxLength: 300 }))

test('any text gives a runbook, places inside of the text, and the same twice', () => {
  fc.assert(
    fc.property(anything, (text) => {
      const found = read(text, () => false)
      const all = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/)
      for (const { line, column } of found.diagnostics) {
        expect(line).toBeGreaterThanOrEqual(1)
        expect(line).toBeLessThanOrEqual(all.length)
        expect(column).toBeGreaterThanOrEqual(1)
        expect(column).toBeLessThanOrEqual((all[line - 1] ?? '').length + 1)
      }
      expect(JSON.stringify(read(text, () => false))).toBe(JSON.stringify(found))
    }),
    { numRuns: RUNS },
  )
})

test('a runbook without errors has steps with unique ids, models and agents', () => {
  fc.assert(
    fc.property(lines(heading, other), (text) => {
      const { runbook, diagnostics } = read(text)
      if (diagnostics.some(({ severity }) => severity === 'error')) return
      const items = itemsOf(runbook)
      expect(items.length).toBeGreaterThan(0)
      expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
      for (const { kind, model, agent } of items)
        expect([model === undefined, agent === undefined]).toEqual([kind === 'inline', kind === 'inline'])
    }),
    { numRuns: RUNS },
  )
})

test('no heading of a step is lost: it is an item, or a subsection of the step with its number, or told', () => {
  fc.assert(
    fc.property(lines(heading, other), (text) => {
      const { runbook, diagnostics } = read(text)
      const seen = new Set(itemsOf(runbook).map(({ place }) => place.line))
      const told = new Set(diagnostics.map(({ line }) => line))
      const lost = text
        .split('\n')
        .map((line, at) => ({ line, at: at + 1 }))
        .filter(({ line, at }) => /^##+ (?:Step|Cycle) /.test(line) && !seen.has(at) && !told.has(at))
        .filter(({ line }) => !itemsOf(runbook).some((item) => line.includes(` ${item.number} `)))
      expect(lost).toEqual([])
    }),
    { numRuns: RUNS },
  )
})

const times = (count: number, make: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => make(at)).join('\n')

/** Each makes a text of this size that could take quadratic time. */
const HARD: Readonly<Record<string, (size: number) => string>> = {
  steps: (size) => times(size / 40, (at) => `## Step ${at % 9999}: a\n\n**Max Turns**: 3\n`),
  'one phase, again and again': (size) =>
    times(size / 40, (at) => `### Phase 1: a\n\n## Step ${at % 9999}: b\n`),
  'headers that are not read': (size) => times(size / 20, () => '## Step Two: a\n'),
  'sections of a cycle': (size) =>
    `## Cycle 1.1: a\n\n${times(size / 20, () => '**RED**: a\n\n**GREEN**: b\n')}`,
  'heads of fields': (size) => times(size / 30, (at) => `---\nTitle: a\n---\n\n## Step ${at % 9999}: b\n`),
  'one head': (size) => `---\n${times(size / 10, () => 'Title: a')}\n---\n\n## Step 1: b\n`,
  'a long line of references': (size) => `## Step 1: a\n\n${'create `a/b.ts` '.repeat(size / 16)}`,
  'a path without an end': (size) => `## Step 1: a\n\n\`a/${'b/'.repeat(size / 2)}`,
  emphasis: (size) => `## Step 1: a\n\n${'**'.repeat(size / 2)}`,
  'a label of numbers': (size) => `## Cycle 1.1: a\n\n### ${'step 1.1 '.repeat(size / 9)}RED`,
}

describe('time grows linearly with the size for', () => {
  const SIZE = 20_000
  /** Four times the text may take eight times as long; quadratic time would be sixteen. */
  const [GROWTH, ALLOWED] = [4, 8]

  const best = (text: string) =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        // Processor time, because the clock also counts other processes.
        const start = process.cpuUsage()
        read(text, () => false)
        const { user, system } = process.cpuUsage(start)
        return (user + system) / 1000
      }),
    )

  test.each(Object.entries(HARD))('%s', (_, make) => {
    const [small, large] = [make(SIZE), make(SIZE * GROWTH)]
    let ratio = Infinity
    // A busy machine may distort one comparison, but not five.
    for (let attempt = 0; attempt < 5 && ratio >= ALLOWED; attempt++)
      ratio = best(large) / Math.max(best(small), 1)
    expect(ratio).toBeLessThan(ALLOWED)
  })
})
