import type { RunbookDiagnosticCode } from './runbook-diagnostics.ts'

const HEAD = '---\nmodel: haiku\n---\n\n'
const RED = '### RED Phase\n\nIt fails.\n\n'
const GREEN = '### GREEN Phase\n\nIt passes.\n\n'
const STOP = '### Stop Conditions\n\nNone.\n'
const NONE = '**Dependencies**: none\n\n'

const whole = (text: string) => ({ 'plans/x/runbook.md': text })
const phases = (...files: readonly (readonly [number, string])[]) =>
  Object.fromEntries(files.map(([number, text]) => [`plans/x/runbook-phase-${number}.md`, text]))

/** The smallest example of each diagnostic of runbooks; `src/skills/runbook/read.test.ts` checks them. */
export const RUNBOOK_EXAMPLES: Readonly<Record<RunbookDiagnosticCode, Readonly<Record<string, string>>>> = {
  HF401: whole(`${HEAD}## Step 1: a\n\n## Step Two: b\n`),
  HF402: whole(`${HEAD}## Step 1: a\n\n## Step 1: b\n`),
  HF403: whole(`${HEAD}## Cycle 1.2: a\n\n${NONE}${RED}${GREEN}${STOP}`),
  HF405: whole(`${HEAD}## Cycle 1.1: a\n\n${NONE}The test is required.\n\n${GREEN}${STOP}`),
  HF406: whole(`${HEAD}## Cycle 1.1: a\n\n${RED}${GREEN}${STOP}`),
  HF407: whole('## Step 1: a\n'),
  HF408: whole(`${HEAD}## Step 1: a\n\n**Execution Model**: best\n`),
  HF409: whole(`${HEAD}### Phase 2: a\n\n## Step 2.1: a\n\n### Phase 1: b\n\n## Step 1.1: b\n`),
  HF410: whole(`${HEAD}### Phase 1: a\n\n### Phase 2: b\n\n## Step 2.1: b\n`),
  HF411: whole(`${HEAD}### Phase 1: a\n\n## Step 2.1: a\n`),
  HF412: whole(`${HEAD}**Step 1**: a\n`),
  HF413: phases([1, `${HEAD}## Step 1.1: a\n`], [2, '']),
  HF414: phases([1, `${HEAD}## Step 1.1: a\n`], [3, '## Step 3.1: b\n']),
  HF415: whole(`${HEAD}## Step 1: a\n\nRead \`src/gone.ts\`.\n`),
  HF416: whole('---\ntype: tdd\nmodel: haiku\n---\n\n## Step 1: a\n'),
  HF417: whole(`${HEAD}### Phase 1: a (type: inline)\n\n## Step 1.1: a\n`),
  HF418: whole(`${HEAD}## Step 1: a\n\n## Notes\n\nNobody reads this.\n`),
  HF419: { 'plans/my plan/runbook.md': `${HEAD}## Step 1: a\n` },
  HF420: whole(`${HEAD}## Step 1: a\n\n**Report Path**: \`../report.md\`\n`),
  HF421: whole(`${HEAD}## Step 1: a\n\n### Phase 2: b\n\n## Step 2.1: b\n`),
  HF422: { ...whole(`${HEAD}## Step 1: a\n`), ...phases([1, '## Step 1.1: a\n']) },
}
