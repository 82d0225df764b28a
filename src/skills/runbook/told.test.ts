import { expect, test } from 'vitest'
import { RUNBOOK_EXAMPLES } from '../../model/runbook-examples.ts'
import { type Files, GREEN, HEAD, read, RED, see, STOP, WHOLE } from './case.contract.ts'
import { readRunbook } from './read.ts'

/** Refused or doubtful shapes: their problems, and the items that are read all the same. */
const TOLD: readonly (readonly [string, string | Files, readonly string[], number])[] = [
  ['no step', `${HEAD}# Title\n`, ['HF412 1:1'], 0],
  ['no cycle', '---\ntype: tdd\n---\n# Title\n', ['HF412 1:1'], 0],
  ['bold lines in place of headings', `${HEAD}# Title\n\n**Step 1**: a\n`, ['HF412 6:1'], 0],
  ['an empty runbook', '', ['HF412 1:1'], 0],
  [
    'a number in words',
    `${HEAD}## Step 1: a\n\n## Step Two: b\n\n## Step 3: c\n`,
    ['HF401 6:1', 'HF202 8:1'],
    2,
  ],
  ['a doubled point', `${HEAD}## Step 1..2: a\n\n## Step 2: b\n`, ['HF401 4:1'], 1],
  ['no space behind the hashes', `${HEAD}##Step 1: a\n\n## Step 2: b\n`, ['HF401 4:1'], 1],
  ['a step that is too deep', `${HEAD}## Step 1: a\n\n##### Step 2: b\n`, ['HF401 6:1'], 1],
  ['a phase in letters', `${HEAD}### Phase One: a\n\n## Step 1: a\n`, ['HF401 4:1'], 1],
  ['a number twice', `${HEAD}## Step 1: a\n\n## Step 1: b\n`, ['HF402 6:1'], 2],
  [
    'a step and a cycle with one number',
    `${HEAD}## Step 1.1: a\n\n## Cycle 1.1: b\n\n${WHOLE}`,
    ['HF402 6:1'],
    3,
  ],
  ['a gap', `${HEAD}## Step 1: a\n\n## Step 3: b\n`, ['HF202 6:1'], 2],
  ['steps out of order', `${HEAD}## Step 2: a\n\n## Step 1: b\n`, ['HF203 6:1'], 2],
  ['a first cycle 2.1', `${HEAD}## Cycle 2.1: a\n\n${WHOLE}`, ['HF403 4:1'], 2],
  ['a first cycle N.2', `${HEAD}## Cycle 1.2: a\n\n${WHOLE}`, ['HF403 4:1'], 2],
  ['a cycle without a second part', `${HEAD}## Cycle 1: a\n\n${WHOLE}`, ['HF403 4:1'], 2],
  [
    'a gap within a major',
    `${HEAD}## Cycle 1.1: a\n\n${WHOLE}## Cycle 1.3: b\n\n${WHOLE}`,
    ['HF202 18:1'],
    4,
  ],
  [
    'a gap between majors',
    `${HEAD}## Cycle 1.1: a\n\n${WHOLE}## Cycle 3.1: b\n\n${WHOLE}`,
    ['HF202 18:1', 'HF202 18:1'],
    4,
  ],
  [
    'a cycle without RED, though it is required',
    `${HEAD}## Cycle 1.1: a\n\nIt is required.\n\n${GREEN}${STOP}`,
    ['HF405 4:1'],
    1,
  ],
  ['a cycle without GREEN', `${HEAD}## Cycle 1.1: a\n\nEvergreen.\n\n${RED}${STOP}`, ['HF405 4:1'], 1],
  [
    'one heading for all three',
    `${HEAD}## Cycle 1.1: a\n\n### RED-GREEN-REFACTOR\n\n${STOP}`,
    ['HF405 4:1', 'HF405 4:1'],
    1,
  ],
  [
    'a cycle without stop conditions',
    `${HEAD}## Cycle 1.1: a\n\n${RED}${GREEN}**Dependencies**: none\n`,
    ['HF405 4:1'],
    2,
  ],
  ['a regression without GREEN', `${HEAD}## Cycle 1.1: [REGRESSION] a\n\n${STOP}`, ['HF405 4:1'], 1],
  [
    'a cycle without dependencies',
    `${HEAD}## Cycle 1.1: a\n\n${RED}${GREEN}**Stop Conditions**: x\n`,
    ['HF406 4:1'],
    2,
  ],
  [
    'RED only in a fence',
    `${HEAD}## Cycle 1.1: a\n\n\`\`\`\n### RED Phase\n\`\`\`\n\n${GREEN}${STOP}`,
    ['HF405 4:1'],
    1,
  ],
  ['no model', '## Step 1: a\n', ['HF407 1:1'], 1],
  ['an unknown model', `${HEAD}## Step 1: a\n\n**Execution Model**: gpt\n`, ['HF408 6:22'], 1],
  [
    'a choice of models',
    '## Step 1: a\n\n**Execution Model**: haiku/sonnet\n',
    ['HF408 3:22', 'HF407 1:1'],
    1,
  ],
  ['two models', '## Step 1: a\n\n**Execution Model**: haiku or opus\n', ['HF408 3:22', 'HF407 1:1'], 1],
  [
    'an unknown model in the frontmatter',
    '---\nmodel: gpt\n---\n## Step 1: a\n',
    ['HF408 2:1', 'HF407 4:1'],
    1,
  ],
  ['an unknown type', '---\ntype: wild\nmodel: haiku\n---\n## Step 1: a\n', ['HF408 2:1'], 1],
  ['an unknown type of a phase', `${HEAD}### Phase 1: a (type: wild)\n\n## Step 1: a\n`, ['HF408 4:23'], 1],
  ['an unknown model of a phase', `${HEAD}### Phase 1: a model: gpt\n\n## Step 1: a\n`, ['HF408 4:23'], 1],
  ['no number of turns', `${HEAD}## Step 1: a\n\n**Max Turns**: many\n`, ['HF408 6:16'], 1],
  ['a type that no step has', '---\ntype: tdd\nmodel: haiku\n---\n## Step 1: a\n', ['HF416 2:1'], 1],
  ['mixed without cycles', '---\ntype: mixed\nmodel: haiku\n---\n## Step 1: a\n', ['HF416 2:1'], 1],
  ['inline with steps only', '---\ntype: inline\nmodel: haiku\n---\n## Step 1: a\n', ['HF416 2:1'], 1],
  [
    'general with cycles too',
    `---\ntype: general\nmodel: haiku\n---\n## Step 1.1: a\n\n## Cycle 1.2: b\n\n${WHOLE}`,
    ['HF408 2:1'],
    3,
  ],
  [
    'phases that decrease',
    `${HEAD}### Phase 2: a\n\n## Step 2.1: a\n\n### Phase 1: b\n\n## Step 1.1: b\n`,
    ['HF409 8:1', 'HF203 10:1'],
    2,
  ],
  [
    'cycles that go back to an earlier phase',
    `${HEAD}## Cycle 1.1: a\n\n${WHOLE}## Cycle 2.1: b\n\n${WHOLE}## Cycle 1.2: c\n\n${WHOLE}`,
    ['HF409 32:1', 'HF203 32:1'],
    6,
  ],
  [
    'a gap between phases',
    `${HEAD}### Phase 1: a\n\n## Step 1: a\n\n### Phase 3: b\n\n## Step 2: b\n`,
    ['HF202 8:1'],
    2,
  ],
  ['a phase without steps', `${HEAD}### Phase 1: a\n\n### Phase 2: b\n\n## Step 1: b\n`, ['HF410 4:1'], 1],
  [
    'two headers of one phase',
    `${HEAD}### Phase 1: a\n\n## Step 1: a\n\n### Phase 1: b\n\n## Step 2: b\n`,
    ['HF411 8:1'],
    2,
  ],
  ['a number of another phase', `${HEAD}### Phase 1: a\n\n## Step 2.1: a\n`, ['HF411 6:1'], 1],
  [
    'a step above the first phase',
    `${HEAD}## Step 1: a\n\n### Phase 1: b\n\n## Step 2: b\n`,
    ['HF421 4:1'],
    1,
  ],
  ['an inline phase with steps', `${HEAD}### Phase 1: a (type: inline)\n\n## Step 1: a\n`, ['HF417 6:1'], 1],
  [
    'a section that reaches no agent',
    `${HEAD}## Overview\n\n## Step 1: a\n\n## Notes\n\nLost.\n`,
    ['HF418 8:1'],
    1,
  ],
  ['a report path outside', `${HEAD}## Step 1: a\n\n**Report Path**: \`../x.md\`\n`, ['HF420 6:19'], 1],
  [
    'a report in a hidden folder',
    `${HEAD}## Step 1: a\n\n**Report Path**: \`.git/hooks/x\`\n`,
    ['HF420 6:19'],
    1,
  ],
  [
    'a report over our settings',
    `${HEAD}## Step 1: a\n\n**Report Path**: .holdfast/config.yaml\n`,
    ['HF420 6:18'],
    1,
  ],
  [
    'a report in the folder of a task',
    `${HEAD}## Step 1: a\n\n**Report Path**: ./.holdfast/tasks/x/r.md\n`,
    [],
    1,
  ],
  [
    'a report below a hidden folder',
    `${HEAD}## Step 1: a\n\n**Report Path**: a/./.b/x.md\n`,
    ['HF420 6:18'],
    1,
  ],
  ['an absolute report path', `${HEAD}## Step 1: a\n\n**Report Path**: /tmp/x.md\n`, ['HF420 6:18'], 1],
  ['a fence that is never closed', `${HEAD}## Step 1: a\n\n\`\`\`\n\n## Step 2: b\n`, ['HF110 6:1'], 1],
  ['frontmatter that is no YAML', '---\nmodel: haiku\nname: "x\n---\n## Step 1: a\n', ['HF101 3:9'], 1],
  [
    'an empty phase file',
    { 'runbook-phase-1.md': `${HEAD}## Step 1.1: a\n`, 'runbook-phase-2.md': '\n' },
    ['HF413 runbook-phase-2.md:1:1'],
    1,
  ],
  [
    'a phase file without steps',
    { 'runbook-phase-1.md': `${HEAD}## Step 1.1: a\n`, 'runbook-phase-2.md': '# Phase 2: b\n\nText.\n' },
    ['HF413 runbook-phase-2.md:1:1'],
    1,
  ],
  [
    'phase files with a gap',
    { 'runbook-phase-1.md': `${HEAD}## Step 1.1: a\n`, 'runbook-phase-3.md': '## Step 3.1: b\n' },
    ['HF414 runbook-phase-3.md:1:1', 'HF202 runbook-phase-3.md:1:1', 'HF202 runbook-phase-3.md:1:1'],
    2,
  ],
  [
    'phase files that begin late',
    { 'runbook-phase-2.md': `${HEAD}## Step 2.1: a\n` },
    ['HF414 runbook-phase-2.md:1:1'],
    1,
  ],
  [
    'a whole runbook beside phase files',
    { 'runbook.md': `${HEAD}## Step 1: a\n`, 'runbook-phase-1.md': '## Step 1.1: a\n' },
    ['HF422 runbook-phase-1.md:1:1'],
    1,
  ],
]

