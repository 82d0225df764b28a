import { describe, expect, test } from 'vitest'
import type { LoadedModule } from '../model/plan/definition.ts'
import { planOfPhases } from '../model/plan/phase-plan.ts'
import type { Step } from '../model/plan/plan.ts'
import { detailsOf } from '../model/skill.ts'
import { readSkill } from './skill-md.ts'

const HEAD = '---\nname: x\ndescription: Does things.\n---\n\n'

function read(others: Readonly<Record<string, string>>, body = '', module?: LoadedModule) {
  const parsed = readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'x',
    file: 'x/SKILL.md',
    text: HEAD + body,
    others: new Map(Object.entries(others)),
    modules: new Map(module === undefined ? [] : [['workflow.ts', module]]),
  })
  const { plan } = parsed.definition
  return {
    plan,
    steps: plan?.steps ?? [],
    step: (label: string): Partial<Step> => plan?.steps.find((one) => one.label === label) ?? {},
    told: parsed.diagnostics.map(({ code, file, line, message }) => `${code} ${file}:${line} ${message}`),
    codes: parsed.diagnostics.map(({ code }) => code),
    enforceable: detailsOf(parsed).enforceable,
  }
}
const sidecar = (...lines: readonly string[]) => ({ 'holdfast.yaml': `${lines.join('\n')}\n` })

const SAID = {
  next: { again: ['1'] },
  limit: 3,
  writes: ['src/**', 'test/**'],
  dispatch: { count: 3, join: 2 },
  when: { confidence: 'high' },
  only: 'full',
}
const YAML =
  'next: {again: "1"}, limit: 3, onLimit: park, writes: [src/**, test/**], dispatch: {count: 3, join: 2}, when: {confidence: high}, only: full, optional: yes'

describe('the fields of a step are read the same', () => {
  const said = (id = '1') => ({
    told: [],
    step: expect.objectContaining({
      ...SAID,
      next: expect.objectContaining({ again: [id] }) as object,
      optional: true,
    }) as object,
    onLimit: undefined,
  })
  const seen = (step: Partial<Step>, told: readonly string[] = []) => ({ told, step, onLimit: step.onLimit })

  test('in phases of the sidecar', () => {
    const { step, told } = read(
      sidecar(
        'variables: {confidence: low}',
        'phases:',
        '  - {label: "1", name: A}',
        `  - {label: "2", name: B, ${YAML}}`,
      ),
    )
    expect(seen(step('2'), told)).toEqual(said())
  })

  test('in phases of a JSON block, with numbers', () => {
    const json = JSON.stringify({
      phases: [
        { label: '1', name: 'A', proof: ['confidence'] },
        { ...SAID, label: '2', name: 'B', next: { again: 1 }, onLimit: 'park', optional: true },
      ],
    })
    const { step, told } = read({}, `\`\`\`json\n${json}\n\`\`\`\n`)
    expect(seen(step('2'), told)).toEqual(said())
  })

  test('in phases stored by hand', () => {
    const phases = [
      { label: '1', name: 'A' },
      { ...SAID, label: '2', name: 'B', next: { again: '1' }, onLimit: 'park', optional: true },
      { label: '3', name: 'C', next: 'nowhere', limit: 'many' },
    ]
    const plan = planOfPhases(phases)
    expect(seen(plan.steps[1] ?? {})).toEqual(said())
    expect(plan.steps[2]).toMatchObject({ next: { ok: [] } })
  })

  test('in the frontmatter of step files', () => {
    const { step, told } = read({
      ...sidecar('variables: {confidence: low}'),
      'steps/1.md': '---\nproduces: [a]\n---\n',
      'steps/b.md': `---\nconsumes: [a]\n${YAML.replaceAll(/, (?=[a-zA-Z]+: )(?!join)/g, '\n')}\n---\n`,
    })
    expect(seen(step('b'), told)).toEqual(said())
  })

  test('in the contracts of the sidecar', () => {
    const { step, told, plan } = read(
      sidecar('variables: {confidence: low}', 'steps:', `  "2": {${YAML}}`),
      '## Step 1: A\n\n## Step 2: B\n',
    )
    expect(seen(step('2'), told)).toEqual(said('step-1'))
    expect(plan?.explicit).toBe(true)
    expect(step('2').next).toEqual({ ok: [], skip: [], again: ['step-1'] })
  })

  test('in pipelines', () => {
    const { step, told } = read(
      sidecar(
        'variables: {confidence: low}',
        'pipeline:',
        '  - {id: "1", prompt: A}',
        `  - {id: b, prompt: B, ${YAML}}`,
      ),
    )
    expect(seen(step('b'), told)).toEqual(said())
  })

  test('in workflow modules', () => {
    const steps = [
      { id: '1', title: 'A', next: 'b', proof: ['confidence'] },
      { ...SAID, id: 'b', title: 'B', next: { again: '1', ok: 'end' }, onLimit: 'park', optional: true },
    ]
    const { step, told } = read({ 'workflow.ts': '' }, '', { exported: { name: 'x', steps } })
    expect(seen(step('b'), told)).toEqual(said())
    expect(step('b').next).toEqual({ again: ['1'], ok: [] })
  })
})

