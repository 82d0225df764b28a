import { expect, test } from 'vitest'
import { readAll } from '../read-all.ts'

function read(runbooks: Readonly<Record<string, string>>) {
  const files: Readonly<Record<string, string>> = {
    'x/SKILL.md': '---\nname: x\ndescription: Does things.\n---\n',
    ...Object.fromEntries(Object.entries(runbooks).map(([name, text]) => [`x/${name}`, text])),
  }
  return readAll(Object.keys(files), { textOf: (path) => files[path] ?? '' })[0]
}

function see(runbooks: Readonly<Record<string, string>>) {
  const only = read(runbooks)
  return {
    notation: only?.definition.plan?.notation,
    steps: (only?.definition.plan?.steps ?? []).map(
      ({ id, label, title, place }) => `${id} | ${label} | ${title} | ${place.file}:${place.line}`,
    ),
    told: (only?.diagnostics ?? []).map(
      ({ code, file, line, column }) => `${code} ${file}:${line}:${column}`,
    ),
  }
}

test('cycles keep their parts, whatever is between them', () => {
  const text = `---
name: y
type: tdd
model: haiku
---

## Common Context\u0020\u0020

What every step must know. Model: All

### Phase 1: Start (type: tdd) model: sonnet

## Cycle 1.1: Red\u0020

### RED Phase

**Expected failure**: it is required.

### GREEN Phase

**Execution Model**: Sonnet

\`\`\`md
## Cycle 9.9: not one
\`\`\`

### Cycle 1.2: Deeper

#### Cycle 2.1: Deepest

## Orchestrator Instructions

## Step 3: Mixed in
`
  expect(see({ 'runbook.md': text })).toEqual({
    notation: 'runbook',
    steps: [
      'cycle-1-1 | Cycle 1.1 | Red | x/runbook.md:13',
      'cycle-1-2 | Cycle 1.2 | Deeper | x/runbook.md:27',
      'cycle-2-1 | Cycle 2.1 | Deepest | x/runbook.md:29',
      'step-3 | Step 3 | Mixed in | x/runbook.md:33',
    ],
    told: [],
  })
})

test('a runbook may begin behind its optional first steps', () => {
  const text =
    '## Step 1: Look (optional)\n\n## Step 2: Ask (optional)\n\n## Step 3: Dig\n\n## Step 4: Fill\n'
  expect(read({ 'runbook.md': text })?.definition.plan?.entry).toEqual(['step-1', 'step-2', 'step-3'])
})

test('a repeated number gets a diagnostic, and both steps stay', () => {
  expect(see({ 'runbook.md': '## Step 1.5: a\n\n## Step 1: b\n\n\n## Step 1: c\n' })).toMatchObject({
    steps: [
      'step-1-5 | Step 1.5 | a | x/runbook.md:1',
      'step-1 | Step 1 | b | x/runbook.md:3',
      'step-1-no2 | Step 1 | c | x/runbook.md:6',
    ],
    told: ['HF203 x/runbook.md:3:1', 'HF201 x/runbook.md:6:1'],
  })
})

test.each([
  ['## Step Two: b'],
  ['## Cycle IV: b'],
  ['##Step 2: b'],
  ['## Step 1..2: b'],
  ['###Cycle 1.2: b'],
])('%s gets a diagnostic and is never dropped silently', (line) => {
  expect(see({ 'runbook.md': `## Step 1: a\n\n${line}\n` }).told).toEqual(['HF401 x/runbook.md:3:1'])
})

test.each([['## Steps'], ['## Cycle'], ['## Step by step'], ['']])(
  '%j makes no step and no diagnostic',
  (line) => {
    const { steps, told } = see({ 'runbook.md': `## Step 1: a\n\n${line}\n` })
    expect([steps.length, told]).toEqual([1, []])
  },
)

test('the phase files form one runbook, in the order of their numbers', () => {
  const parts = {
    'runbook-phase-10.md': '## Step 10.1: c\n',
    'runbook-phase-2.md': '## Step 2.1: b\n',
    'runbook-outline.md': '# Only an outline\n',
    'runbook-phase-1.md': '## Step 1.1: a\n',
  }
  expect(see(parts).steps.map((step) => step.split(' | ')[1])).toEqual(['Step 1.1', 'Step 2.1', 'Step 10.1'])
})
