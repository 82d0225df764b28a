import { describe, expect, test } from 'vitest'
import { readSkill } from './skill-md.ts'

interface Options {
  readonly kind?: 'skill' | 'command' | 'agent'
  readonly folder?: string
  readonly file?: string
  readonly others?: Readonly<Record<string, string>>
}

function read(
  text: string,
  { kind = 'skill', folder = 'skills/x', file = `${folder}/SKILL.md`, others = {} }: Options = {},
) {
  return readSkill({ kind, id: 'x', folder, file, text, others: new Map(Object.entries(others)) })
}
const head = '---\nname: x\ndescription: Does things.\n---\n\n'
const codes = (text: string, options?: Options) => read(text, options).diagnostics.map(({ code }) => code)
const at = (text: string, code: string, options?: Options) =>
  read(text, options).diagnostics.find((one) => one.code === code)

test.each([
  ['command', 2],
  ['agent', undefined],
] as const)('the text of a %s gives a guide of %s steps', (kind, count) => {
  const { plan } = read('## Step 1: Look\n\n## Step 2: Act\n', { kind, file: `${kind}s/x.md` }).definition
  expect(plan?.steps.length).toBe(count)
  expect(plan?.explicit ?? false).toBe(false)
})

describe('frontmatter', () => {
  test('that is valid gets no diagnostic', () => expect(codes(`${head}# X\n`)).toEqual([]))

  test.each([
    ['a colon in a plain value', 'name: x\ndescription: Two passes: one, two', 3, 'Two passes: one, two'],
    ['a value that begins with @', 'name: x\ndescription: @State and more', 3, '@State and more'],
    ['a list on the line of its key', 'name: x\nallowed-tools: - Read\ndescription: d', 3, 'd'],
    ['two lists on one line', 'name: x\nargument-hint: [task] [plan|run]\ndescription: d', 3, 'd'],
    [
      'a quote inside of single quotes',
      String.raw`name: x
description: 'it\'s broken'`,
      3,
      String.raw`it\'s broken`,
    ],
  ])('with %s is recovered line by line, with the place', (_, fields, line, description) => {
    const text = `---\n${fields}\n---\n\nBody.\n`
    expect(at(text, 'HF101')).toMatchObject({ severity: 'error', line })
    expect(read(text).definition).toMatchObject({ name: 'x', description })
  })

  test('keeps the source text: versions, hints, unknown fields', () => {
    const { definition } = read(
      '---\nname: x\ndescription: d\nversion: 1.0\nargument-hint: [file]\nOdd_Key: {a: 1}\n---\n',
    )
    expect(definition.fields['version']).toMatchObject({ value: '1.0', source: '1.0' })
    expect(definition.argumentHint).toBe('[file]')
    expect(definition.fields['odd-key']?.value).toEqual({ a: '1' })
  })

  test('may have a BOM, CRLF, blank lines before it, spaces after its rules, or no end', () => {
    for (const text of [
      `\uFEFF${head}`,
      head.replaceAll('\n', '\r\n'),
      `\n\n${head}`,
      head.replaceAll('---', '---  '),
      '---\nname: x\ndescription: Does things.\n\n# Body\n',
      head.replace(/---\n\n$/, '...\n'),
    ])
      expect(read(text).definition).toMatchObject({ name: 'x', description: 'Does things.' })
  })

  test('in a code fence is read, with a diagnostic', () => {
    const text = '```yaml\n---\nname: x\ndescription: Does things.\n---\n```\n\n# Body\n'
    expect(at(text, 'HF103')).toMatchObject({ line: 1 })
    expect(read(text).definition.description).toBe('Does things.')
  })

  test('that is missing leaves the name of the folder and the first paragraph', () => {
    const { definition, diagnostics } = read('# Title\n\nWhat it does.\n')
    expect(definition).toMatchObject({ name: 'x', description: 'What it does.' })
    expect(diagnostics.map(({ code }) => code)).toEqual(['HF102'])
    expect(codes('Do it.\n', { kind: 'command', file: 'commands/x.md' })).toEqual([])
  })

  test.each([
    ['---\ndescription: d\n---\n', 'HF104'],
    ['---\nname: x\n---\n', 'HF105'],
    ['---\nname: x\ndescription: ""\n---\n', 'HF105'],
    ['---\nname: y\ndescription: d\n---\n', 'HF106'],
    ['---\nname: My Skill\ndescription: d\n---\n', 'HF107'],
    [`---\nname: x\ndescription: ${'long '.repeat(300)}\n---\n`, 'HF108'],
    ['---\nname: x\ndescription: d\nallowed_tools: Read\n---\n', 'HF111'],
    [`${head}\`\`\`sh\nls\n`, 'HF110'],
  ])('%j gets %s', (text, code) => expect(codes(text)).toContain(code))

  test('in a file that is not named SKILL.md gets a diagnostic', () =>
    expect(codes(head, { file: 'skills/x/skill.md' })).toEqual(['HF113']))

  test.each([
    ['Read, Bash(git add:*, git commit:*), Grep', ['Read', 'Bash(git add:*, git commit:*)', 'Grep']],
    ['Read Grep', ['Read', 'Grep']],
    ['[Read, Grep]', ['Read', 'Grep']],
    ['\n  - Read\n  - Grep', ['Read', 'Grep']],
  ])('with tools written as %j has a list', (tools, expected) => {
    expect(
      read(`---\nname: x\ndescription: d\nallowed-tools: ${tools}\n---\n`).definition.allowedTools,
    ).toEqual(expected)
  })

  test.each([['user-invocable'], ['user_invocable'], ['invocable']])('%s: false is false', (key) => {
    expect(read(`---\nname: x\ndescription: d\n${key}: false\n---\n`).definition.userInvocable).toBe(false)
  })
})