describe('next', () => {
  const next = (written: string, name = 'C') =>
    read(
      sidecar(
        'phases:',
        `  - {label: "1", name: A, limit: 3, next: ${written}}`,
        '  - {label: "2", name: B}',
        `  - {label: "3", name: ${name}}`,
      ),
    )

  test.each<[string, object]>([
    ['"3"', { ok: ['3'] }],
    ['3', { ok: ['3'] }],
    ['["2", "3"]', { ok: ['2', '3'] }],
    ['end', { ok: [] }],
    ['null', { ok: [] }],
    ['{again: "1"}', { ok: ['2'], again: ['1'] }],
    [
      '{ok: "3", again: ["1", "2"], skip: null, stop: end}',
      { ok: ['3'], again: ['1', '2'], skip: [], stop: [] },
    ],
  ])('%s', (written, expected) => {
    const { step, codes } = next(written)
    expect(codes.filter((code) => code !== 'HF304')).toEqual([])
    expect(step('1').next).toEqual(expected)
  })

  test.each(['[]', '{ok: []}', '{ok: {a: b}}', '{"": "2"}', 'true', '[[a]]'])('%s is an error', (written) => {
    const { step, told, plan } = next(written)
    expect(told).toEqual([
      expect.stringContaining('HF321 x/holdfast.yaml:2 Step 1: next must be a step, a list'),
    ])
    expect(step('1').next).toEqual({ ok: ['2'] })
    expect(plan?.faulty).toEqual(['1'])
  })

  test('that names no step is an error, and the order stays', () => {
    const { step, told, plan, enforceable } = next('{ok: "9", again: "1"}')
    expect(told).toEqual(['HF302 x/holdfast.yaml:2 Step 1 leads to 9, which does not exist.'])
    expect(step('1').next).toEqual({ ok: ['2'], again: ['1'] })
    expect(plan?.faulty).toEqual(['1'])
    expect(enforceable).toBe(true)
  })

  test('names step files by file, and a step that is called end', () => {
    const { step, told } = read({
      'steps/a.md': '---\nproduces: [a]\nlimit: 2\nnext: {again: ./a.md, stop: end}\n---\n',
      'steps/end.md': '---\nconsumes: [a]\n---\n',
    })
    expect(told).toEqual([])
    expect(step('a').next).toEqual({ again: ['a'], stop: ['end'] })
  })
})

test.each([
  ['limit: 0', 'limit must be a whole number above 0, not "0".'],
  ['onLimit: [a]', 'onLimit must be a step, or park, not a list.'],
  ['writes: /etc/*', 'writes must be a list of patterns inside the project, such as [src/**], not "/etc/*".'],
  ['writes: [../x]', 'writes must be'],
  ['writes: []', 'writes must be'],
  ['writes: 3', 'writes must be'],
  ['proof: 3', 'proof must be names of fields such as [tests_pass], not "3".'],
  ['proof: true', 'proof must be names of fields such as [tests_pass], not a boolean.'],
  ['proof: [[a]]', 'proof must be names of fields such as [tests_pass], not a list.'],
  ['dispatch: none', 'dispatch must be 1 to 100 sub-agents'],
  ['dispatch: {count: 2, join: 3}', 'dispatch must be 1 to 100 sub-agents'],
  ['dispatch: {count: 2, joins: 1}', 'dispatch must be'],
  ['when: high', 'when must be values of variables, such as {confidence: high}, not "high".'],
  ['when: {a: [b]}', 'when must be'],
  ['optional: maybe', 'optional must be true or false, not "maybe".'],
  ['only: slow', 'only must be full or quick, not "slow".'],
])('%s is an error of its step only', (field, message) => {
  const { told, plan, enforceable } = read(
    sidecar('phases:', '  - {label: "1", name: A}', `  - {label: "2", name: B, ${field}}`),
  )
  expect(told).toEqual([expect.stringContaining(`HF321 x/holdfast.yaml:3 Step 2: ${message}`)])
  expect(plan?.faulty).toEqual(['2'])
  expect(enforceable).toBe(true)
})

