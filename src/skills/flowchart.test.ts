import { expect, test } from 'vitest'
import { readFlowchart } from './flowchart.ts'

const edges = (language: string, content: string) =>
  readFlowchart(language, content)?.edges.map(({ from, to, label }) =>
    [from, ...(label === '' ? [] : [label]), to].join(' > '),
  )
const labels = (language: string, content: string) =>
  readFlowchart(language, content)?.nodes.map(({ label }) => label)

const DOT = `digraph g {
  rankdir=LR;
  node [shape=box];
  "Write a test" [shape=box];
  ok [label="Is it\\ngreen?", shape=diamond]; // asks
  "Write a test" -> ok
  ok -> "Write a test" [label="no"];
  ok -> done [label="yes, it is"];
  a -> b ->
    c;
}`

test('a dot drawing is its boxes and arrows', () => {
  expect(labels('dot', DOT)).toEqual(['Write a test', 'Is it green?', 'done', 'a', 'b', 'c'])
  expect(edges('dot', DOT)).toEqual([
    'Write a test > ok',
    'ok > no > Write a test',
    'ok > yes, it is > done',
    'a > b',
    'b > c',
  ])
})

const MERMAID = `flowchart TD
  %% a note
  A[Write a test] --> B{"Is it green?"}
  B -->|no| A
  B -- yes --> C((done)) --> D
  subgraph x
  D ==> E([the end])
  end
  style A fill:#fff`

test('a Mermaid drawing is its boxes and arrows', () => {
  expect(labels('mermaid', MERMAID)).toEqual(['Write a test', 'Is it green?', 'done', 'D', 'the end'])
  expect(edges('mermaid', MERMAID)).toEqual(['A > B', 'B > no > A', 'B > yes > C', 'C > D', 'D > E'])
})

test('other drawings are not read', () => {
  expect(readFlowchart('mermaid', 'sequenceDiagram\n  A->>B: hello')).toBeUndefined()
  expect(readFlowchart('json', '{}')).toBeUndefined()
})

test('strange drawings end', () => {
  for (const part of ['a -> ', '"', '[', 'A --> ', 'A[', '-- x ', '((('])
    for (const language of ['dot', 'mermaid'])
      expect(readFlowchart(language, `graph TD\n{${part.repeat(3000)}`)?.nodes.length).toBeLessThan(9000)
})