describe('plans', () => {
  test('from headings are inferred; optional and full-only phases are marked; todos are the required ones', () => {
    const { definition } = read(
      `${head}## Phase 1: Look\n\n## Phase 2: Extra (optional)\n\n## Phase 3: Deep (full only)\n`,
    )
    expect(definition.plan).toMatchObject({ notation: 'phases', explicit: false, entry: ['phase-1'] })
    expect(definition.plan?.steps.map(({ label, optional, only }) => [label, optional, only])).toEqual([
      ['1', false, undefined],
      ['2', true, undefined],
      ['3', false, 'full'],
    ])
    expect(definition.requiredTodos).toEqual(['Look', 'Deep (full only)'])
  })

  test('with letters have alternatives: 3 leads to 3.A or 3.B, and each of them to 4', () => {
    const { definition } = read(
      `${head}## Phase 3: Run\n\n## Phase 3.A: Here\n\n## Phase 3.B: There\n\n## Phase 4: End\n`,
    )
    expect(definition.plan?.steps.map(({ label, next }) => [label, next?.['ok']])).toEqual([
      ['3', ['phase-3-a', 'phase-3-b']],
      ['3.A', ['phase-4']],
      ['3.B', ['phase-4']],
      ['4', []],
    ])
  })

  const json = (value: string) =>
    `${head}\`\`\`json\n${value}\n\`\`\`\n\n## Phase 9: not the plan\n\n## Phase 10: either\n`

  test('from the first JSON block are explicit, with proof; gate: false stays false', () => {
    const { definition, diagnostics } = read(
      json(
        '{"taskType": "X", "phases": [{"label": "1", "name": "Plan", "proof": ["plan"], "gate": false}, {"major": 2, "minor": 0, "name": "Do"}], "nextSkills": ["/fix"], "modes": {"tdd": {}}, "directives": ["TESTING.md"], "planTemplate": "p.md"}',
      ),
    )
    // The headings below the block are not the plan, and the difference gets a diagnostic.
    expect(diagnostics.map(({ code }) => code)).toEqual(['HF310', 'HF310'])
    expect(definition.plan).toMatchObject({ notation: 'phases', explicit: true, entry: ['1'] })
    expect(definition.phases).toMatchObject([
      { label: '1', gate: false, proof: ['plan'] },
      { label: '2', name: 'Do' },
    ])
    expect(definition).toMatchObject({
      nextSkills: ['/fix'],
      modes: { tdd: {} },
      directives: ['TESTING.md'],
      templates: { planTemplate: 'p.md' },
      engine: { task_type: 'X' },
    })
  })

  test.each([
    ['{"phases": [{"label": "1"}, {"name": "no label"}]}', 'HF205'],
    ['{"phases": [{"label": "1a"}]}', 'HF205'],
    ['{"phases": [{"label": "1"}', 'HF205'],
    ['{"phases": [{"label": "1"}, {"label": "1"}]}', 'HF301'],
  ])('with %s get %s', (value, code) => expect(codes(json(value))).toContain(code))

  const step = (consumes: string, produces: string, more = '') =>
    `---\nconsumes: ${consumes}\nproduces: ${produces}\n${more}---\n\n## Title\n`

  test('from step files follow what they consume and produce', () => {
    const { definition, diagnostics } = read(`${head}Read steps/a.md, then steps/b.md.\n`, {
      others: {
        'steps/b.md': step('[plan]', '[code]'),
        'steps/a.md': step('[user-request]', '[plan]'),
        'steps/notes.md': '# Only notes\n',
      },
    })
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({ notation: 'steps', explicit: true })
    expect(definition.plan?.steps.map(({ id, consumes, produces }) => [id, consumes, produces])).toEqual([
      ['a', ['user-request'], ['plan']],
      ['b', ['plan'], ['code']],
    ])
  })

  test('read a string in place of a list as one name, not as letters', () => {
    const { definition, diagnostics } = read(head, {
      others: { 'steps/a.md': step('user-request', 'plan'), 'steps/b.md': step('plan', 'code') },
    })
    expect(definition.plan?.steps[1]?.consumes).toEqual(['plan'])
    expect(new Set(diagnostics.map(({ code }) => code))).toEqual(new Set(['HF114']))
  })

  test('with errors get diagnostics with their path', () => {
    const circle = { 'steps/a.md': step('[y]', '[x]'), 'steps/b.md': step('[x]', '[y]') }
    expect(at(head, 'HF313', { others: circle })).toMatchObject({
      file: 'skills/x/steps/a.md',
      line: 2,
      message: expect.stringContaining('a → b → a'),
    })
    expect(codes(head, { others: { 'steps/a.md': step('[z]', '[x]') } })).toEqual(['HF307'])
    expect(
      codes(head, { others: { 'steps/a.md': step('[]', '[x]'), 'steps/b.md': step('[]', '[x]') } }),
    ).toEqual(['HF308'])
    expect(codes(head, { others: { 'steps/a.md': step('[x]', '[x]') } })).toEqual(['HF309'])
  })

  test('that the text contradicts get a diagnostic at that line', () => {
    const others = { 'steps/a.md': step('[user-request]', '[plan]'), 'steps/b.md': step('[plan]', '[code]') }
    expect(at(`${head}First steps/b.md\n\nthen steps/a.md\n`, 'HF310', { others })).toMatchObject({
      line: 6,
      message: expect.stringContaining('a → plan → b'),
    })
  })

  test('do not wait for an optional producer', () => {
    expect(
      codes(head, {
        others: { 'steps/a.md': step('[]', '[x]', 'optional: true\n'), 'steps/b.md': step('[x]', '[y]') },
      }),
    ).toEqual([])
  })

  test('from pointers are a linked list whatever the numbers say; placeholders are only a prefix', () => {
    const others = {
      'steps/step-01-init.md':
        '---\nname: a\nnextStepFile: "{workflow_path}/steps/step-02-go.md"\n---\n# One\n',
      'steps/step-01b-continue.md': '---\nname: b\n---\n# One b\n',
      'steps/step-02-go.md': '---\nnextStepFile: ./step-03-gone.md\n---\n# Two\n',
    }
    const { definition, diagnostics } = read(head, { others })
    expect(definition.plan?.steps.map(({ id, next }) => [id, next?.['ok']])).toEqual([
      ['steps/step-01-init.md', ['steps/step-02-go.md']],
      ['steps/step-01b-continue.md', []],
      ['steps/step-02-go.md', []],
    ])
    expect(diagnostics).toMatchObject([{ code: 'HF312', file: 'skills/x/steps/step-02-go.md', line: 2 }])
  })

  test('from numbers in file names treat a letter as a branch', () => {
    const { definition } = read(head, {
      others: {
        'steps/step-10-z.md': '# z\n',
        'steps/step-02-b.md': '# b\n',
        'steps/step-02b-side.md': '# side\n',
        'steps/step-template.md': '# t\n',
      },
    })
    expect(definition.plan?.steps.map(({ label, optional }) => [label, optional])).toEqual([
      ['2', false],
      ['2b', true],
      ['10', false],
    ])
  })

  test('from a runbook are steps and cycles; subsections do not end one, and fences are not structure', () => {
    const others = {
      'runbook.md':
        '---\nmodel: haiku\n---\n\n## Common Context \n\n## Cycle 1.1: Red\n\n### RED Phase\n\n```md\n## Step 9: not\n```\n\n## Cycle 1.2: Green\n',
    }
    expect(read(head, { others }).definition.plan).toMatchObject({
      notation: 'runbook',
      explicit: true,
      steps: [{ id: 'cycle-1-1', label: 'Cycle 1.1' }, { id: 'cycle-1-2' }],
    })
  })

  test('from a runbook with an unreadable step get a diagnostic, and nothing is dropped silently', () => {
    expect(
      codes(head, { others: { 'runbook.md': '## Step 1: a\n\n## Step Two: b\n\n## Step 3: c\n' } }),
    ).toEqual(['HF202', 'HF401'])
  })
})

