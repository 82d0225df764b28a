import { describe, expect, test } from 'vitest'
import { readAll } from '../read-all.ts'

const MAIN = '---\nname: x\ndescription: Does things.\n---\n\n'

function see(steps: Readonly<Record<string, string>>, body = '') {
  const files: Readonly<Record<string, string>> = {
    'x/SKILL.md': MAIN + body,
    ...Object.fromEntries(Object.entries(steps).map(([path, text]) => [`x/${path}`, text])),
  }
  const [only] = readAll(Object.keys(files), { textOf: (path) => files[path] ?? '' })
  const plan = only?.definition.plan
  return {
    plan,
    ways: (plan?.steps ?? []).map(({ id, next }) => `${id} → ${next?.['ok']?.join(' or ') ?? 'artifacts'}`),
    told: (only?.diagnostics ?? []).map(
      ({ code, file, line, column, message }) => `${code} ${file}:${line}:${column} ${message}`,
    ),
  }
}
const fields = (...lines: readonly string[]) => `---\n${lines.join('\n')}\n---\n\n# Title\n`
const contract = (consumes: string, produces: string, ...more: readonly string[]) =>
  fields(`consumes: [${consumes}]`, `produces: [${produces}]`, ...more)

describe('contracts', () => {
  test('determine the order; file names and the text do not', () => {
    const { plan, told } = see({
      'steps/audit.md': contract('execution', 'audit'),
      'steps/probe.md': contract('user-request', 'depth'),
      'steps/full-mode.md': contract('prompt', 'execution', 'fan_out: [a, b]'),
      'steps/prompt.md': contract('depth', 'prompt'),
      'steps/step-template.md': '# Only a template\n',
    })
    expect(told).toEqual([])
    expect(plan).toMatchObject({ explicit: true, entry: [] })
    expect(plan?.steps.map(({ id }) => id)).toEqual(['probe', 'prompt', 'full-mode', 'audit'])
    expect(plan?.steps[2]?.fanOut).toEqual(['a', 'b'])
  })

  test('without inputs are roots, and the products of an optional step are not required', () => {
    const { plan, told } = see({
      'steps/scan.md': contract('', 'findings'),
      'steps/extra.md': contract('findings', 'hints', 'optional: true'),
      'steps/report.md': contract('findings, hints', 'report'),
    })
    expect(told).toEqual([])
    expect(plan?.steps.map(({ id, optional }) => [id, optional])).toEqual([
      ['scan', false],
      ['extra', true],
      ['report', false],
    ])
  })

  test.each([
    ['BOM', `\uFEFF${contract('user-request', 'a')}`],
    ['CRLF', contract('user-request', 'a').replaceAll('\n', '\r\n')],
    ['a blank line before them', `\n${contract('user-request', 'a')}`],
    ['broken YAML beside them', contract('user-request', 'a', 'note: one: two')],
  ])('are read with %s', (_, text) => {
    expect(see({ 'steps/one.md': text }).plan?.steps[0]).toMatchObject({
      consumes: ['user-request'],
      produces: ['a'],
    })
  })

  test('in a cycle keep the order of their files, and the cycle gets a diagnostic', () => {
    const { plan, told } = see({
      'steps/a.md': contract('z', 'x'),
      'steps/b.md': contract('x', 'y'),
      'steps/c.md': contract('y', 'z'),
    })
    expect(plan?.steps.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    expect(told).toEqual(['HF313 x/steps/a.md:2:1 Each of a → c → b → a waits for the next.'])
  })

  test('that the text contradicts get a diagnostic, by the files that it names or by its headings', () => {
    const steps = {
      'steps/scope-check.md': contract('user-request', 'scope'),
      'steps/validate-epic.md': contract('scope', 'epic'),
    }
    const why =
      'The text mentions validate-epic before scope-check (line 8), but the plan is scope-check → scope → validate-epic.'
    expect(see(steps, '## Phase 1: Validate Epic\n\n## Phase 2: scope-check\n').told).toEqual([
      `HF310 x/SKILL.md:6:1 ${why}`,
    ])
    expect(see(steps, 'Read steps/validate-epic.md\n\nRead steps/scope-check.md\n').told).toEqual([
      `HF310 x/SKILL.md:6:1 ${why}`,
    ])
    expect(see(steps, '```\nsteps/validate-epic.md\nsteps/scope-check.md\n```\n').told).toEqual([])
  })
})

describe('next-step pointers', () => {
  test.each(['x', '|-', 'x.', 'x/'])('of only %j are read, however long they are', (part) => {
    const pointer = fields(`nextStepFile: '${part.repeat(100_000)}'`)
    const { ways } = see({ 'steps/step-01-a.md': pointer, 'steps/step-02-b.md': '# B\n' })
    expect(ways[0]).toBe('steps/step-01-a.md → steps/step-02-b.md')
  })

  test('are templates: only the part after a placeholder counts, and a named folder decides', () => {
    const { ways, told, plan } = see({
      'steps-c/step-01-init.md': fields("nextStepFile: '{project-root}/x/steps-c/step-02-go.md'"),
      'steps-c/step-01b-continue.md': fields('name: b'),
      'steps-c/step-02-go.md': fields("nextStepFile: '../steps-v/step-02-go.md'"),
      'steps-c/step-template.md': fields('name: t'),
      'steps-v/step-02-go.md': fields(
        "nextStepFile_modeA: './step-03-a.md'",
        "nextStepFile_modeB: './step-03-b.md'",
      ),
      'steps-v/step-03-a.md': '# A\n',
      'steps-v/step-03-b.md': '# B\n',
    })
    expect(told).toEqual([])
    expect(ways).toEqual([
      'steps-c/step-01-init.md → steps-c/step-02-go.md',
      'steps-c/step-01b-continue.md → ',
      'steps-c/step-02-go.md → steps-v/step-02-go.md',
      'steps-v/step-02-go.md → steps-v/step-03-a.md or steps-v/step-03-b.md',
      'steps-v/step-03-a.md → ',
      'steps-v/step-03-b.md → ',
    ])
    expect(plan).toMatchObject({
      explicit: false,
      entry: ['steps-c/step-01-init.md', 'steps-c/step-01b-continue.md'],
    })
  })

  test('to missing files get a diagnostic at their line; one in broken YAML is still followed', () => {
    const { ways, told } = see({
      'steps/step-01.md': fields('name: a', 'nextStepFile: {path}/step-02.md'),
      'steps/step-02.md': fields('name: b', 'nextStepFile: ./step-03-gone.md'),
    })
    expect(ways[0]).toBe('steps/step-01.md → steps/step-02.md')
    expect(told[0]).toMatch(/^HF101 x\/steps\/step-01\.md:3:/)
    expect(told.slice(1)).toEqual([
      'HF312 x/steps/step-02.md:3:1 steps/step-02.md points to step-03-gone.md, which does not exist.',
    ])
  })

  test('in a cycle get a diagnostic with the cycle', () => {
    expect(
      see({
        'steps/step-0.md': fields('nextStepFile: step-1.md'),
        'steps/step-1.md': fields('nextStepFile: step-2.md'),
        'steps/step-2.md': fields('nextStepFile: step-1.md'),
        'steps/step-3.md': fields('name: end'),
      }).told,
    ).toEqual([
      'HF306 x/steps/step-1.md:1:1 steps/step-1.md → steps/step-2.md → steps/step-1.md has no limit.',
    ])
  })
})

describe('numbers in file names', () => {
  const files = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, `# ${name}\n`] as const))

  test('sort naturally; each folder is a procedure, and a letter is a branch', () => {
    const { ways, plan } = see(
      files(
        'steps-c/step-10-z.md',
        'steps-c/step-9-y.md',
        'steps-c/step-9b-side.md',
        'steps-c/step-template.md',
        'steps-v/step-v-01-a.md',
        'steps-v/step-v-02-b.md',
      ),
    )
    expect(ways).toEqual([
      'steps-c/step-9-y.md → steps-c/step-9b-side.md or steps-c/step-10-z.md',
      'steps-c/step-9b-side.md → steps-c/step-10-z.md',
      'steps-c/step-10-z.md → ',
      'steps-v/step-v-01-a.md → steps-v/step-v-02-b.md',
      'steps-v/step-v-02-b.md → ',
    ])
    expect(plan).toMatchObject({ explicit: false, entry: ['steps-c/step-9-y.md', 'steps-v/step-v-01-a.md'] })
    expect(plan?.steps.map(({ label, optional }) => [label, optional])).toEqual([
      ['9', false],
      ['9b', true],
      ['10', false],
      ['1', false],
      ['2', false],
    ])
  })

  test('with letters only are alternatives', () => {
    expect(
      see(files('steps/step-01.md', 'steps/step-02a.md', 'steps/step-02b.md', 'steps/step-03.md')).ways,
    ).toEqual([
      'steps/step-01.md → steps/step-02a.md or steps/step-02b.md',
      'steps/step-02a.md → steps/step-03.md',
      'steps/step-02b.md → steps/step-03.md',
      'steps/step-03.md → ',
    ])
  })

  test.each([
    [
      ['step-1-2.md', 'step-1-10.md'],
      ['1.2', '1.10'],
    ],
    [
      ['cycle-1-1.md', 'cycle-2-1.md'],
      ['1.1', '2.1'],
    ],
    [
      ['phase1-step1.md', 'phase1-step2.md'],
      ['1.1', '1.2'],
    ],
    [
      ['01-setup.md', '02-work.md'],
      ['1', '2'],
    ],
    [
      ['e-01-edit.md', 'e-02-save.md'],
      ['1', '2'],
    ],
    [['計画.md', '実行.md'], []],
    [['notes.md', 'step-oneshot.md'], []],
  ])('%j are %j', (names, labels) => {
    expect(
      see(files(...names.map((name) => `steps/${name}`))).plan?.steps.map(({ label }) => label) ?? [],
    ).toEqual(labels)
  })
})
