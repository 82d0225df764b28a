import { describe, expect, test } from 'vitest'
import { readAll } from '../read-all.ts'

const HEAD = '---\nname: x\ndescription: Does things.\n---\n'

function see(files: Readonly<Record<string, string>>) {
  const [parsed] = readAll(Object.keys(files), { textOf: (path) => files[path] ?? '' })
  const diagnostics = parsed?.diagnostics.map(
    ({ code, file, line, column }) => `${code} ${file}:${line}:${column}`,
  )
  const steps = parsed?.definition.plan?.steps.map(({ id, place }) => `${id} ${place.line}:${place.column}`)
  return { diagnostics, steps, messages: parsed?.diagnostics.map(({ message }) => message) }
}

const block = (json: string) => ({ 'x/SKILL.md': `${HEAD}\n\`\`\`json\n${json}\n\`\`\`\n` })

describe('phases as data have the place where they are written', () => {
  test('in a JSON block', () => {
    const { steps, diagnostics } = see(
      block(
        '{\n  "phases": [\n    {"label": "1"},\n    {"name": "No label"},\n    {"label": "2"}, {"label": "1"}\n  ]\n}',
      ),
    )
    expect(steps).toEqual(['1 9:5', '2 11:5'])
    expect(diagnostics).toEqual(['HF205 x/SKILL.md:10:5', 'HF301 x/SKILL.md:11:21'])
  })

  test('in the sidecar, with its contracts and its proof', () => {
    const { steps, diagnostics } = see({
      'x/SKILL.md': HEAD,
      'x/holdfast.yaml':
        'phases:\n  - label: "1"\n  - name: No label\n  - label: "2"\nproof:\n  "1": [a]\n  b: [c]\nsteps:\n  "1": {}\n  three: {}\n',
    })
    expect(steps).toEqual(['1 2:5', '2 4:5'])
    expect(diagnostics).toEqual([
      'HF205 x/holdfast.yaml:3:5',
      'HF302 x/holdfast.yaml:10:3',
      'HF311 x/holdfast.yaml:7:3',
    ])
  })
})

describe('a text that contradicts its declared phases', () => {
  const told = (...headings: readonly string[]) =>
    see({
      'x/SKILL.md': `${HEAD}\n${headings.map((heading) => `## Phase ${heading}\n\n`).join('')}`,
      'x/holdfast.yaml':
        'phases:\n  - label: "1"\n  - label: "2"\n  - label: "2.A"\n  - label: "2.B"\n  - label: "3"\n',
    })

  test('in their order gets a diagnostic that shows the order of the plan', () => {
    const { diagnostics, messages } = told('1: a', '3: c', '2: b')
    expect(diagnostics).toEqual(['HF310 x/SKILL.md:10:1'])
    expect(messages).toEqual([
      'The text has phase 2 after phase 3 (line 8), but the plan is 1 → 2 → 2.A → 2.B → 3.',
    ])
  })

  test('by an undeclared phase gets a diagnostic, because no rule would enforce it', () => {
    const { diagnostics, messages } = told('1: a', '2: b', '3: c', '4: d')
    expect(diagnostics).toEqual(['HF310 x/SKILL.md:12:1'])
    expect(messages?.[0]).toContain('The text has phase 4, but the plan is 1 → 2 → 2.A → 2.B → 3.')
  })

  test('may change alternatives, divide a phase, omit one or name several at once', () => {
    for (const headings of [
      ['1: a', '2: b', '2.B: c', '2.A: d', '3: e'],
      ['1: a', '1.1: b', '1.2: c', '2: d'],
      ['1: a', '3: b'],
      ['1-2: a', '3: b'],
    ])
      expect(told(...headings).diagnostics).toEqual([])
  })
})

describe('a block that is not JSON', () => {
  test('gets a diagnostic at the place where the JSON breaks', () => {
    const { diagnostics, messages } = see(block('{\n  "phases": [\n    {"label": "1",}\n  ]\n}'))
    expect(diagnostics).toEqual(['HF205 x/SKILL.md:9:19'])
    expect(messages?.[0]).toContain('not valid JSON: expected double-quoted property name.')
  })

  test('gets a diagnostic at its beginning if the parser gives no place', () => {
    expect(see(block('{"phases": [{"label": }')).diagnostics).toEqual(['HF205 x/SKILL.md:7:1'])
  })

  test.each([
    '{"phases": [}',
    '{"phases": ["plan", "build"]}',
    '{"phases": [{"name": "plan", "status": "done"}]}',
  ])('and has no labels is of another program: %s', (text) =>
    expect(see(block(text)).diagnostics).toEqual([]),
  )
})