test('an unknown step after a limit is an error', () => {
  const { told } = read(sidecar('phases:', '  - {label: "1", name: A, limit: 2, onLimit: "7"}'))
  expect(told).toEqual(['HF302 x/holdfast.yaml:2 Step 1 leads to 7, which does not exist.'])
})

test('a field of a step file is reported at its line', () => {
  const { told } = read({ 'steps/a.md': '---\nproduces: [a]\non_limit: [b]\n---\n' })
  expect(told).toEqual(['HF321 x/steps/a.md:3 Step a: onLimit must be a step, or park, not a list.'])
})

test('a guessed plan only warns about a foreign field', () => {
  const { told } = read({ 'steps/01-a.md': '---\nwhen: asked\n---\n', 'steps/02-b.md': '# B\n' })
  expect(told).toEqual([expect.stringContaining('HF114 x/steps/01-a.md:2 Step 1: when must be')])
})

describe('the sidecar says about the plan', () => {
  const STEPS = { 'steps/a.md': '---\nconsumes: [design-doc]\nproduces: [a]\n---\n' }

  test('which artifacts exist, which variables there are, and that a turn must not end', () => {
    const { plan, told } = read({
      ...STEPS,
      ...sidecar(
        'inputs: [design-doc]',
        'variables: {package: core, level: 3, dry: true, open: }',
        'hold: stop',
      ),
    })
    expect(told).toEqual([])
    expect(plan).toMatchObject({
      inputs: ['design-doc'],
      variables: { package: 'core', level: '3', dry: 'true', open: '' },
      hold: 'stop',
    })
  })

  test.each([
    ['inputs: {a: b}', 'HF114 x/holdfast.yaml:1 inputs must be a list of artifacts such as [design-doc].'],
    [
      'variables: [a]',
      'HF114 x/holdfast.yaml:1 variables must be defaults by name, such as {package: core}.',
    ],
    [
      'variables: {a b: c}',
      'HF114 x/holdfast.yaml:1 variables must be defaults by name, such as {package: core}.',
    ],
    ['hold: go', 'HF114 x/holdfast.yaml:1 hold must be stop, not "go".'],
  ])('%s is the wrong type', (line, message) => {
    expect(read({ ...STEPS, ...sidecar(line) }).told).toContain(message)
  })
})

describe('a variable', () => {
  const guarded = (...lines: readonly string[]) =>
    read(
      sidecar(
        ...lines,
        'phases:',
        '  - {label: "1", name: A, proof: [risk]}',
        '  - {label: "2", name: B, when: {depth: deep}}',
      ),
    )

  test('that nothing sets gets a warning', () => {
    expect(guarded().told).toEqual([
      'HF322 x/holdfast.yaml:3 Step 2 uses the variable depth, which nothing sets.',
    ])
    expect(guarded('variables: {depth: flat}').told).toEqual([])
    expect(guarded('inputs: [depth]').told).toEqual([])
  })

  test('may be set by proof, and stand in patterns', () => {
    const phases = (covers: string) =>
      read(
        sidecar(
          'phases:',
          `  - {label: "1", name: A, proof: {risk: how much, tests: {command: make, covers: ["${covers}"]}}}`,
          '  - {label: "2", name: B, when: {risk: high}}',
        ),
      ).told
    expect(phases('src/${risk}')).toEqual([])
    expect(phases('src/${pkg}')).toEqual([
      'HF322 x/holdfast.yaml:2 Step 1 uses the variable pkg, which nothing sets.',
    ])
  })
})

test('a step file without a contract beside others gets a warning', () => {
  const { told, steps } = read({
    'steps/a.md': '---\nproduces: [a]\n---\n',
    'steps/b.md': '# B\n',
    'steps/README.md': '# Steps\n',
  })
  expect(told).toEqual([
    'HF323 x/steps/b.md:1 steps/b.md has neither consumes nor produces, so the plan leaves it out.',
  ])
  expect(steps).toHaveLength(1)
})

test('titles name the mode in declared phases and runbooks', () => {
  const { steps } = read(
    sidecar(
      'phases:',
      '  - {label: "1", name: Dig (full only)}',
      '  - {label: "2", name: Skim (quick only)}',
    ),
  )
  expect(steps.map(({ only }) => only)).toEqual(['full', 'quick'])
  const runbook = read({ 'runbook.md': '## Step 1: Dig (full only)\n\n## Step 2: End\n' })
  expect(runbook.steps.map(({ only }) => only)).toEqual(['full', undefined])
})
