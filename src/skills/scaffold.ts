/** The files of a new skill in one notation, path → text. Each passes the check and the standard's rules. */
export const NOTATIONS = ['plain', 'phases', 'steps', 'runbook', 'workflow'] as const
export type Notation = (typeof NOTATIONS)[number]

export function scaffold(name: string, notation: Notation): Readonly<Record<string, string>> {
  return SCAFFOLDS[notation](name)
}

const head = (name: string, description: string) =>
  `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\n`

const SCAFFOLDS: Readonly<Record<Notation, (name: string) => Readonly<Record<string, string>>>> = {
  plain: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Say what the agent should do.\n`,
  }),
  phases: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}## Phase 1: Understand\n\nRead what is there and ask what is missing.\n\n## Phase 2: Work\n\nDo it.\n\n## Phase 3: Check\n\nShow that it works.\n`,
    'holdfast.yaml': `# What the engine enforces; the text above is for the agent.\nphases:\n  - label: "1"\n    name: Understand\n    proof: [questions_answered]\n  - label: "2"\n    name: Work\n    proof: [files_changed]\n  - label: "3"\n    name: Check\n    proof: [tests_pass]\n`,
  }),
  steps: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}1. Read steps/understand.md\n2. Read steps/work.md\n3. Read steps/check.md\n`,
    'steps/understand.md': `---\nconsumes: [user-request]\nproduces: [understanding]\n---\n\n## Understand\n\nRead what is there and ask what is missing.\n`,
    'steps/work.md': `---\nconsumes: [understanding]\nproduces: [change]\n---\n\n## Work\n\nDo it.\n`,
    'steps/check.md': `---\nconsumes: [change]\nproduces: [evidence]\n---\n\n## Check\n\nShow that it works.\n`,
  }),
  runbook: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Follow runbook.md, step by step.\n`,
    'runbook.md': `---\nname: ${name}\nmodel: sonnet\n---\n\n# ${name}\n\n## Common Context\n\nWhat every step must know.\n\n## Step 1: Understand\n\n**Objective**: know what is asked.\n\n## Step 2: Work\n\n**Objective**: do it.\n\n## Step 3: Check\n\n**Objective**: show that it works.\n`,
  }),
  workflow: (name) => ({
    'SKILL.md': `${head(name, 'Say what this skill does and when to use it.')}Understand what is asked, do it, and check that it works. The steps and where they lead are in workflow.ts.\n`,
    'workflow.ts': `// The plan as data: where each outcome of a step leads, and null where it ends. It is code, so it is read only
// when somebody asks for it: holdfast skill check --run-modules
export const workflow = {
  name: '${name}',
  steps: [
    {
      id: 'understand',
      title: 'Understand',
      actions: ['Read what is there and ask what is missing.'],
      produces: ['understanding'],
      next: { ok: 'work' },
    },
    {
      id: 'work',
      title: 'Work',
      actions: ['Do it.'],
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
