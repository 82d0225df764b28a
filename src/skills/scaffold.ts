/** The notations that `holdfast skill new` can write. */
export const NOTATIONS = ['plain', 'phases', 'steps', 'runbook', 'workflow'] as const
export type Notation = (typeof NOTATIONS)[number]

/** The files of a new skill by path. Each passes `holdfast skill check` and the standard. */
export function scaffold(name: string, notation: Notation): Readonly<Record<string, string>> {
  return SCAFFOLDS[notation](name)
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
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Understand the request, make the change and check that it works. workflow.ts defines the steps and their order.\n`,
    'workflow.ts': `// The plan as data: each outcome of a step names the next step, and null ends the plan.
// Holdfast runs this file only on request: holdfast skill check --run-modules
export const workflow = {
  name: '${name}',
  steps: [
    {
      id: 'understand',
      title: 'Understand',
      actions: ['Read what exists and ask about what is missing.'],
      produces: ['understanding'],
      next: { ok: 'work' },
    },
    {
      id: 'work',
      title: 'Work',
      actions: ['Make the change.'],
      consumes: ['understanding'],
      produces: ['change'],
      limit: 3,
      next: { ok: 'check' },
    },
    {
      id: 'check',
      title: 'Check',
      actions: ['Show that it works.'],
      consumes: ['change'],
      proof: ['tests_pass'],
      next: { ok: null, fail: 'work' },
    },
  ],
}
`,
  }),
}
