import { describe, expect, test } from 'vitest'
import { readAll } from './read-all.ts'

/** Shapes of real skills, each as small as possible. */

const head = '---\nname: x\ndescription: Does things.\n---\n\n'

function see(files: Readonly<Record<string, string>>, file = 'x/SKILL.md') {
  const all = readAll(Object.keys(files), { textOf: (path) => files[path] ?? '' })
  const one = all.find(({ definition }) => definition.file === file)
  const plan = one?.definition.plan
  return {
    plan: plan === undefined ? 'none' : `${plan.notation}, ${plan.explicit ? 'explicit' : 'inferred'}`,
    steps: (plan?.steps ?? []).map(
      ({ id, label, title, optional }) => `${id} | ${label} | ${title}${optional ? ' | optional' : ''}`,
    ),
    told: (one?.diagnostics ?? []).map(({ code, line, column }) => `${code} ${line}:${column}`),
    definition: one?.definition,
  }
}
const seeText = (text: string) => see({ 'x/SKILL.md': text })

describe('phases', () => {
  test('from 0 to 9 have no diagnostic', () => {
    const text = head + Array.from({ length: 10 }, (_, n) => `## Phase ${n}: Part ${n}\n\nText.\n`).join('\n')
    expect(seeText(text)).toMatchObject({
      plan: 'phases, inferred',
      steps: Array.from({ length: 10 }, (_, n) => `phase-${n} | ${n} | Part ${n}`),
      told: [],
    })
  })

  test('below the heading of a procedure are the plan, and those below questions are not', () => {
    const text = `${head}## Questions\n\n### Phase 0: Choose\n\n### Phase 1: Kind\n\n## Workflow\n\n### Phase 1: Parse\n\n### Phase 2: Look\n\n### Phase 2.5: Risk\n`
    expect(seeText(text)).toMatchObject({
      steps: ['phase-1 | 1 | Parse', 'phase-2 | 2 | Look', 'phase-2-5 | 2.5 | Risk'],
      told: [],
    })
  })

  test('with a jump, a mistake and a duplicate keep the order of the file', () => {
    const text = `${head}## Phase 7: a\n\n## Phase 11: b\n\n## Phase 9: c\n\n## Phase 9: d\n`
    const { steps, told, definition } = seeText(text)
    expect(steps).toEqual(['phase-7 | 7 | a', 'phase-11 | 11 | b', 'phase-9 | 9 | c', 'phase-9-no2 | 9 | d'])
    expect(told).toEqual(['HF202 8:1', 'HF203 10:1', 'HF201 12:1'])
    expect(definition?.plan?.steps.map(({ next }) => next?.['ok'])).toEqual([
      ['phase-11'],
      ['phase-9'],
      ['phase-9-no2'],
      [],
    ])
  })

  test('may start at 2, below 0, and name ranges', () => {
    expect(seeText(`${head}### Phase 2 gate: ask\n\n### Phase 3: Fix\n`)).toMatchObject({
      steps: ['phase-2 | 2 | gate: ask', 'phase-3 | 3 | Fix'],
      told: [],
    })
    const text = `${head}## Phase -2: a\n\n## Phase -1: b\n\n## Phase 0: c\n\n## Phase 1-2: d\n\n## Phase 3: e\n`
    expect(seeText(text)).toMatchObject({
      steps: [
        'phase-minus-2 | -2 | a',
        'phase-minus-1 | -1 | b',
        'phase-0 | 0 | c',
        'phase-1-to-2 | 1-2 | d',
        'phase-3 | 3 | e',
      ],
      told: [],
    })
  })

  test('with numbered parts are the plan, however many parts they have', () => {
    const text = `${head}## Phase 1: Plan\n\n### Step 1: a\n\n### Step 2: b\n\n### Step 3: c\n\n## Phase 2: Do\n\n### Step 1: d\n\n### Step 2: e\n`
    expect(seeText(text)).toMatchObject({ steps: ['phase-1 | 1 | Plan', 'phase-2 | 2 | Do'] })
    const dotted = text
      .replaceAll('### Step ', '### Step 1.')
      .replace('1.1: d', '2.1: d')
      .replace('1.2: e', '2.2: e')
    expect(seeText(dotted)).toMatchObject({ steps: ['phase-1 | 1 | Plan', 'phase-2 | 2 | Do'] })
  })

  test('in JSON stay explicit whatever the headings say', () => {
    const text = `${head}\`\`\`json\n{"phases": [{"label": "0", "name": "Setup", "gate": false}, {"label": "1.A", "name": "Build"}, {"label": "1.B", "name": "Hand over (optional)"}]}\n\`\`\`\n\n## 1. No\n\n## 2. No\n`
    expect(seeText(text)).toMatchObject({
      plan: 'phases, explicit',
      steps: ['0 | 0 | Setup', '1.A | 1.A | Build', '1.B | 1.B | Hand over (optional) | optional'],
      told: [],
      definition: { phases: [{ gate: false }, {}, {}] },
    })
  })

  test('have sections for quick mode and phases for full mode only', () => {
    const text = `${head}Quick: only phase 1.\n\n## Phase 1: Look\n\n## Phase 2: Dig (full only)\n\n## Phase 3: Skim (quick only)\n`
    const { definition } = seeText(text)
    expect(definition?.plan?.steps.map(({ only }) => only)).toEqual([undefined, 'full', 'quick'])
    expect(definition?.quick).toEqual([{ file: 'x/SKILL.md', line: 6, column: 1 }])
  })
})

