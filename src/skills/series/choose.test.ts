import { describe, expect, test } from 'vitest'
import { readBlocks } from '../text/markdown.ts'
import { sourceText } from '../text/text.ts'
import { choosePlan } from './choose.ts'

const choiceOf = (text: string) => choosePlan(readBlocks(sourceText('x.md', text), 0))
const planOf = (text: string): string =>
  (choiceOf(text).plan?.entries ?? [])
    .map(({ word, number }) => `${word} ${number}`.trim())
    .join(', ')
    .replaceAll(/, \w+(?= )/g, '')
const titlesOf = (text: string) => choiceOf(text).plan?.entries.map(({ title }) => title) ?? []
const steps = (...titles: readonly string[]) =>
  titles.map((title, index) => `${index + 1}. ${title}`).join('\n')
const VERBS = steps('Read the file', 'Write the test', 'Run it')
const NOUNS = steps('Speed', 'Clarity', 'Safety')

describe('headings that are called steps', () => {
  test.each([
    [
      'ignore the content of a fence',
      '## Step 1: a\n\n```md\n## Step 2: no\n```\n\n## Step 2: b\n',
      'step 1 2',
    ],
    ['end at an unclosed fence', '## Step 1: a\n## Step 2: b\n```\n## Step 3: c\n', 'step 1 2'],
    ['go on below another heading', '# A\n## Step 1: a\n## Step 2: b\n# B\n## Step 3: d\n', 'step 1 2 3'],
    [
      'may restart below the same heading, a mistake',
      '# A\n## Step 1: a\n## Step 2: b\n## Step 1: c\n',
      'step 1 2 1',
    ],
    [
      'win over their parts',
      '## Phase 1: A\n### Step 1: a\n### Step 2: b\n### Step 3: c\n## Phase 2: B\n### Step 4: d\n',
      'phase 1 2',
    ],
    [
      'win over lettered parts',
      '## Step 1: a\n## Step 2: b\n### 2a. x\n### 2b. y\n### 2c. z\n## Step 3: c\n',
      'step 1 2 3',
    ],
    [
      'win over a table of contents',
      '## 1. About\n## 2. How\n### Step 1: a\n### Step 2: b\n## 3. More\n',
      'step 1 2',
    ],
    [
      'win over longer lists',
      `## Step 1: a\n## Step 2: b\n## Edge cases\n${steps('a', 'b', 'c', 'd')}`,
      'step 1 2',
    ],
    [
      'have half steps, letters and ranges',
      '## Phase 0: a\n## Phase 0.5: b\n## Phase 2A: c\n## Phase 2B: d\n## Phases 3-5: e\n',
      'phase 0 0.5 2A 2B 3-5',
    ],
    [
      'do not count the heading of a group',
      '## Phases 1-2: both\n## Phase 1: a\n## Phase 2: b\n',
      'phase 1 2',
    ],
    ['are none below questions', '## Question flow\n### Phase 0: Goal\n### Phase 1: Scope\n', ''],
    ['are none below an example', '## Example\n### Step 1: a\n### Step 2: b\n', ''],
    [
      'are the plan if there are many, whatever is above',
      `## Notes\n${[1, 2, 3, 4, 5, 6].map((n) => `### Step ${n}: x`).join('\n')}\n`,
      'step 1 2 3 4 5 6',
    ],
    [
      'are the rest of an example if their first step is in code',
      '```\n## Step 1: a\n```\n## Step 2: b\n## Step 3: c\n',
      '',
    ],
  ])('%s', (_, text, plan) => expect(planOf(text)).toBe(plan))
})

