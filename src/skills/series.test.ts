import { describe, expect, test } from 'vitest'
import { readBlocks } from './text/markdown.ts'
import { checkNumbers, entryOf, findSeries, rank } from './series.ts'
import { sourceText } from './text/text.ts'

const seriesOf = (text: string) => findSeries(readBlocks(sourceText('x.md', text), 0))
const numbers = (text: string) =>
  seriesOf(text).map(({ word, entries }) => `${word} ${entries.map(({ number }) => number).join(' ')}`.trim())

test.each([
  ['Phase 1: Plan', { word: 'phase', number: '1', title: 'Plan' }],
  ['Phase 1 — Plan', { word: 'phase', number: '1', title: 'Plan' }],
  ['Phase -2: Before', { word: 'phase', number: '-2', title: 'Before' }],
  ['Phase 7-8: Both', { word: 'phase', number: '7-8', title: 'Both' }],
  ['Phase 3.A: Build', { word: 'phase', number: '3.A', title: 'Build' }],
  ['Step 2b) Branch', { word: 'step', number: '2b', title: 'Branch' }],
  ['STEP 4', { word: 'step', number: '4', title: '' }],
  ['Cycle 1.2: Red', { word: 'cycle', number: '1.2', title: 'Red' }],
  ['1. First', { word: '', number: '1', title: 'First' }],
  ['2) Second', { word: '', number: '2', title: 'Second' }],
  ['3.1 Third', { word: '', number: '3.1', title: 'Third' }],
  ['4 — Fourth', { word: '', number: '4', title: 'Fourth' }],
])('%s is an entry', (text, entry) => expect(entryOf(text)).toEqual(entry))

test.each([
  ['2024 results'],
  ['Phases'],
  ['Step by step'],
  ['Phase one'],
  ['10x faster'],
  ['Stepping 3 stones'],
])('%s is not an entry', (text) => {
  expect(entryOf(text)).toBeUndefined()
})

describe('the series of a file', () => {
  test('ignores the content of a fence', () => {
    expect(numbers('## Step 1: a\n\n```md\n## Step 2: not\n```\n\n## Step 2: b\n')).toEqual(['step 1 2'])
  })
  test('ignores everything below an unclosed fence', () => {
    expect(numbers('## Step 1: a\n## Step 2: b\n```\n## Step 3: c\n')).toEqual(['step 1 2'])
  })
  test('ends if the numbers restart below another heading', () => {
    expect(
      numbers('# A\n## Step 1: a\n## Step 2: b\n## Step 3: c\n# B\n## Step 1: d\n## Step 2: e\n'),
    ).toEqual(['step 1 2 3', 'step 1 2'])
  })
  test('continues if the numbers continue below another heading', () => {
    expect(numbers('# A\n## Step 1: a\n## Step 2: b\n# B\n## Step 3: d\n')).toEqual(['step 1 2 3'])
  })
  test('continues if the numbers restart under the same heading, which is a mistake', () => {
    expect(numbers('# A\n## Step 1: a\n## Step 2: b\n## Step 1: c\n')).toEqual(['step 1 2 1'])
  })
  test('with the most entries at one level wins over a table of contents', () => {
    expect(
      numbers(
        '## 1. About\n## 2. How\n### Step 1: a\n### Step 2: b\n### Step 3: c\n### Step 4: d\n## 3. More\n',
      ),
    ).toEqual(['step 1 2 3 4', '1 2 3'])
  })
  test('with parts below several of its steps comes before the parts', () => {
    expect(
      numbers('## Phase 1: A\n### Step 1: a\n### Step 2: b\n### Step 3: c\n## Phase 2: B\n### Step 4: d\n'),
    ).toEqual(['phase 1 2', 'step 1 2 3'])
  })
  test('is the longest one, and among equals the one with a word', () => {
    expect(numbers('## 1. a\n## 2. b\n### Phase 1: x\n### Phase 2: y\n')).toEqual(['phase 1 2', '1 2'])
  })
  test('uses bold lines if no heading is numbered, and lists if nothing else is', () => {
    expect(numbers('**Step 1**: do\n\n**Step 2**: do more\n\n1. x\n2. y\n')).toEqual(['step 1 2'])
    expect(numbers('text\n\n1. x\n2. y\n   1. deep\n3. z\n')).toEqual(['1 2 3'])
  })
  test.each([
    '## Best practices',
    '## Examples',
    '## Usage examples',
    '## Capabilities',
    '## Performance tips',
    '## 💡 Notes',
    '## References',
    '## Example workflow',
    '# React best practices',
    '## Examples\n\n### With a database',
    '## Workflow\n\n### Tips',
  ])('ignores lists below %j', (heading) => {
    expect(numbers(`${heading}\n\n1. x\n2. y\n3. z\n`)).toEqual([])
    const level = `${/^#+/.exec(heading.split('\n').at(-1) ?? '')?.[0] ?? ''}#`
    expect(numbers(`${heading}\n\n${level} 1. x\n\n${level} 2. y\n`)).toEqual([])
  })
  test.each([
    '## Workflow',
    '## Steps',
    '## Process',
    '## Instructions',
    '## Procedure',
    '## How it works',
    '# Best practices\n\n## How',
    '## Tips\n\n### Workflow',
    '# Notes\n\nText.\n\n## Step 1',
  ])('has lists below %j', (heading) => {
    expect(numbers(`${heading}\n\n1. x\n2. y\n3. z\n`)).toEqual(['1 2 3'])
  })
  test('prefers a short list below a heading of steps to a longer one elsewhere', () => {
    expect(numbers('## About\n\n1. a\n2. b\n3. c\n\n## Workflow\n\n1. x\n2. y\n')).toEqual(['1 2', '1 2 3'])
  })
  test('is missing in a file without numbers', () =>
    expect(numbers('# Only\n\ntext\n\n- a\n- b\n')).toEqual([]))
})

test.each([
  ['0 1 2', []],
  ['1 2 2 3', ['HF201']],
  ['1 3', ['HF202']],
  ['7 11 9', ['HF202', 'HF203']],
  ['1 2 2b 3', []],
  ['5 6 7-8 9', []],
  ['-2 -1 0 1', []],
  ['4.5 4.75 4.8 5', []],
  ['4.9 4.10', []],
  ['4.8 4.7', ['HF203']],
])('the numbers %s get %j', (list, codes) => {
  const text = list
    .split(' ')
    .map((number) => `## Step ${number}: x`)
    .join('\n')
  const [first] = seriesOf(text)
  expect(first === undefined ? undefined : checkNumbers(first, 'x.md').map(({ code }) => code)).toEqual(codes)
})

test('ranks sort naturally', () => {
  const inOrder = ['-1', '0', '1', '1.1', '1.2', '2', '2b', '2.10', '10']
  expect(inOrder.toReversed().toSorted((a, b) => rank(a) - rank(b))).toEqual(inOrder)
})