describe('titles', () => {
  test.each([
    ['## Step 1: Plan', 'step-1 | 1 | Plan'],
    ['## Step 1. Plan', 'step-1 | 1 | Plan'],
    ['## Step 1.Plan', 'step-1 | 1 | Plan'],
    ['## Step 1) Plan', 'step-1 | 1 | Plan'],
    ['## Step 1 — Plan', 'step-1 | 1 | Plan'],
    ['## Step 1 - 10 ways', 'step-1 | 1 | 10 ways'],
    ['## Step 1', 'step-1 | 1 | '],
    ['## Step 1：計画', 'step-1 | 1 | 計画'],
    ['## **Step 1: Plan**', 'step-1 | 1 | Plan'],
    ['## 🔍 Step 1: Plan', 'step-1 | 1 | Plan'],
    ['## STAGE 1a: Plan', 'stage-1a | 1a | Plan'],
    ['## 1️⃣ Plan', '1 | 1 | Plan'],
    ['## 1、計画', '1 | 1 | 計画'],
    ['## 步骤1：规划', 'step-1 | 1 | 规划'],
    ['## フェーズ 1: 計画', 'phase-1 | 1 | 計画'],
    ['## Adım 1 - Plan', 'step-1 | 1 | Plan'],
    ['## 1.2 Plan', '1-2 | 1.2 | Plan'],
    ['## Step 1: Plan (Optional)', 'step-1 | 1 | Plan (Optional) | optional'],
    ['## Step 1: Plan [optional, but wise]', 'step-1 | 1 | Plan [optional, but wise]'],
    ['## Step 1: 優化（可選）', 'step-1 | 1 | 優化（可選） | optional'],
    ['## Step 1: Optional chaining', 'step-1 | 1 | Optional chaining'],
  ])('%s', (heading, expected) => {
    const second = heading.replace('1', '2')
    expect(seeText(`${head}${heading}\n\n${second}\n`).steps[0]).toBe(expected)
  })

  test('never affect an id by their letters', () => {
    expect(seeText(`${head}## Step 1: 計画\n\n## Step 2: 実行\n\n## Step 2: 検証\n`).steps).toEqual([
      'step-1 | 1 | 計画',
      'step-2 | 2 | 実行',
      'step-2-no2 | 2 | 検証',
    ])
  })
})

describe('what is not structure', () => {
  test.each([
    ['fences of either kind', '```md\n## Step 3: no\n```\n~~~\n## Step 4: no\n~~~\n'],
    ['a fence with a shorter fence inside', '````\n```\n## Step 3: no\n````\n'],
    ['a fence with a fence that has an info string inside', '```\n```sh\n## Step 3: no\n```\n'],
    ['a text above a rule', 'Step 3: no\n---\n'],
    ['indented code', '\n    ## Step 3: no\n'],
    ['hashes without a space', '##Step 3: no\n'],
    ['headings of level 1 and 5', '# Step 3: no\n\n##### Step 4: no\n'],
  ])('%s', (_, text) => {
    expect(seeText(`${head}## Step 1: a\n\n## Step 2: b\n\n${text}`).steps).toHaveLength(2)
  })

  test('check boxes count only outside of code', () => {
    const text = `${head}- [ ] one\n- [x] two\n\n\`\`\`\n- [ ] no\n\`\`\`\n`
    expect(seeText(text).definition?.checks).toEqual([
      { text: 'one', done: false, line: 6 },
      { text: 'two', done: true, line: 7 },
    ])
  })

  test('an unclosed fence hides the rest, and a diagnostic says what', () => {
    const files = { 'x/SKILL.md': `${head}## Step 1: a\n\n\`\`\`sh\nls\n\n## Step 2: b\n\n## Notes\n` }
    const [only] = readAll(Object.keys(files), { textOf: () => files['x/SKILL.md'] })
    expect(only?.diagnostics).toMatchObject([
      {
        code: 'HF110',
        line: 8,
        column: 1,
        message: 'This code fence is never closed; it hides 2 headings, including step 2.',
      },
    ])
  })
})

