import { describe, expect, test } from 'vitest'
import { detailsOf } from '../model/skill.ts'
import { readSkill } from './skill-md.ts'

function read(others: Readonly<Record<string, string>>) {
  const parsed = readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'x',
    file: 'x/SKILL.md',
    text: '---\nname: x\ndescription: Does things.\n---\n',
    others: new Map(Object.entries(others)),
  })
  return {
    plan: parsed.definition.plan,
    codes: parsed.diagnostics.map(({ code }) => code),
    enforceable: detailsOf(parsed).enforceable,
  }
}
const sidecar = (...lines: readonly string[]) => ({ 'holdfast.yaml': `${lines.join('\n')}\n` })

describe('a faulty step', () => {
  const CHAIN = {
    'steps/a.md': '---\nproduces: [a]\n---\n',
    'steps/b.md': '---\nconsumes: [a, nothing]\nproduces: [b]\n---\n',
    'steps/c.md': '---\nconsumes: [b]\nproduces: [c]\n---\n',
    'steps/d.md': '---\nconsumes: [c]\n---\n',
    'steps/e.md': '---\nconsumes: [a]\n---\n',
  }

  test('switches off what needs its products, and the rest stays in force', () => {
    const { plan, codes, enforceable } = read(CHAIN)
    expect(codes).toEqual(['HF307'])
    expect(plan?.faulty).toEqual(['b', 'c', 'd'])
    expect(enforceable).toBe(true)
  })

  test('that everything needs switches off the plan', () => {
    const { plan, enforceable } = read({
      'steps/b.md': '---\nconsumes: [nothing]\nproduces: [b]\n---\n',
      'steps/c.md': '---\nconsumes: [b]\nproduces: [c]\n---\n',
    })
    expect(plan?.faulty).toEqual(['b', 'c'])
    expect(enforceable).toBe(false)
  })

  test('may be one that must be proved by a faulty requirement', () => {
    const { plan, codes, enforceable } = read({
      ...CHAIN,
      ...sidecar('inputs: [nothing]', 'artifacts: {c: {comand: make}}'),
    })
    expect(codes).toEqual(['HF316'])
    expect(plan?.faulty).toEqual(['c', 'd'])
    expect(enforceable).toBe(true)
  })

  test('that does not exist switches off the plan, because any step may be meant', () => {
    const { codes, enforceable } = read({
      ...CHAIN,
      ...sidecar('inputs: [nothing]', 'steps: {z: {optional: true}}'),
    })
    expect(codes).toEqual(['HF302'])
    expect(enforceable).toBe(false)
  })

  test('in a loop without a limit switches off the loop', () => {
    const { plan, codes, enforceable } = read(
      sidecar(
        'phases:',
        '  - {label: "1", name: A}',
        '  - {label: "2", name: B}',
        '  - {label: "3", name: C, next: {again: "2"}}',
      ),
    )
    expect(codes).toEqual(['HF306'])
    expect(plan?.faulty).toEqual(['2', '3'])
    expect(enforceable).toBe(true)
  })
})
