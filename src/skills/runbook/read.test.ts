import { describe, expect, test } from 'vitest'
import { itemsOf } from '../../model/runbook/runbook.ts'
import { HEAD, read, see } from './case.contract.ts'
import { readRunbook } from './read.ts'

describe('the texts', () => {
  test('of the sections go where their readers look', () => {
    const { runbook } = read(
      `${HEAD}# Title\n\nFor people.\n\n## Common Context \n\nFor all.\n\n### Deeper\n\nToo.\n\n## Orchestrator Instructions\n\nFor it.\n\n### Phase 1: Look\n\nFor phase 1.\n\n## Notes\n\nThese too.\n\n## Step 1.1: a\n\nDo it.\n\n#### Sub\n\nMore.\n\n---\n`,
    )
    expect(runbook).toMatchObject({
      context: 'For all.\n\n### Deeper\n\nToo.',
      instructions: 'For it.',
      phases: [
        {
          title: 'Look',
          context: 'For phase 1.\n\n## Notes\n\nThese too.',
          items: [{ text: '## Step 1.1: a\n\nDo it.\n\n#### Sub\n\nMore.', title: 'a' }],
        },
      ],
    })
  })

  test('of a cycle are divided between its agents, with what concerns all of them', () => {
    const { runbook } = read(
      `${HEAD}## Cycle 1.1: a\n\nThe goal.\n\n### RED Phase\n\nAssert.\n\n**Expected failure**: none yet.\n\n### GREEN Phase\n\nPass.\n\n### REFACTOR\n\nTidy.\n\n### Stop Conditions\n\nStop.\n\n### Dependencies\n\nNone.\n`,
    )
    const shared = '### Stop Conditions\n\nStop.\n\n### Dependencies\n\nNone.'
    expect(itemsOf(runbook).map(({ part, agent, text }) => [part, agent, text])).toEqual([
      [
        'test',
        'x-tester',
        `## Cycle 1.1: a\n\nThe goal.\n\n### RED Phase\n\nAssert.\n\n**Expected failure**: none yet.\n\n${shared}`,
      ],
      [
        'impl',
        'x-implementer',
        `## Cycle 1.1: a\n\nThe goal.\n\n### GREEN Phase\n\nPass.\n\n### REFACTOR\n\nTidy.\n\n${shared}`,
      ],
    ])
  })

  test('of an inline phase end with the next section', () => {
    const { runbook } = read(
      '### Phase 1: Say (type: inline)\n\nSay it.\n\n#### How\n\nLoudly.\n\n## Notes\n\nLost.\n',
    )
    expect(itemsOf(runbook)).toMatchObject([
      {
        kind: 'inline',
        title: 'Say',
        text: '### Phase 1: Say (type: inline)\n\nSay it.\n\n#### How\n\nLoudly.',
      },
    ])
  })
})

test('the fields of a step are read with what they inherit', () => {
  const { runbook } = read(
    `${HEAD}## Step 1: a\n\n**Report Path**: \`plans/x/reports/own.md\`\n**Max Turns**: 12\n\n## Step 2: b\n\n\`\`\`\n**Max Turns**: 3\n\`\`\`\n`,
  )
  expect(itemsOf(runbook)).toMatchObject([
    { reportPath: 'plans/x/reports/own.md', maxTurns: 12, agent: 'x-task' },
    { reportPath: 'plans/x/reports/step-2.md', maxTurns: 30, agent: 'x-task' },
  ])
})

test('the model of the caller stands for that of the frontmatter', () => {
  const files = new Map([
    ['r/runbook.md', '---\nmodel: opus\n---\n## Step 1: a\n\n## Step 2: b\n\nExecution Model: haiku\n'],
  ])
  const { runbook, diagnostics } = readRunbook({ folder: 'r', name: 'r', files, model: 'sonnet' })
  expect(itemsOf(runbook).map(({ model }) => model)).toEqual(['sonnet', 'haiku'])
  expect(diagnostics).toEqual([])
})

describe('files that nobody has', () => {
  const text = (body: string) => `${HEAD}## Step 1: a\n\n${body}\n\n## Step 2: b\n\nSee \`src/here.ts\`.\n`
  const exists = (path: string) => path === 'src/here.ts'
  test.each([
    ['a reference', 'Read `src/gone.ts`.', ['HF415 6:7']],
    ['a reference twice', 'Read `src/gone.ts` and `src/gone.ts`.', ['HF415 6:7']],
    ['a file that the step creates', 'Create `src/gone.ts`.', []],
    ['a file that a later sentence creates', 'Look at `src/gone.ts`. Then write to `src/gone.ts`.', []],
    ['the runbook itself', 'See `plans/x/runbook.md`.', []],
    ['a report path', '**Report Path**: `out/one.md`\n\nSee `out/one.md`.', []],
    ['a report of any plan', 'See `plans/y/reports/a.md`.', []],
    ['a path in a fence', '```\n`src/gone.ts`\n```', []],
    ['a name without a folder', 'See `gone.ts` and `a/b`.', []],
    ['lines of a file', 'See `src/gone.ts:3-9`.', ['HF415 6:6']],
  ])('%s', (_, body, told) => {
    expect(see(text(body), exists).told).toEqual(told)
  })
})

test('a name that cannot name agents is an error', () => {
  const files = new Map([['my plan/runbook.md', `${HEAD}## Step 1: a\n`]])
  const { diagnostics } = readRunbook({ folder: 'my plan', name: 'my plan', files })
  expect(diagnostics).toMatchObject([{ code: 'HF419', severity: 'error' }])
})

test('thousands of steps are read in the time of one pass', () => {
  const steps = Array.from({ length: 9999 }, (_, at) => `## Step ${at + 1}: do\n\nWrite \`src/a${at}.ts\`.\n`)
  const { items, told } = see(`${HEAD}${steps.join('\n')}`, () => false)
  expect([items.length, told]).toEqual([9999, []])
})

test('what must be recalled goes to all agents, or to the steps of its phase', () => {
  const files = new Map([
    ['r/runbook.md', `${HEAD}## Common Context\n\nAll.\n\n## Step 1.1: a\n\n## Step 2.1: b\n`],
  ])
  const recall =
    '# Recall\n\n## Entry Keys\n\n- when a test hangs\n* how to name tests (phase 2) in short\n\n## Notes\n\n- nothing\n'
  const { runbook } = readRunbook({ folder: 'r', name: 'r', files, recall })
  expect(runbook.context).toBe('All.\n\n### Recall\n\n- when a test hangs')
  expect(runbook.phases.map(({ context }) => context)).toEqual([
    '',
    '### Recall\n\n- how to name tests in short',
  ])
})