describe('a list', () => {
  test.each([
    '## Workflow',
    '## Steps',
    '## Process',
    '## Instructions',
    '## Procedure',
    '## Core workflow',
    '## Tips\n\n### Workflow',
    '## ワークフロー',
    '## 手順',
    '## 工作流程',
    '## 操作步骤',
    '## 步驟',
    '## 프로세스',
    '## İş Akışı',
    '## Yapılacaklar',
    '## Processo',
  ])('below %j is the plan, whatever its titles', (heading) => {
    expect(planOf(`# X\n\n${heading}\n\n${NOUNS}\n`)).toBe('1, 2, 3')
  })

  test.each([
    '## How it works',
    '## What this command does',
    '## Do',
    '## 仕組み',
    '## 工作原理',
    '## 作者',
    '## Some name',
  ])('below %j is the plan if it instructs', (heading) => {
    expect(planOf(`# X\n\n${heading}\n\n${VERBS}\n`)).toBe('1, 2, 3')
    expect(planOf(`# X\n\n${heading}\n\n${NOUNS}\n`)).toBe('')
  })

  test.each([
    '## Best practices',
    '## Usage examples',
    '## Capabilities',
    '## Performance tips',
    '## 💡 Notes',
    '## References',
    '## Example workflow',
    '# React best practices',
    '## Examples\n\n### With a database',
    '## Workflow\n\n### Tips',
    '## Core rules',
    '## Key edge cases',
    '## Troubleshooting',
    '## When to use',
    '## Error handling',
    '## Quick start',
    '## Decision framework',
    '## Key learnings',
    '## Desired outcomes',
    '## ベストプラクティス',
    '## 核心原则',
    '## 关键边缘案例',
    '## 모범 사례',
    '## Temel İlkeler',
    '## Boas práticas',
  ])('below %j is none, and neither are numbered headings', (heading) => {
    expect(planOf(`${heading}\n\n${VERBS}\n`)).toBe('')
    const level = `${/^#+/.exec(heading.split('\n').at(-1) ?? '')?.[0] ?? ''}#`
    expect(planOf(`${heading}\n\n${level} 1. Read\n\n${level} 2. Write\n`)).toBe('')
  })

  test.each([
    ['announced by the line above', '## Basics\n\nThe usual workflow:\n\n', NOUNS, '1, 2, 3'],
    ['announced in its order', '## Notice\n\nRun the checks in this exact order:\n\n', NOUNS, '1, 2, 3'],
    ['of parts, as the line above says', '## How it works\n\nThree core modules:\n\n', VERBS, ''],
    ['of what a script does', '## How it works\n\nThe script runs after each edit:\n\n', VERBS, ''],
    ['for one case only', '## Release\n\nIf the build fails:\n\n', VERBS, ''],
    ['for each call', '## Use\n\nWhen this skill is invoked:\n\n', NOUNS, '1, 2, 3'],
    ['of what others do', '## Flow\n\n', steps('User opens it', 'Claude loads it', 'The hook runs it'), ''],
    ['of what it does', '## How it works\n\n', steps('Runs a search', 'Returns the best', 'Shows them'), ''],
    ['about one thing', '## Flow\n\n', steps('User can pay', 'User can search', 'User can leave'), ''],
    ['before any heading', '', steps('Who is it for?', 'What is wanted?', 'Write it.'), '1, 2, 3'],
    ['from zero', '## Workflow\n\n', '0. Gather\n1. Write\n2. Check', '0, 1, 2'],
    ['numbered with ones', '## Workflow\n\n', '1. Gather\n1. Write\n1. Check', '1, 2, 3'],
    [
      'that goes on after headings of an item',
      '## Process\n\n',
      '1. Read\n2. Check\n\n### 2a. List\n\n### 2b. Verdict\n\n3. Save',
      '1, 2, 3',
    ],
  ])('%s', (_, above, list, plan) => expect(planOf(`${above}${list}\n`)).toBe(plan))

  test('below a heading of steps wins over a longer one elsewhere', () => {
    expect(planOf(`## About\n\n${VERBS}\n4. Send it\n\n## Workflow\n\n1. Look\n2. Act\n`)).toBe('1, 2')
  })

  test('without a heading of steps must be the only one', () => {
    const one = `## Triage\n\n${VERBS}\n`
    expect(planOf(`# X\n\n${one}`)).toBe('1, 2, 3')
    expect(planOf(`# X\n\n${one}\n## Release\n\n${VERBS}\n`)).toBe('')
    expect(planOf(`# X\n\n${one}\n## Repair\n\nWhen it fails:\n\n${VERBS}\n`)).toBe('')
  })
})

describe('bold lines', () => {
  test.each([
    ['with a word', '**Step 1 — Look:**\n\ntext\n\n**Step 2 — Act:**\n\n1. x\n2. y\n', 'step 1 2'],
    [
      'with numbers below a heading that says how',
      '# X\n\n## How to review\n\n**1. Get it:**\n\n**2. Send it:**\n\n**3. Act on it:**\n',
      '1, 2, 3',
    ],
    ['of options', '# X\n\n## Execution\n\n**1. Inline**\n\n**2. Parallel**\n', ''],
    [
      'split at a heading',
      '# X\n\n## A\n\n**Step 1: a**\n\n**Step 2: b**\n\n**Step 3: c**\n\n## B\n\n**Step 4: d**\n',
      'step 1 2 3',
    ],
    [
      'split where the numbers restart',
      '# X\n\n**Step 1: a**\n\n**Step 2: b**\n\n**Step 3: c**\n\n**Step 1: d**\n',
      'step 1 2 3',
    ],
  ])('%s', (_, text, plan) => expect(planOf(text)).toBe(plan))

  test('have plain titles', () => {
    expect(titlesOf('**Step 1 — Look at `x`:**\n\n**Step 2**: do **more**\n')).toEqual([
      'Look at x',
      'do more',
    ])
  })
})

test('tags of steps win over the headings before them', () => {
  const text = `## On activation\n\n### Step 1: Load\n\n### Step 2: Greet\n\n## Execution\n\n<workflow>\n\n<step n="1" goal="Find the story">\n  <action>Look</action>\n</step>\n\n<step n="2" goal="Write it">\n</step>\n\n</workflow>\n`
  expect(titlesOf(text)).toEqual(['Find the story', 'Write it'])
})

describe('procedures of equal standing', () => {
  const two = (one: string, other: string) =>
    `## ${one}\n\n### Step 1: a\n\n### Step 2: b\n\n## ${other}\n\n### Step 1: c\n\n### Step 2: d\n`

  test('are no plan, and each is named', () => {
    expect(choiceOf(two('Publish', 'Remove'))).toMatchObject({
      plan: undefined,
      equals: [{ line: 3 }, { line: 9 }],
    })
    expect(choiceOf(two('Scan workflow', 'Report workflow')).equals).toHaveLength(2)
  })

  test.each([
    ['one has the heading of a procedure', two('Workflow', 'Remove'), 'step 1 2'],
    [
      'the other is much shorter',
      two('Publish', 'Remove').replace('### Step 2: b', '### Step 2: b\n\n### Step 3: x\n\n### Step 4: y'),
      'step 1 2 3 4',
    ],
    ['the other holds in one mode', two('Start', 'Quick mode'), 'step 1 2'],
  ])('are not, if %s', (_, text, plan) => expect(planOf(text)).toBe(plan))
})

test('a text without numbers has no plan', () =>
  expect(choiceOf('# Only\n\ntext\n\n- a\n- b\n').plan).toBeUndefined())
