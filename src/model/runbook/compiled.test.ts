import { expect, test } from 'vitest'
import { readRunbook } from '../../skills/runbook/read.ts'
import { compiledFiles } from './compiled.ts'

const BASELINES = { quiet: 'Be quiet.\n', tdd: 'Test first.\n' }

const TEXT = `---
model: haiku
---

## Common Context

For all.

### Stop Conditions

None.

### Phase 1: Look

For phase 1.

## Step 1.1: Read

**Max Turns**: 9

Read it.

### Phase 2: Build model: sonnet

## Cycle 2.1: Go

**Dependencies**: 1.1

### RED Phase

Fail.

### GREEN Phase

Pass.

### Phase 3: Tell (type: inline)

Say it.
`

function compiled(text: string): ReadonlyMap<string, string> {
  const files = new Map([['plans/x/runbook.md', text]])
  const { runbook, diagnostics } = readRunbook({ folder: 'plans/x', name: 'x', files })
  expect(diagnostics).toEqual([])
  return new Map(compiledFiles(runbook, BASELINES).map(({ path, content }) => [path, content]))
}

test('a step file has its head, the context of its phase and its section, and nothing of other steps', () => {
  expect(compiled(TEXT).get('steps/step-1-1.md')).toBe(`# Step 1.1: Read

**Plan**: \`plans/x/runbook.md\`
**Phase**: 1: Look
**Execution Model**: haiku
**Max Turns**: 9
**Report Path**: \`plans/x/reports/step-1-1.md\`

---

## Phase Context

For phase 1.

---

## Step 1.1: Read

**Max Turns**: 9

Read it.
`)
  const impl = compiled(TEXT).get('steps/step-2-1-impl.md')
  expect(impl).toContain('# Cycle 2.1 (impl): Go\n')
  expect(impl).not.toMatch(/Fail|Phase Context|Read it/)
})

test('the orchestrator plan lists agents, steps, ends of phases, models, files and scopes', () => {
  const plan = compiled(TEXT).get('orchestrator-plan.md') ?? ''
  for (const part of [
    '**Agent:** x-task\n**Corrector Agent:** x-corrector\n**Tester Agent:** x-tester\n**Implementer Agent:** x-implementer\n**Type:** mixed\n',
    '| 1 | x-task | general |\n| 2 | x-tester, x-implementer | tdd |\n| 3 | the orchestrator | inline |\n',
    '- step-1-1.md | Phase 1 | haiku | 9 | STEP | PHASE_BOUNDARY\n[Checkpoint: ',
    '- step-2-1-test.md | Phase 2 | sonnet | 30 | TEST\n- step-2-1-impl.md | Phase 2 | sonnet | 30 | IMPLEMENT | PHASE_BOUNDARY\n[Checkpoint: ',
    '- INLINE | Phase 3 | — | PHASE_BOUNDARY\n[Final review: ',
    '- Phase 1: haiku\n- Phase 2: sonnet\n- Phase 3: —\n',
    '### Phase 2: Build\n\n- IN: Go\n- OUT: Phase 1: Look; Phase 3: Tell\n',
    'holdfast runbook next plans/x',
  ])
    expect(plan).toContain(part)
})

test('instructions of the runbook stand in the place of ours', () => {
  const plan = compiled(`${TEXT}\n## Orchestrator Instructions\n\nAsk me first.\n`).get(
    'orchestrator-plan.md',
  )
  expect(plan).toContain('## Orchestrator Instructions\n\nAsk me first.\n')
  expect(plan).not.toContain('By hand')
})

test('an agent has the baseline of its role, the common context and the demand of a clean tree', () => {
  const files = compiled(TEXT)
  const agents = [...files.keys()].filter((path) => path.startsWith('agents/'))
  expect(agents.map((path) => path.slice('agents/x-'.length, -'.md'.length))).toEqual([
    'task',
    'corrector',
    'tester',
    'implementer',
    'test-corrector',
    'impl-corrector',
  ])
  for (const path of agents) expect(files.get(path)).toMatch(/\nFor all\.\n[^]*\*\*Clean tree\*\*/)
  expect(files.get('agents/x-task.md')).toMatch(
    /^---\nname: x-task\n.*\nmodel: haiku\ncolor: cyan\n.*\n---\n\nBe quiet\.\n/,
  )
  expect(files.get('agents/x-tester.md')).toMatch(
    /^---\nname: x-tester\n.*\nmodel: sonnet\ncolor: cyan\n.*\n---\n\nTest first\.\n/,
  )
  const general = compiled('---\nmodel: opus\n---\n\n## Step 1: Do\n')
  expect([...general.keys()]).toEqual([
    'steps/step-1.md',
    'orchestrator-plan.md',
    'agents/x-task.md',
    'agents/x-corrector.md',
  ])
})
