import type { DiagnosticCode } from './diagnostic.ts'
import type { RunbookDiagnosticCode } from './runbook-diagnostics.ts'

/** The text of a SKILL.md, or files by path; null is an unreadable file, U+FFFD a byte that is not UTF-8. */
export type Example = string | Readonly<Record<string, string | null>>

/** The smallest valid skill. */
export const HEAD = '---\nname: x\ndescription: Does things.\n---\n'

const module = (text: string): Example => ({ 'x/SKILL.md': HEAD, 'x/workflow.ts': text })
const workflow = (...steps: readonly string[]): Example =>
  module(
    `export const workflow = {\n  name: 'x',\n  steps: [\n${steps.map((step) => `    { ${step} },\n`).join('')}  ],\n}\n`,
  )
/** The same with `holdfast/workflow`. */
function printed(options: string, ...steps: readonly string[]): Example {
  const lines = steps.map((step) => `  step({ ${step} }),\n`).join('')
  const body = `workflow('x', [\n${lines}]${options === '' ? '' : `, { ${options} }`})`
  const names = ['dispatch', 'param', 'resource', 'step', 'workflow'].filter((name) =>
    new RegExp(`\\b${name}[.(]`).test(body),
  )
  return module(`import { ${names.join(', ')} } from 'holdfast/workflow'\n\nexport default ${body}\n`)
}
const contracts = (steps: Readonly<Record<string, string>>): Exclude<Example, string> => ({
  'x/SKILL.md': HEAD,
  ...Object.fromEntries(
    Object.entries(steps).map(([name, contract]) => [`x/steps/${name}.md`, `---\n${contract}\n---\n`]),
  ),
})
/** A step that produces tests, and the given lines of the sidecar. */
const asking = (...lines: readonly string[]): Example => ({
  ...contracts({ build: 'produces: [tests]' }),
  'x/holdfast.yaml': `${lines.join('\n')}\n`,
})

