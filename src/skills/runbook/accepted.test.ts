import { expect, test } from 'vitest'
import { type Files, HEAD, GREEN, RED, see, STOP, WHOLE } from './case.contract.ts'

/** Accepted shapes: the items that they give, without any problem. */
const ACCEPTED: readonly (readonly [string, string | Files, string, readonly string[]])[] = [
  [
    'general steps',
    `${HEAD}## Step 1: a\n\n## Step 2: b\n`,
    'general',
    ['step-1 | 1 | haiku', 'step-2 | 1 | haiku'],
  ],
  [
    'steps with parts are in phases',
    `${HEAD}## Step 1.1: a\n\n## Step 1.2: b\n\n## Step 2.1: c\n`,
    'general',
    ['step-1-1 | 1 | haiku', 'step-1-2 | 1 | haiku', 'step-2-1 | 2 | haiku'],
  ],
  ['three parts', `${HEAD}## Step 1.2.1: a\n`, 'general', ['step-1-2-1 | 1 | haiku']],
  ['a step without a title', `${HEAD}## Step 1\n`, 'general', ['step-1 | 1 | haiku']],
  ['a step with another separator', `${HEAD}## Step 1 - a\n`, 'general', ['step-1 | 1 | haiku']],
  [
    'cycles at level 2 and 3',
    `${HEAD}## Cycle 1.1: a\n\n${WHOLE}### Cycle 1.2: b\n\n${WHOLE}`,
    'tdd',
    [
      'step-1-1-test | 1 | haiku',
      'step-1-1-impl | 1 | haiku',
      'step-1-2-test | 1 | haiku',
      'step-1-2-impl | 1 | haiku',
    ],
  ],
  [
    'sections as labels, with a bootstrap',
    `${HEAD}## Cycle 1.1: a\n\n**Bootstrap:** the names\n\n---\n\n**RED Phase:**\n\n- fails\n\n---\n\n**GREEN Phase:**\n\n- passes\n\n${STOP}`,
    'tdd',
    ['step-1-1-bootstrap | 1 | haiku', 'step-1-1-test | 1 | haiku', 'step-1-1-impl | 1 | haiku'],
  ],
  ['a spike needs nothing', `${HEAD}## Cycle 0.1: look\n\nFind out.\n`, 'tdd', ['step-0-1 | 0 | haiku']],
  [
    'a regression needs GREEN only',
    `${HEAD}## Cycle 1.1: [REGRESSION] keep\n\n**Dependencies**: none\n\n${GREEN}`,
    'tdd',
    ['step-1-1 | 1 | haiku'],
  ],
  [
    'stop conditions and dependencies for all cycles',
    `${HEAD}## Common Context  \n\n**Stop/Error Conditions (all cycles):**\n\nStop.\n\n### Dependencies\n\nNone.\n\n## Cycle 1.1: a\n\n${RED}${GREEN}`,
    'tdd',
    ['step-1-1-test | 1 | haiku', 'step-1-1-impl | 1 | haiku'],
  ],
  [
    'mixed, with an inline phase',
    `${HEAD}### Phase 1: Look\n\n## Step 1.1: a\n\n### Phase 2: Build (type: tdd) model: opus\n\n## Cycle 2.1: b\n\n${WHOLE}### Phase 3: Tell (type: inline)\n\nSay it.\n`,
    'mixed',
    ['step-1-1 | 1 | haiku', 'step-2-1-test | 2 | opus', 'step-2-1-impl | 2 | opus', 'inline-3 | 3 | —'],
  ],
  ['inline only', '### Phase 1: Say (type: inline)\n\nSay it.\n', 'inline', ['inline-1 | 1 | —']],
  [
    'inline by its frontmatter',
    '---\ntype: inline\n---\n### Phase 1: Say\n\nSay it.\n',
    'inline',
    ['inline-1 | 1 | —'],
  ],
  [
    'phase files from 1',
    {
      'runbook-phase-1.md': `${HEAD}## Step 1.1: a\n`,
      'runbook-phase-2.md': '### Phase 2: b\n\n## Step 2.1: b\n',
    },
    'general',
    ['step-1-1 | 1 | haiku', 'step-2-1 | 2 | haiku'],
  ],
  [
    'phase files from 0, with a whole runbook as their head',
    {
      'runbook.md': `${HEAD}# Title\n\n## Common Context\n\nAll.\n`,
      'runbook-phase-0.md': '# Phase 0: Look\n\n## Step 0.1: a\n',
      'runbook-phase-1.md': '# Phase 1: Do\n\n## Step 1.1: b\n',
    },
    'general',
    ['step-0-1 | 0 | haiku', 'step-1-1 | 1 | haiku'],
  ],
  [
    'headings in fences are no structure',
    `${HEAD}## Step 1: a\n\n\`\`\`md\n## Step 9: no\n### Phase 7: no\n\`\`\`\n\n~~~~\n## Common Context\n~~~\n## Step 8: no\n~~~~\n\n## Step 2: b\n`,
    'general',
    ['step-1 | 1 | haiku', 'step-2 | 1 | haiku'],
  ],
  [
    'headings in a quotation are no structure',
    `${HEAD}## Step 1: a\n\nAs in the old plan:\n\n> ## Step 9: no\n>\n> ### Phase Two: no\n\n## Step 2: b\n`,
    'general',
    ['step-1 | 1 | haiku', 'step-2 | 1 | haiku'],
  ],
  [
    'the model of a step wins over that of its phase and the frontmatter',
    `${HEAD}### Phase 1: a model: sonnet\n\n## Step 1.1: a\n\n**Execution Model**: Opus\n\n## Step 1.2: b\n\n### Phase 2: b\n\n## Step 2.1: c\n`,
    'general',
    ['step-1-1 | 1 | opus', 'step-1-2 | 1 | sonnet', 'step-2-1 | 2 | haiku'],
  ],
  [
    'the model as a heading, in a list, inside the bold, and with words around it',
    `## Step 1: a\n\n#### Execution Model: sonnet\n\n## Step 2: b\n\n- **Execution Model:** \`haiku\`\n\n## Step 3: c\n\nExecution Model: Claude Opus 4\n\n## Step 4: d\n\n### Execution Model\n\nhaiku (fast)\n`,
    'general',
    ['step-1 | 1 | sonnet', 'step-2 | 1 | haiku', 'step-3 | 1 | opus', 'step-4 | 1 | haiku'],
  ],
  [
    'a head of fields above the heading of a step, and below it',
    `## Step 1: a\n\n---\nExecution Model: sonnet\n---\n\nText.\n\n---\nExecution Model: opus\nTitle: long\n---\n\n## Step 2: b\n`,
    'general',
    ['step-1 | 1 | sonnet', 'step-2 | 1 | opus'],
  ],
  [
    'the model with the reason for it',
    `## Step 1: a\n\n**Execution Model:** Sonnet (not haiku: it must judge).\n\n## Step 2: b\n\n**Execution Model**: Opus, because it is prose\n`,
    'general',
    ['step-1 | 1 | sonnet', 'step-2 | 1 | opus'],
  ],
  [
    'labels with the number of their phase or step',
    `${HEAD}## Cycle 1.1: a\n\n**Step Dependencies**: none\n\n**Step 1: RED**\n\n**Phase 2 — GREEN:**\n\n**Phase 1 STOP conditions:**\n`,
    'tdd',
    ['step-1-1-test | 1 | haiku', 'step-1-1-impl | 1 | haiku'],
  ],
  [
    'a subsection that repeats the number of its step',
    `${HEAD}## Step 2: a\n\n### Step 2 in detail\n\n## Step 3: b\n`,
    'general',
    ['step-2 | 1 | haiku', 'step-3 | 1 | haiku'],
  ],
]

test.each(ACCEPTED)('accepted: %s', (_, files, type, items) => {
  expect(see(files)).toEqual({ type, items, told: [] })
})
