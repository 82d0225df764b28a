import { expect, test } from 'vitest'
import { planOf as planOfSteps, step } from '../model/plan/case.contract.ts'
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
├ ok → 2
└ limit → 3
2  Green (if risk is high)
├ ok → 3
├ again → 1
└ stop → end
3  Ask (optional, full only, 3 sub-agents, 1 needed)
└ → end`)
})

test('a graph shows the same', () => {
  const lines = mermaid(PHASES).split('\n')
  expect(lines).toContain('  s0["1: Red<br/>at most 5 times, opens test/**"]')
  expect(lines).toContain('  s2(["3: Ask<br/>optional, full only, 3 sub-agents, 1 needed"])')
  expect(lines).toContain('  s0 -->|"limit"| s2')
  expect(lines).toContain('  s1 -->|"again"| s0')
})

test('a graph has one arrow between two steps for all outcomes, and no label that repeats a title', () => {
  const refine = {
    ...step('refine-it', { next: { ok: ['tell'], iterate: ['refine-it'] } }),
    title: 'Refine it',
  }
  const plan = planOfSteps([
    { ...refine, limit: 2, onLimit: 'tell', onError: 'tell', writes: ['**', '.*'] },
    step('tell', { next: { ok: [] } }),
  ])
  expect(mermaid(plan)).toBe(`flowchart TD
  start(("start"))
  s0["Refine it<br/>at most 2 times, opens all files"]
  s1["tell"]
  finish((("end")))
  start --> s0
  s0 -->|"ok / error / limit"| s1
  s0 -->|"iterate"| s0
  s1 --> finish`)
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

const PARENT = {
  ...planOfSteps([
    step('ask', { dispatch: { count: 3, join: 3, workflow: 'look' }, next: { ok: ['sum'] } }),
    step('sum', { dispatch: { count: 1, join: 1 }, next: { ok: [] } }),
  ]),
  workflows: { look: planOfSteps([step('read', { next: { ok: [] } })]) },
}

test('a graph shows the workflow of sub-agents as a box, into which the step that needs them points', () => {
  expect(mermaid(PARENT)).toBe(`flowchart TD
  start(("start"))
  s0["ask<br/>3 sub-agents, all needed"]
  s1["sum<br/>1 sub-agent"]
  finish((("end")))
  start --> s0
  s0 --> s1
  s1 --> finish
  subgraph w0["sub-agents run look"]
    w0start(("start"))
    w0s0["read"]
    w0finish((("end")))
    w0start --> w0s0
    w0s0 --> w0finish
  end
  s0 -.-> w0start`)
})

test('a tree lists the workflow of sub-agents below', () => {
  expect(tree(PARENT)).toBe(`ask (3 sub-agents, all needed)
├ sub-agents run look
└ → sum
sum (1 sub-agent)
└ → end

Sub-agents run the workflow look:
read
└ → end`)
})

test('a tree shows which value counts sub-agents', () => {
  const counted = planOfSteps([step('ask', { dispatch: { count: 100, join: 100, countOf: 'parts' } })])
  expect(tree(counted)).toContain('ask (sub-agents by the value of parts)')
})