test.each(TOLD)('told: %s', (_, files, told, count) => {
  const found = see(files)
  expect([found.told, found.items.length]).toEqual([told, count])
})

test('one faulty step is reported and hides no other', () => {
  const text = `${HEAD}## Step 1: a\n\n**Max Turns**: many\n\n## Step Two: b\n\n## Step 3: c\n\n**Report Path**: ../x\n\n## Step 3: d\n`
  expect(see(text).told).toEqual(['HF401 8:1', 'HF202 10:1', 'HF408 6:16', 'HF420 12:18', 'HF402 14:1'])
  expect(see(text).items).toHaveLength(3)
})

test('every problem has a hint and a place inside of its file', () => {
  for (const [, files] of TOLD)
    for (const one of read(files).diagnostics) {
      expect(one.hint).not.toBe('')
      expect(one.message).toMatch(/\.$/)
      expect(one.line).toBeGreaterThan(0)
    }
})

test.each(Object.entries(RUNBOOK_EXAMPLES))(
  '%s is found in its example, with no other error',
  (code, example) => {
    const [first = ''] = Object.keys(example)
    const [, name = ''] = first.split('/')
    const files = new Map(Object.entries(example))
    const { diagnostics } = readRunbook({ folder: `plans/${name}`, name, files, exists: () => false })
    expect(diagnostics.filter((one) => one.code === code)).toHaveLength(1)
    expect(diagnostics.filter((one) => one.severity === 'error' && one.code !== code)).toEqual([])
  },
)