describe('files', () => {
  test('with CRLF, a BOM and no final newline have the same lines', () => {
    const text = `${head}## Step 1: a\n\n## Step 3: b`
    const plain = seeText(text)
    expect(plain.told).toEqual(['HF202 8:1'])
    expect(seeText(`\uFEFF${text.replaceAll('\n', '\r\n')}`)).toEqual(plain)
  })

  test.each([
    ['a colon', 'description: Two passes: one', 'HF101 3:14', 'Two passes: one'],
    ['two lists', 'argument-hint: [a] [b|c]\ndescription: d', 'HF101 3:20', 'd'],
    ['an @', 'description: @State と @Observable', 'HF101 3:14', '@State と @Observable'],
    ['a list on the line of its key', 'allowed-tools: - Read\ndescription: d', 'HF101 3:16', 'd'],
    ['a placeholder', 'description: d\npath: {root}/x.md', 'HF101 4:13', 'd'],
  ])('whose frontmatter is broken by %s are kept', (_, fields, first, description) => {
    const { told, definition } = seeText(`---\nname: x\n${fields}\n---\n`)
    expect(told[0]).toBe(first)
    expect(definition).toMatchObject({ name: 'x', description })
  })

  test('whose frontmatter is never closed keep their body', () => {
    const text = `---\nname: x\ndescription: d\n\n# X\n\nWhat it does.\n\n## Step 1: a\n\n## Step 2: b\n\n---\n\nEnd.\n`
    expect(seeText(text)).toMatchObject({
      steps: ['step-1 | 1 | a', 'step-2 | 2 | b'],
      told: ['HF116 1:1'],
      definition: { description: 'd' },
    })
  })

  test('whose broken frontmatter has comments keep the fields below them', () => {
    const text = `---\nname: x\ndescription: a: b\n\n# Paths\nroot: '{a}/b'\n\n# More\nmodel: haiku\n---\n\n## Step 1: a\n\n## Step 2: b\n`
    expect(seeText(text)).toMatchObject({
      steps: ['step-1 | 1 | a', 'step-2 | 2 | b'],
      told: ['HF101 3:14'],
      definition: { fields: { root: { value: '{a}/b', line: 6 }, model: { value: 'haiku' } } },
    })
  })

  test.each([
    [
      'around the frontmatter',
      '```yaml\n---\nname: x\ndescription: d\n---\n```\n\n## Step 1: a\n\n## Step 2: b\n',
    ],
    [
      'around the whole file',
      '```markdown\n---\nname: x\ndescription: d\n---\n\n## Step 1: a\n\n## Step 2: b\n```\n',
    ],
    ['of fields without rules', '```yaml\nname: x\ndescription: d\n```\n\n## Step 1: a\n\n## Step 2: b\n'],
  ])('with a fence %s are read inside of it', (_, text) => {
    expect(seeText(text)).toMatchObject({
      steps: ['step-1 | 1 | a', 'step-2 | 2 | b'],
      told: ['HF103 1:1'],
      definition: { name: 'x', description: 'd' },
    })
  })

  test('of agents need frontmatter in a client folder, and not in a skill folder', () => {
    const codes = (file: string) =>
      readAll([file], { textOf: () => 'You look for mistakes.\n' }).flatMap(({ diagnostics }) =>
        diagnostics.map(({ code }) => code),
      )
    expect(codes('.claude/agents/critic.md')).toEqual(['HF102'])
    expect(codes('skills/review/references/agents/critic.md')).toEqual([])
  })

  test('that begin with a horizontal rule have no frontmatter', () => {
    expect(seeText('---\n\n# X\n\nWhat it does.\n\n---\n\n## Step 1: a\n\n## Step 2: b\n')).toMatchObject({
      steps: ['step-1 | 1 | a', 'step-2 | 2 | b'],
      told: ['HF102 1:1'],
      definition: { description: 'What it does.' },
    })
  })

  test('whose name or description is not a text get a diagnostic', () => {
    expect(seeText('---\nname: [x]\ndescription: {a: b}\n---\n').told).toEqual([
      'HF114 2:1',
      'HF114 3:1',
      'HF107 2:1',
      'HF106 2:1',
    ])
  })

  test.each([
    ['argument-hint: \'[name] "text"\'', '[name] "text"'],
    ['argument-hint: [file] [mode]', '[file] [mode]'],
    ['argument-hint: [file]', '[file]'],
    ['argument-hint: "<a> | --b"', '<a> | --b'],
    ['argument-hint: 1.0', '1.0'],
  ])('%s is the hint as it was written', (field, hint) => {
    expect(seeText(`---\nname: x\ndescription: d\n${field}\n---\n`).definition?.argumentHint).toBe(hint)
  })
})
