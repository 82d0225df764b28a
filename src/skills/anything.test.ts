import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clients } from '../clients/index.ts'
import { anyString } from '../../test/any-string.ts'
import { readAll } from './read-all.ts'

/** For any file: nothing throws, results are deterministic, and time is not quadratic. */

const RUNS = Number(process.env['HOLDFAST_RUNS'] ?? 150)
const PATHS = [
  'x/SKILL.md',
  'x/holdfast.yaml',
  'x/runbook.md',
  'x/steps/step-01-a.md',
  'x/steps/step-02-b.md',
  'commands/y.md',
  '.claude-plugin/plugin.json',
]
const read = (texts: readonly string[]) =>
  readAll(PATHS, { textOf: (path) => texts[PATHS.indexOf(path)] ?? '', clients })

const bytes = fc.uint8Array({ maxLength: 300 }).map((raw) => new TextDecoder().decode(raw))
const letters = anyString({ maxLength: 200 })
const scalar = fc.constantFrom(
  'a',
  '1.0',
  '[a]',
  '[a',
  '{a: b',
  '"',
  "'",
  '*a',
  '&a b',
  '|',
  '@x',
  'a: b',
  '- x',
  '!t x',
)
const key = fc.constantFrom(
  ...'name description consumes produces nextStepFile next-skill pipeline continuation phases gate steps proof'.split(
    ' ',
  ),
)
const yaml = fc
  .array(
    fc
      .tuple(fc.nat({ max: 3 }), key, scalar)
      .map(([depth, name, value]) => `${'  '.repeat(depth)}${name}: ${value}`),
    { maxLength: 12 },
  )
  .map((lines) => lines.join('\n'))
const block = fc.constantFrom(
  '# X',
  '## Phase 1: a',
  '## Phase 3.A: b',
  '### Step 2b) c (optional)',
  '#### 1.2 d',
  '**Step 1** e',
  '1. f',
  '- [ ] g',
  '> ## Step 3',
  '```',
  '~~~~',
  '```json\n{"phases": [{"label": "1"}, {"label": "1.A"}]}\n```',
  '```json\n{"phases": [',
  'text\n---',
  '/go and Skill("nowhere")',
  '<!--',
  '\u0000\ud800',
  '',
)
const markdown = fc.array(block, { maxLength: 25 }).map((blocks) => blocks.join('\n'))
const file = fc.oneof(
  bytes,
  letters,
  yaml,
  markdown,
  fc.tuple(yaml, markdown).map(([fields, body]) => `---\n${fields}\n---\n${body}`),
  fc.tuple(yaml, letters, markdown).map(([fields, mess, body]) => `---\r\n${fields}\n${mess}\n---\n${body}`),
)

test('any file gives a definition with places inside of the files, and the same one twice', () => {
  fc.assert(
    fc.property(fc.array(file, { minLength: PATHS.length, maxLength: PATHS.length }), (texts) => {
      const parsed = read(texts)
      expect(parsed.map(({ definition }) => definition.file)).toEqual(['x/SKILL.md', 'commands/y.md'])
      for (const { file: path, line, column } of parsed.flatMap(({ diagnostics }) => diagnostics)) {
        const lines = (texts[PATHS.indexOf(path)] ?? '').replace(/^\uFEFF/, '').split(/\r\n?|\n/)
        expect(line).toBeGreaterThanOrEqual(1)
        expect(line).toBeLessThanOrEqual(lines.length)
        expect(column).toBeGreaterThanOrEqual(1)
        expect(column).toBeLessThanOrEqual((lines[line - 1] ?? '').length + 1)
      }
      expect(JSON.stringify(read(texts))).toBe(JSON.stringify(parsed))
    }),
    { numRuns: RUNS },
  )
})

test('every step of a plan has a unique id, or a diagnostic says otherwise', () => {
  fc.assert(
    fc.property(markdown, markdown, (main, runbook) => {
      for (const { definition, diagnostics } of read([main, '', runbook])) {
        const ids = (definition.plan?.steps ?? []).map(({ id }) => id)
        const isTold = diagnostics.some(({ code }) => code === 'HF301')
        expect(isTold || new Set(ids).size === ids.length).toBe(true)
      }
    }),
    { numRuns: RUNS },
  )
})

const head = '---\nname: x\ndescription: Does things.\n---\n\n'
const times = (count: number, make: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => make(index)).join('\n')
const fenced = (value: string) => `${head}\`\`\`json\n${value}\n\`\`\`\n`