describe('the sidecar', () => {
  const body = `${head}## Phase 1: Plan\n\n## Phase 2: Do\n`

  test('makes an inferred plan explicit, with proof and gate', () => {
    const others = {
      'holdfast.yaml':
        'gate: produced\nphases:\n  - {label: "1", name: Plan, proof: {plan: {}}}\n  - {label: "2", name: Do}\n',
    }
    const { definition, diagnostics } = read(body, { others })
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({
      explicit: true,
      gate: 'produced',
      steps: [{ proof: ['plan'] }, { proof: [] }],
    })
  })

  test.each([
    [
      'declared beside it',
      'phases: [{label: "1", name: Plan}, {label: "2", name: Do}]\n',
      [{ proof: ['plan'] }, {}],
    ],
    [
      'that the text tells',
      '',
      [
        { label: '1', name: 'Plan', proof: ['plan'] },
        { label: '2', name: 'Do' },
      ],
    ],
  ])('adds proof to the phases %s, which makes them enforced', (_, phases, expected) => {
    const others = { 'holdfast.yaml': `${phases}proof: {"1": plan}\n` }
    const { definition, diagnostics } = read(body, { others })
    expect(diagnostics).toEqual([])
    expect(definition.plan).toMatchObject({ explicit: true, steps: [{ proof: ['plan'] }, { proof: [] }] })
    expect(definition.phases).toMatchObject(expected)
  })

  test.each([
    ['directives: [TESTING, PITFALLS.md]', ['TESTING', 'PITFALLS.md']],
    ['directives: TESTING', ['TESTING']],
    ['heartbeat: true', []],
  ])('%s declares types of directives, even without a plan', (text, directives) => {
    const { definition, diagnostics } = read(head, { others: { 'holdfast.yaml': `${text}\n` } })
    expect([definition.directives, diagnostics]).toEqual([directives, []])
    expect(definition.engine).not.toHaveProperty('directives')
  })

  test('of a skill without a plan cannot refer to its steps', () => {
    const others = { 'holdfast.yaml': 'steps: {a: {produces: [x]}}\nproof: {b: [y]}\n' }
    expect(codes(head, { others })).toEqual(['HF302', 'HF311'])
  })

  test.each([
    ['gate: sometimes', 'HF114'],
    ['gate: [', 'HF101'],
    ['gate: visited\ngate: produced', 'HF114'],
    ['- a list', 'HF114'],
    ['gaet: produced', 'HF118'],
    ['phases: {"1": Plan}', 'HF114'],
    ['proof: [plan]', 'HF114'],
    ['steps: [build]', 'HF114'],
    ['required_todos: {a: 1}', 'HF114'],
    ['directives: {a: 1}', 'HF114'],
    ['steps: {phase-1: {consume: [x]}}', 'HF118'],
    ['steps: {nothing: {produces: [x]}}', 'HF302'],
    ['proof: {nothing: [x]}', 'HF311'],
  ])('%s gets %s', (text, code) =>
    expect(codes(body, { others: { 'holdfast.yaml': `${text}\n` } })).toContain(code),
  )
})

test('slash references are commands, never paths, tags or alternatives', () => {
  const { definition } = read(
    `${head}Use /fix, then \`/plugin:go-on\` and (/review). Not and/or, </details>, /tmp/x, src/y, https://a/b.\n\n\`\`\`\n/fenced\n\`\`\`\n`,
  )
  expect(definition.references.map(({ name }) => name)).toEqual(['fix', 'plugin:go-on', 'review'])
})
