import { describe, expect, test } from 'vitest'
import { readSkill } from './skill-md.ts'

const MAIN = '---\nname: build\ndescription: Builds.\n---\n\nBuild it.\n'
const STEPS = {
  'steps/work.md': '---\nproduces: [tests, notes]\n---\n',
  'steps/ship.md': '---\nconsumes: [tests]\n---\n',
}

function read(sidecar: string, others: Readonly<Record<string, string>> = STEPS, text = MAIN) {
  const files = new Map(Object.entries({ ...others, 'holdfast.yaml': sidecar }))
  const input = {
    kind: 'skill',
    id: 'build',
    folder: 'build',
    file: 'build/SKILL.md',
    text,
    others: files,
  } as const
  const { definition, diagnostics } = readSkill(input)
  return {
    definition,
    demands: definition.plan?.demands,
    codes: diagnostics.map(({ code }) => code),
    messages: diagnostics.map(({ message }) => message).join('\n'),
    lines: diagnostics.map(({ line }) => line),
  }
}

describe('the demands of a sidecar', () => {
  test('for artifacts have a command, the covered files and the required rank', () => {
    const { demands, codes } = read(
      `gate: produced\nartifacts:\n  tests: {command: " npm test ", covers: [src/**, test/**]}\n  notes: {command: make, covers: src, rank: observed}\n`,
    )
    expect(codes).toEqual([])
    expect(demands).toEqual({
      tests: { rank: 'proved', command: 'npm test', covers: ['src/**', 'test/**'] },
      notes: { rank: 'observed', command: 'make', covers: ['src'] },
    })
  })

  test('may want a command that fails', () => {
    const { demands, codes } = read(
      'gate: produced\nartifacts:\n  tests: {command: npm test, expect: fail, covers: [test/**]}\n',
    )
    expect(codes).toEqual([])
    expect(demands).toEqual({
      tests: { rank: 'proved', command: 'npm test', covers: ['test/**'], expect: 'fail' },
    })
    expect(read('artifacts: {tests: {command: x, covers: [a], expect: boom}}\n').messages).toContain(
      'expect of tests must be pass or fail, not "boom".',
    )
    expect(read('artifacts: {tests: {covers: [a], expect: fail}}\n').messages).toContain(
      'tests has expect but no command.',
    )
  })

  test('for phases are in their proof, by field or by phase', () => {
    const wants = { tests: { rank: 'proved', command: 'npm test', covers: ['src/**'] } }
    const demand = '{command: npm test, covers: [src/**]}'
    const list = (proof: string) => `phases:\n  - {label: "1", name: A, proof: ${proof}}\n`
    for (const sidecar of [
      list(`{tests: ${demand}, blocks: how many}`),
      `${list('[tests, blocks]')}proof:\n  tests: ${demand}\n`,
      `${list('[blocks]')}proof:\n  "1": {tests: ${demand}}\n`,
      `${list(`{tests: ${demand}, blocks: how many}`)}proof:\n  tests: ${demand}\n`,
    ]) {
      const { demands, codes, definition } = read(sidecar, {})
      expect(codes).toEqual([])
      expect(demands).toEqual(wants)
      expect(definition.phases[0]?.proof?.toSorted()).toEqual(['blocks', 'tests'])
    }
  })

  test('for phases that are only headings make them explicit', () => {
    const text = `${MAIN}\n## Phase 1: Build\n\n## Phase 2: Ship\n`
    const sidecar = 'proof:\n  "1": {tests: {command: npm test, covers: [src]}}\n'
    const { definition, codes } = read(sidecar, {}, text)
    expect(codes).toEqual([])
    expect(definition.plan).toMatchObject({ explicit: true, demands: { tests: { rank: 'proved' } } })
    expect(definition.phases).toEqual([
      { label: '1', name: 'Build', proof: ['tests'] },
      { label: '2', name: 'Ship' },
    ])
  })

  test('can be in the JSON block of the seeds, whose plain forms keep their meaning', () => {
    const block = (proof: unknown) =>
      `${MAIN}\n\`\`\`json\n${JSON.stringify({ phases: [{ label: '1', name: 'A', proof }] })}\n\`\`\`\n`
    const asked = read('', {}, block({ tests: { command: 'npm test', covers: ['src/**'] } }))
    expect(asked.demands).toMatchObject({ tests: { command: 'npm test' } })
    for (const proof of [['tests'], { tests: 'what they say' }, { tests: { type: 'string' } }]) {
      const { demands, codes, definition } = read('', {}, block(proof))
      expect([demands, codes, definition.phases[0]?.proof]).toEqual([undefined, [], ['tests']])
    }
  })

  test.each<[string, string, string, RegExp]>([
    [
      'a misspelled field',
      'tests: {comand: npm test, covers: [src]}',
      'HF316',
      /comand; did you mean command\?/,
    ],
    [
      'a command that is not a string',
      'tests: {command: [npm, test], covers: [src]}',
      'HF316',
      /command of tests/,
    ],
    ['an empty command', 'tests: {command: "  ", covers: [src]}', 'HF316', /command of tests/],
    ['a command of two lines', 'tests: {command: "a\\nb", covers: [src]}', 'HF316', /one line/],
    ['files outside of the project', 'tests: {command: a, covers: [../x]}', 'HF316', /inside the project/],
    ['absolute files', 'tests: {command: a, covers: [/etc/*]}', 'HF316', /inside the project/],
    ['files that are not strings', 'tests: {command: a, covers: [{x: y}]}', 'HF316', /inside the project/],
    ['an empty list of files', 'tests: {command: a, covers: []}', 'HF316', /inside the project/],
    ['an unknown rank', 'tests: {command: a, covers: [b], rank: sure}', 'HF316', /"sure"/],
    ['a proof without a command', 'tests: {rank: proved}', 'HF316', /has rank proved but no command/],
    ['nothing', 'tests:', 'HF316', /must have fields/],
    ['only a string', 'tests: npm test', 'HF316', /must have fields/],
    ['an artifact without a producer', 'test: {command: a, covers: [b]}', 'HF317', /did you mean tests\?/],
    ['no files', 'tests: {command: a}', 'HF319', /counts forever/],
  ])('get a diagnostic if a demand is or has %s', (_, line, code, message) => {
    const { codes, messages, lines, demands } = read(`gate: produced\nartifacts:\n  ${line}\n`)
    expect(codes).toEqual([code])
    expect(messages).toMatch(message)
    expect(lines).toEqual([3])
    expect(demands === undefined).toBe(code === 'HF316')
  })

  test('for artifacts are enforced, unless the author says that reading is enough, which gets a warning', () => {
    const artifacts = 'artifacts:\n  tests: {command: a, covers: [b]}\n'
    expect(read(artifacts).definition.plan?.gate).toBe('produced')
    expect(read('').definition.plan?.gate).toBe('visited')
    const said = read(`gate: visited\n${artifacts}`)
    expect([said.definition.plan?.gate, said.codes]).toEqual(['visited', ['HF320']])
  })

  test('are refused if they are a list, or if one name has two demands', () => {
    expect(read('artifacts: [tests]\n').codes).toEqual(['HF316'])
    const proof = '{tests: {command: a, covers: [x]}}'
    const phases = `phases:\n  - {label: "1", name: A, proof: ${proof}}\n  - {label: "2", name: B, proof: ${proof.replace(': a', ': b')}}\n`
    expect(read(phases, {}).codes).toEqual(['HF318'])
    expect(
      read('phases:\n  - {label: "1", name: A}\nproof:\n  tests: {command: a, covers: [x]}\n', {}).codes,
    ).toEqual(['HF311'])
  })
})
