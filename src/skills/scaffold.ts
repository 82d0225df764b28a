import door from '../workflow/door.json' with { type: 'json' }

/** The notations that `holdfast skill new` can write. */
export const NOTATIONS = ['plain', 'phases', 'steps', 'runbook', 'workflow'] as const
export type Notation = (typeof NOTATIONS)[number]

/** The files of a new skill by path. Each passes `holdfast skill check` and the standard. */
export function scaffold(name: string, notation: Notation): Readonly<Record<string, string>> {
  return SCAFFOLDS[notation](name)
}

/** What lets an editor check a workflow without Holdfast installed beside it; nothing else reads these files. */
const EDITOR_FILES = {
  'tsconfig.json': `${JSON.stringify(
    {
      compilerOptions: {
        target: 'es2024',
        module: 'esnext',
        moduleResolution: 'bundler',
        types: [],
        strict: true,
        noEmit: true,
        allowImportingTsExtensions: true,
        paths: { 'holdfast/workflow': ['./types/holdfast-workflow.d.ts'] },
      },
    },
    null,
    2,
  )}\n`,
  'types/holdfast-workflow.d.ts': door.types,
}

const head = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n`

const SCAFFOLDS: Readonly<Record<Notation, (name: string) => Readonly<Record<string, string>>>> = {
  plain: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Tell the agent what to do.\n`,
  }),
  phases: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}## Phase 1: Understand\n\nRead what exists and ask about what is missing.\n\n## Phase 2: Work\n\nMake the change.\n\n## Phase 3: Check\n\nShow that it works.\n`,
    'holdfast.yaml': `# Holdfast enforces these phases; SKILL.md tells the agent what to do.\nphases:\n  - label: "1"\n    name: Understand\n    proof: [questions_answered]\n  - label: "2"\n    name: Work\n    proof: [files_changed]\n  - label: "3"\n    name: Check\n    proof: [tests_pass]\n`,
  }),
  steps: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}1. Read steps/understand.md\n2. Read steps/work.md\n3. Read steps/check.md\n`,
    'steps/understand.md': `---\nconsumes: [user-request]\nproduces: [understanding]\n---\n\n## Understand\n\nRead what exists and ask about what is missing.\n`,
    'steps/work.md': `---\nconsumes: [understanding]\nproduces: [change]\n---\n\n## Work\n\nMake the change.\n`,
    'steps/check.md': `---\nconsumes: [change]\nproduces: [evidence]\n---\n\n## Check\n\nShow that it works.\n`,
  }),
  runbook: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Follow runbook.md step by step.\n`,
    'runbook.md': `---\nname: ${name}\nmodel: sonnet\n---\n\n# ${name}\n\n## Common Context\n\nWhat every step needs to know.\n\n## Step 1: Understand\n\n**Objective**: understand the request.\n\n## Step 2: Work\n\n**Objective**: make the change.\n\n## Step 3: Check\n\n**Objective**: show that it works.\n`,
  }),
  workflow: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Run this command first, and do what it prints:\n\n    holdfast step ${name}\n`,
    'workflow.ts': `// The steps of this skill, and where each outcome leads; null is the end.
// Holdfast runs this file only on request: holdfast skill check --run-modules\nimport { param, step, workflow } from 'holdfast/workflow'

export default workflow(
  '${name}',
  [
    step({
      id: 'understand',
      title: 'Understand',
      actions: ['Read what exists, and ask about what is missing.'],
      next: 'work',
    }),
    step({
      id: 'work',
      title: 'Work',
      actions: ['Make the change.'],
      limit: 3,
      next: 'check',
    }),
    step({
      id: 'check',
      title: 'Check',
      actions: ['Show that it works, and say how sure you are.'],
      decides: [{ when: { sure: 'high' }, outcome: 'ok' }, { outcome: 'again' }],
      next: { ok: null, again: 'work' },
    }),
  ],
  { state: { sure: param.choice(['low', 'high'], { description: 'How sure you are that it works.' }) } },
)
`,
    ...EDITOR_FILES,
  }),
}
