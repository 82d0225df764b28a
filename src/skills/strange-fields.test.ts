import { describe, expect, test } from 'vitest'
import { detailsOf } from '../model/skill.ts'
import { readSkill } from './skill-md.ts'

function read(others: Readonly<Record<string, string>>, body = '') {
  const parsed = readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'x',
    file: 'x/SKILL.md',
    text: `---\nname: x\ndescription: Does things.\n---\n\n${body}`,
    others: new Map(Object.entries(others)),
  })
  return {
    plan: parsed.definition.plan,
    told: parsed.diagnostics.map(({ code, file, line, message }) => `${code} ${file}:${line} ${message}`),
    enforceable: detailsOf(parsed).enforceable,
  }
}
const sidecar = (...lines: readonly string[]) => ({ 'holdfast.yaml': `${lines.join('\n')}\n` })

describe('an unknown field gets a warning', () => {
  test('in phases of the sidecar', () => {
    const { told, enforceable } = read(
      sidecar('phases:', '  - {label: "1", name: A, writs: [src/**], prof: [x], limt: 3, owner: me}'),
    )
    expect(told).toEqual([
      'HF324 x/holdfast.yaml:2 Phase 1 has an unknown field writs; did you mean writes?',
      'HF324 x/holdfast.yaml:2 Phase 1 has an unknown field prof; did you mean proof?',
      'HF324 x/holdfast.yaml:2 Phase 1 has an unknown field limt; did you mean limit?',
      'HF324 x/holdfast.yaml:2 Phase 1 has an unknown field owner.',
    ])
    expect(enforceable).toBe(true)
  })

  test('in phases of a JSON block, which may have the fields of older skills', () => {
    const phase = {
      label: '1',
      name: 'A',
      steps: ['1.1'],
      commands: [],
      gate: true,
      invariants: [],
      onlimit: 1,
    }
    const { told } = read({}, `\`\`\`json\n${JSON.stringify({ phases: [phase] })}\n\`\`\`\n`)
    expect(told).toEqual(['HF324 x/SKILL.md:7 Phase 1 has an unknown field onlimit; did you mean onLimit?'])
  })

  test('in step files with contracts, at its line', () => {
    const { told } = read({
      'steps/a.md': '---\nname: a\ndescription: Does a.\nproduces: [a]\nwrits: [src/**]\n---\n',
      'steps/b.md': '---\nconsumes: [a]\nnext_step_file: ./c.md\non-limit: park\nfan_out: [x]\n---\n',
    })
    expect(told).toEqual(['HF324 x/steps/a.md:5 Step a has an unknown field writs; did you mean writes?'])
  })

  test('but not in step files that only have names and numbers', () => {
    const { told } = read({ 'steps/01-a.md': '---\nwrits: x\n---\n', 'steps/02-b.md': '# B\n' })
    expect(told).toEqual([])
  })
})

test.each(['consumes', 'produces'])('%s of another type than a list gets a warning', (key) => {
  const { told } = read({ 'steps/a.md': `---\nproduces: [a]\n${key}: {a: b}\n---\n` })
  expect(told).toEqual([`HF114 x/steps/a.md:3 ${key} must be a list of names, not an object.`])
})

test('proof by phase that names no field is an error of its phase', () => {
  const { told, plan } = read(sidecar('proof: {"2": 3}'), '## Phase 1: A\n\n## Phase 2: B\n')
  expect(told).toEqual([expect.stringContaining('HF321 x/holdfast.yaml:1 Step 2: proof must be names')])
  expect(plan?.faulty).toEqual(['phase-2'])
})