/** Each makes a text of this size that once took quadratic time, or could. */
const HARD: Readonly<Record<string, (size: number) => string | readonly string[]>> = {
  'a real skill, again and again': (size) =>
    head +
    times(
      size / 400,
      (n) => `## Step ${n}: Do it\n\n${'Some words about it. '.repeat(15)}\n\n- [ ] a\n- b /c\n`,
    ),
  'phases by headings': (size) => head + times(size / 14, (n) => `## Phase ${n}: x`),
  'phases as json': (size) =>
    fenced(
      JSON.stringify({ phases: Array.from({ length: size / 24 }, (_, n) => ({ label: `${n}`, name: 'x' })) }),
    ),
  'one number for every step': (size) => head + times(size / 8, () => '## 1. a'),
  'only optional steps': (size) => head + times(size / 20, (n) => `## ${n}. (optional)`),
  'procedures that start again': (size) => head + times(size / 26, () => '# P\n## Step 1: x\n### 1. y'),
  'blanks in a bold line': (size) => `${head}**Step 1:${' '.repeat(size)}x\n\n**Step 2:${' '.repeat(9)}x`,
  'stars in a title': (size) => `${head}## Step 1: a${'*'.repeat(size)}b\n\n## Step 2: c`,
  'faults of YAML on one line': (size) => `---\na: ${`"'`.repeat(size / 2)}\n---\n`,
  'broken fields': (size) => `---\n${times(size / 12, (n) => `k${n}: v: w`)}\n---\n`,
  'anchors of anchors': (size) =>
    `---\na0: &a0 x\n${times(size / 24, (n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)}\n---\n`,
  'fences that are never closed': (size) => head + times(size / 6, () => '- ```'),
  'a quote that goes on': (size) => `${head}${'>'.repeat(25)} a\n${times(size / 2, () => 'a')}`,
  'names of what comes next': (size) =>
    fenced(JSON.stringify({ nextSkills: Array.from({ length: size / 10 }, (_, n) => `/go${n}`) }, null, 1)),
  'fields of the sidecar': (size) => [head, times(size / 10, (n) => `key${n}: 1`)],
  'artifacts of two steps': (size) => {
    const names = (letter: string) => `[${times(size / 16, (n) => `${letter}${n}`).replaceAll('\n', ', ')}]`
    const step = (from: string, to: string) => `---\nconsumes: ${names(from)}\nproduces: ${names(to)}\n---\n`
    return [head, '', '', step('a', 'b'), step('b', 'c')]
  },
  'a heading of all its size': (size) => `${head}## Step 1: ${'a '.repeat(size / 2)}\n\n## Step 2: b`,
}

describe('time grows linearly with the size for', () => {
  const SIZE = 10_000
  /** Four times the text may take eight times as long; quadratic time would be sixteen. */
  const [GROWTH, ALLOWED] = [4, 8]

  const best = (texts: string | readonly string[]) =>
    Math.min(
      ...Array.from({ length: 3 }, () => {
        // Processor time, because the clock also counts other processes.
        const start = process.cpuUsage()
        read([texts].flat())
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

test.each([
  ['quotes', `${head}${'>'.repeat(100_000)}`],
  ['lists', times(2000, (n) => `${' '.repeat(n)}- a`)],
  ['flow lists', `---\na: ${'['.repeat(20_000)}${']'.repeat(20_000)}\n---\n`],
  ['flow lists that are never closed', `---\na: ${'['.repeat(5000)}\n---\n`],
  ['flow fields', `---\na: ${'{a: '.repeat(5000)}x${'}'.repeat(5000)}\n---\n`],
  ['fields', `---\n${times(300, (n) => `${' '.repeat(n)}a:`)}\n---\n`],
  ['json', fenced(`{"modes": {"a": ${'['.repeat(20_000)}${']'.repeat(20_000)}}}`)],
])('deep %s can be read, and the result can be written', (_, text) => {
  const [only] = read([text])
  expect(JSON.stringify(only?.definition).length).toBeGreaterThan(0)
})

test.each([
  ['one line of ten megabytes', 'a'.repeat(10_000_000)],
  ['ten megabytes of slashes', ' /a'.repeat(3_000_000)],
  ['ten megabytes of stars', `## ${'*'.repeat(10_000_000)}`],
  ['an odd number of fences', '```\n'.repeat(50_001)],
  ['NUL', '\u0000'.repeat(100_000)],
  ['unpaired surrogates', '\ud800'.repeat(100_000)],
])('%s is read', (_, text) => expect(read([head + text])[0]?.definition.name).toBe('x'))