/** The smallest example of each diagnostic of skills; `src/cli/skill/read.test.ts` checks them. */
export const EXAMPLES: Readonly<Record<Exclude<DiagnosticCode, RunbookDiagnosticCode>, Example>> = {
  HF101: '---\nname: x\ndescription: Two passes: one and two\n---\n',
  HF102: '# My skill\n\nWhat it does.\n',
  HF103: '```yaml\n---\nname: x\ndescription: Does things.\n---\n```\n',
  HF104: '---\ndescription: Does things.\n---\n',
  HF105: '---\nname: x\ndescription: ""\n---\n',
  HF106: { 'review/SKILL.md': '---\nname: code-review\ndescription: Reviews code.\n---\n' },
  HF107: { 'My Skill/SKILL.md': '---\nname: My Skill\ndescription: Does things.\n---\n' },
  HF108: `---\nname: x\ndescription: ${'Does one thing after the other. '.repeat(33)}\n---\n`,
  HF109: {
    'skills/a/setup/SKILL.md': '---\nname: setup\ndescription: Sets a up.\n---\n',
    'skills/b/setup/SKILL.md': '---\nname: setup\ndescription: Sets b up.\n---\n',
  },
  HF110: `${HEAD}\n\`\`\`sh\nls\n\n## Step 2: never seen\n`,
  HF111: '---\nname: x\ndescription: Does things.\nallowed_tools: Read\n---\n',
  HF112: '---\nname: x\ndescription: Finds a caf\uFFFD, which was saved as Latin-1.\n---\n',
  HF113: { 'x/skill.md': HEAD },
  HF114: '---\nname: [x]\ndescription: Does things.\n---\n',
  HF115: '---\nname: x\ndescription: Plans.\nnext-skill: exceute\n---\n',
  HF116: '---\nname: x\ndescription: Does things.\n\n# X\n',
  HF117: { 'x/SKILL.md': null },
  HF118: { 'x/SKILL.md': HEAD, 'x/holdfast.yaml': 'required_todo: [Show that it works]\n' },
  HF119: { 'x/SKILL.md': HEAD, 'x/holdfast.yaml': `# ${'What was decided. '.repeat(7500)}\n` },
  HF120: {
    'x/SKILL.md': `${HEAD}\n## Draft\n\n## Review\n`,
    '.holdfast/skills/x.yaml': 'phases:\n  - {label: "1", name: Draft, heading: Write a draft}\n',
  },
  HF121: `${HEAD}\nRead [the rules](references/rules.md) first.\n`,
  HF122: `${HEAD}\nThe tests are made by [another skill](../test/SKILL.md).\n`,
  HF123: `${HEAD}---\nname: y\n---\n`,
  HF124: `---\nname: x\ndescription: Does things.\nnotes: ${'What was decided. '.repeat(4000)}\n---\n`,
  HF125: `${HEAD}\n${'What was decided. '.repeat(30_000)}\n`,
  HF126: { 'x/SKILL.md': HEAD, 'x/holdfast.yaml': `{${'heartbeat: 10, '.repeat(1002)}}\n` },
  HF127: {
    'x/SKILL.md': HEAD,
    'x/holdfast.yaml': 'result: {type: object, propertees: {url: {type: string}}}\n',
  },
  HF201: `${HEAD}\n## Step 1: a\n\n## Step 1: b\n`,
  HF202: `${HEAD}\n## Step 1: a\n\n## Step 3: b\n`,
  HF203: `${HEAD}\n## Step 2: a\n\n## Step 1: b\n`,
  HF204: `${HEAD}\n## Publish\n\n### Step 1: a\n\n### Step 2: b\n\n## Remove\n\n### Step 1: c\n\n### Step 2: d\n`,
  HF205: `${HEAD}\n\`\`\`json\n{"phases": [{"label": "1"}, {"name": "Plan"}]}\n\`\`\`\n`,
  HF206: module("import { steps } from 'somewhere'\nexport const workflow = { name: 'x', steps }\n"),
  HF207: module("export const workflow = { name: 'x', steps: { id: 'a' } }\n"),
  HF208: workflow("id: 'a', title: 'A', next: { ok: null }"),
  HF209: workflow("id: 'a', title: 'A', nxet: { ok: null }"),
  HF210: {
    'x/SKILL.md': HEAD,
    'x/workflow.js': "export const workflow = { name: 'x', steps: [{ id: 'a', title: 'A' }] }\n",
    'x/workflow.ts': "export const workflow = { name: 'x', steps: [{ id: 'a', title: 'A' }] }\n",
  },
  HF211: { 'x/SKILL.md': HEAD, 'x/holdfast.yaml': 'pipeline: [{id: build}]\n' },
  HF301: workflow("id: 'a', title: 'A', next: { ok: 'a' }", "id: 'a', title: 'Another'"),
  HF302: workflow("id: 'a', title: 'A', next: { ok: 'b' }", "id: 'c', title: 'C'"),
  HF303: workflow("id: 'a', title: 'A'", "id: 'b', title: 'B'"),
  HF304: workflow("id: 'a', title: 'A', next: { ok: null }", "id: 'b', title: 'B'"),
  HF305: workflow(
    "id: 'a', title: 'A', limit: 3, next: { ok: 'b' }",
    "id: 'b', title: 'B', next: { ok: 'a' }",
  ),
  HF306: workflow(
    "id: 'a', title: 'A', next: { ok: 'b' }",
    "id: 'b', title: 'B', next: { ok: null, fail: 'a' }",
  ),
  HF307: contracts({ build: 'consumes: [plan]\nproduces: [code]' }),
  HF308: contracts({ a: 'produces: [plan]', b: 'produces: [plan]' }),
  HF309: contracts({ a: 'consumes: [plan]\nproduces: [plan]' }),
  HF310: {
    'x/SKILL.md': `${HEAD}\n1. Read steps/build.md\n2. Read steps/plan.md\n`,
    'x/steps/build.md': '---\nconsumes: [design]\n---\n',
    'x/steps/plan.md': '---\nproduces: [design]\n---\n',
  },
  HF311: {
    'x/SKILL.md': `${HEAD}\n## Phase 1: Check\n\n## Phase 2: Ship\n`,
    'x/holdfast.yaml':
      'phases:\n  - label: "1"\n    name: Check\n    proof: [tests_pass]\nproof:\n  test_pass: [exit_code]\n',
  },
  HF312: contracts({ 'step-01-plan': 'nextStepFile: ./step-02-biuld.md', 'step-02-build': 'name: build' }),
  HF313: contracts({ a: 'consumes: [y]\nproduces: [x]', b: 'consumes: [x]\nproduces: [y]' }),
  HF316: asking('artifacts: {tests: {comand: npm test}}'),
  HF317: asking('artifacts: {test: {command: npm test, covers: [src/**]}}'),
  HF318: asking(
    'phases:',
    '  - {label: "1", name: Build, proof: {checks: {command: npm test, covers: [src/**]}}}',
    '  - {label: "2", name: Ship, proof: {checks: {command: npm run e2e, covers: [src/**]}}}',
  ),
  HF319: asking('artifacts: {tests: {command: npm test}}'),
  HF321: {
    'x/SKILL.md': HEAD,
    'x/holdfast.yaml': 'phases:\n  - {label: "1", name: Plan, dispatch: {count: 2, join: 3}}\n',
  },
  HF322: {
    'x/SKILL.md': HEAD,
    'x/holdfast.yaml': 'phases:\n  - {label: "1", name: Plan, when: {risk: high}}\n',
  },
  HF323: { ...contracts({ build: 'produces: [code]' }), 'x/steps/ship.md': '# Ship it\n' },
  HF324: {
    'x/SKILL.md': HEAD,
    'x/holdfast.yaml': 'phases:\n  - {label: "1", name: Plan, writs: [docs/**]}\n',
  },
  HF325: `${HEAD}\n\`\`\`json\n{"phases": [${Array.from({ length: 501 }, (_, n) => `{"label": "${n + 1}"}`).join(', ')}]}\n\`\`\`\n`,
  HF326: printed(
    'state: { sure: param.text() }',
    "id: 'a', title: 'A', actions: ['You are {{shure}}.'], next: null",
  ),
  HF327: printed(
    "state: { sure: param.choice(['low', 'high']) }",
    "id: 'a', title: 'A', when: { sure: 'hihg' }, next: null",
  ),
  HF328: printed(
    'state: { sure: param.text() }',
    "id: 'a', title: 'A', decides: [{ when: { sure: 'no' }, outcome: 'again' }, { outcome: 'ok' }], next: null",
  ),
  HF329: printed(
    '',
    "id: 'a', title: 'A', dispatch: dispatch('explore', { workflow: 'survey' }), next: null",
  ),
  HF330: printed(
    '',
    "id: 'a', title: 'A', next: 'b'",
    "id: 'b', title: 'B', review: { name: 'B', gate: 'c' }, next: null",
  ),
  HF331: printed('', "id: 'a', title: 'A', actions: [resource('plan-format')], next: null"),
  HF320: asking('gate: visited', 'artifacts: {tests: {command: npm test, covers: [src/**]}}'),
}
