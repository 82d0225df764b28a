import { expect, test } from 'vitest'
import { edgesOf, mermaid, tree } from './graph.ts'
import { readSkill } from './skill-md.ts'

const planOf = (yaml: string, others: Readonly<Record<string, string>> = {}) => {
  const { definition } = readSkill({
    kind: 'skill',
    id: 'x',
    folder: 'x',
    file: 'x/SKILL.md',
    text: '---\nname: x\ndescription: Does things.\n---\n',
    others: new Map(Object.entries({ ...others, 'holdfast.yaml': yaml })),
  })
  if (definition.plan === undefined) throw new Error('no plan')
  return definition.plan
}

const PHASES = planOf(`variables: {risk: low}
phases:
  - {label: "1", name: Red, limit: 5, onLimit: "3", writes: [test/**]}
  - {label: "2", name: Green, next: {again: "1", stop: end}, when: {risk: high}}
  - {label: "3", name: Ask, dispatch: {count: 3, join: any}, only: full, optional: true}
`)

test('a tree shows outcomes, limits, guards, sub-agents and files', () => {
  expect(tree(PHASES)).toBe(`1  Red (at most 5 times, opens test/**)
├ → 2
└ limit → 3
2  Green (if risk is high)
├ ok → 3
├ again → 1
└ stop → end
3  Ask (optional, full only, 1 of 3 sub-agents)
└ → end`)
})

test('a graph shows the same', () => {
  const lines = mermaid(PHASES).split('\n')
  expect(lines).toContain('  s0["1: Red (at most 5 times, opens test/**)"]')
  expect(lines).toContain('  s2(["3: Ask (optional, full only, 1 of 3 sub-agents)"])')
  expect(lines).toContain('  s0 -->|"limit"| s2')
  expect(lines).toContain('  s1 -->|"again"| s0')
})

test('a plan of artifacts begins with what needs nothing and what no outcome leads to', () => {
  const plan = planOf('inputs: [design]\n', {
    'steps/a.md': '---\nconsumes: [design]\nproduces: [a]\n---\n',
    'steps/b.md': '---\nconsumes: [a]\nnext: {fail: c}\n---\n',
    'steps/c.md': '---\nnext: b\n---\n',
  })
  const starts = edgesOf(plan).filter(({ from }) => from === null)
  expect(starts).toEqual([{ from: null, to: 'a', label: null }])
})
