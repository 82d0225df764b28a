import { describe, expect, test } from 'vitest'
import { elementsIn, parseElement, parseXml } from '../../harness/strict-xml.ts'
import { fixed } from './case.contract.ts'
import {
  conditionalDispatch,
  dispatchParts,
  modelSelection,
  parallelDispatch,
  subagentDispatch,
} from './dispatch.ts'
import {
  chosenModel,
  DEFAULT_MODEL,
  EACH_ITS_TASK,
  HAND_OVER,
  launchAll,
  namesItsStep,
  PARALLEL_FREE,
  PARALLEL_START,
  REPORT_PASSES,
  returnsValues,
  startBy,
  WAIT_FOR_ALL,
  WAIT_FOR_ONE,
  WORKS_FREELY,
} from './guidance.ts'
import type { ChildView, DispatchView } from './view.ts'
import { type Part, writtenAsXml } from './xml.ts'

const xml = (...parts: readonly Part[]) => writtenAsXml(parts)

describe('8: a sub-agent', () => {
  test('with a workflow of its own is started by its command', () => {
    const given = { agent: 'developer', vars: { plan: 'the <plan>', 'a"b': 'c' }, command: 'run "a" && b' }
    expect(xml(subagentDispatch(given))).toBe(`<subagent_dispatch agent="developer" mode="script">
  <context>
    <var name="plan">the &lt;plan&gt;</var>
    <var name="a&quot;b">c</var>
  </context>
  <invoke>run "a" &amp;&amp; b</invoke>
  <handoff_instruction>
${fixed([...HAND_OVER, startBy('run "a" && b')], '    ')}
  </handoff_instruction>
</subagent_dispatch>`)
  })

  test('without one works freely', () => {
    expect(xml(subagentDispatch({ agent: 'explore', command: null, lines: ['Look for names.'] }))).toBe(
      `<subagent_dispatch agent="explore" mode="free-form">
  <free_form_instruction>
${fixed([...WORKS_FREELY, 'Look for names.'], '    ')}
  </free_form_instruction>
</subagent_dispatch>`,
    )
  })

  test('that fixes what a review found gets the path of its report', () => {
    const written = xml(subagentDispatch({ agent: 'developer', command: 'c', report: '/a & b/qr.md' }))
    expect(written).toContain(
      `  <context>
    <var name="QR_REPORT_PATH">/a &amp; b/qr.md</var>
  </context>
  <qr_report_passthrough>
${fixed(REPORT_PASSES, '    ')}
  </qr_report_passthrough>
  <invoke>c</invoke>`,
    )
  })
})

test('9: the model of a sub-agent is said, also if it is the default', () => {
  expect(xml(modelSelection({}))).toBe(`<model_selection>\n  ${DEFAULT_MODEL}\n</model_selection>`)
  const per_agent = { a1: 'opus', 'b<': 'haiku' }
  expect(xml(modelSelection({ model: 'sonnet', rationale: 'It is "enough".', per_agent }))).toBe(
    `<model_selection>
  ${chosenModel('sonnet')}
  It is "enough".
  Per-agent overrides:
  - opus: a1
  - haiku: b&lt;
</model_selection>`,
  )
})

describe('10: several sub-agents at once', () => {
  test('are told everything in its order, and what to wait for stands behind', () => {
    const parts = parallelDispatch({
      agent: 'explore',
      instruction: 'Look & tell.',
      template: ['Find {{it}}.'],
      command: 'go',
      model: { model: 'haiku' },
      agents: [
        { id: 'a', title: 'Names', task: 'find <names>' },
        { id: 'b', title: 'Types', task: '', command: 'go b' },
      ],
      categories: [{ ref: '1', name: 'Naming' }],
      shared: { scope: 'src' },
      mandatory: 2,
      wait: 'Wait.',
    })
    expect(xml(...parts)).toBe(`<parallel_dispatch agent="explore" count="2">
  <mandatory>${launchAll(2)}</mandatory>
  <instruction>Look &amp; tell.</instruction>
  <model_selection>
    ${chosenModel('haiku')}
  </model_selection>
  <shared_context>
    scope: src
  </shared_context>
  <agents_to_launch>
    <agent id="a">Names: find &lt;names&gt;</agent>
    <agent id="b">
      Types
      <invoke>go b</invoke>
    </agent>
  </agents_to_launch>
  <categories>
    <category ref="1">Naming</category>
  </categories>
  <template>
    Find {{it}}.
    Start: go
  </template>
</parallel_dispatch>

Wait.`)
  })

  test('are counted by their categories if they have no tasks, else not at all', () => {
    const counted = (given: Partial<Parameters<typeof parallelDispatch>[0]>) =>
      xml(...parallelDispatch({ agent: 'a', instruction: 'i', ...given })).split('\n')[0]
    const categories = [{ ref: '1', name: 'Naming' }]
    expect(counted({ categories })).toBe('<parallel_dispatch agent="a" count="1">')
    expect(counted({})).toBe('<parallel_dispatch agent="a">')
    expect(xml(...parallelDispatch({ agent: 'a', instruction: 'i' }))).toMatch(`\n\n${WAIT_FOR_ALL}`)
  })
})

test('11: a dispatch by a condition has both ways', () => {
  const given = { condition: 'n > 1 & "many"', if_true: 'Start <two>.\nWait.', if_false: 'Do it.' }
  expect(xml(conditionalDispatch(given))).toBe(
    `<conditional_dispatch condition="n &gt; 1 &amp; &quot;many&quot;">
  <if_true>
    Start &lt;two&gt;.
    Wait.
  </if_true>
  <if_false>
    Do it.
  </if_false>
</conditional_dispatch>`,
  )
})

describe('a step with sub-agents', () => {
  const child = (number: number, more: Partial<ChildView> = {}): ChildView => ({
    child: number,
    title: `T${number}`,
    task: `do ${number}`,
    command: `go ${number}`,
    state: 'waiting',
    ...more,
  })
  const dispatchOf = (children: readonly ChildView[], more: Partial<DispatchView> = {}) => ({
    title: 'Split up',
    count: children.length,
    join: children.length,
    children,
    ...more,
  })
  const named = (parts: readonly Part[], name: string) =>
    elementsIn({ content: parseXml(xml(...parts)) }).filter((part) => part.name === name)

  test('of one says all about it, and its model beside it', () => {
    const more = { vars: { a: 'b' }, model: 'opus', instruction: 'Be strict.', returns: ['result', 'report'] }
    expect(xml(...dispatchParts(dispatchOf([child(1)], more), null))).toBe(
      `<subagent_dispatch agent="general-purpose" mode="script">
  <context>
    <var name="a">b</var>
  </context>
  <invoke>go 1</invoke>
  <handoff_instruction>
${fixed([...HAND_OVER, startBy('go 1'), 'Be strict.', 'T1: do 1', returnsValues(['result', 'report'])], '    ')}
  </handoff_instruction>
</subagent_dispatch>
<model_selection>
  ${chosenModel('opus')}
</model_selection>
${WAIT_FOR_ONE}`,
    )
    const bare = dispatchParts(dispatchOf([child(1, { title: null, task: null })]), '/qr.md')
    expect(named(bare, 'handoff_instruction')[0]?.content).toEqual([
      `\n${fixed([...HAND_OVER, startBy('go 1')], '    ')}\n  `,
    ])
    expect(named(bare, 'var')[0]?.content).toEqual(['/qr.md'])
  })

  test('of several says those that have not started, each with its command', () => {
    const children = [child(1, { state: 'ok' }), child(2), child(3, { state: 'running' }), child(4)]
    const parts = dispatchParts(dispatchOf(children, { agent: 'explore', vars: { a: 'b' } }), null)
    expect(named(parts, 'invoke').map(({ content }) => content)).toEqual([['go 2'], ['go 4']])
    expect(named(parts, 'mandatory')[0]?.content).toEqual([launchAll(2)])
    expect(named(parts, 'instruction')[0]?.content).toEqual([EACH_ITS_TASK])
    expect(named(parts, 'template')[0]?.content).toEqual([`\n    ${PARALLEL_START}\n  `])
    expect(parseElement(xml(...parts.slice(0, 1))).attributes).toEqual([
      ['agent', 'explore'],
      ['count', '2'],
    ])
  })

  test('of several that begin alike says their command once', () => {
    const children = [1, 2].map((number) => child(number, { command: 'go', title: null, task: null }))
    const more = { instruction: 'Look.', returns: ['found'] }
    const parts = dispatchParts(dispatchOf(children, more), '/qr.md')
    expect(named(parts, 'invoke')).toEqual([])
    expect(named(parts, 'template')[0]?.content).toEqual([
      `\n${[PARALLEL_START, ...REPORT_PASSES, returnsValues(['found']), 'Start: go'].map((line) => `    ${line}`).join('\n')}\n  `,
    ])
    expect(named(parts, 'shared_context')[0]?.content).toEqual(['\n    QR_REPORT_PATH: /qr.md\n  '])
    expect(named(parts, 'agent').map(({ attributes, content }) => [attributes, content])).toEqual([
      [[['id', '1']], []],
      [[['id', '2']], []],
    ])
  })

  test('of several that work freely names no command', () => {
    const parts = dispatchParts(dispatchOf([1, 2].map((number) => child(number, { command: null }))), null)
    expect(named(parts, 'invoke')).toEqual([])
    expect(named(parts, 'template')[0]?.content).toEqual([
      `\n    ${PARALLEL_FREE}\n    ${namesItsStep('Split up')}\n  `,
    ])
  })

  test('without a command says the title by which it counts, unless it is reported with values', () => {
    const free = (more: Partial<DispatchView>, title = 'Split up') =>
      xml(...dispatchParts({ ...dispatchOf([child(1, { command: null })], more), title }, null))
    expect(free({})).toContain('Write the title of this step, "Split up", into the prompt')
    for (const other of [free({ returns: ['found'] }), free({}, '')])
      expect(other).not.toContain('Write the title of this step')
  })

  test('says nothing once all have started, and makes no rule of starting the last one', () => {
    expect(
      dispatchParts(dispatchOf([child(1, { state: 'running' }), child(2, { state: 'ok' })]), null),
    ).toEqual([])
    const last = dispatchParts(dispatchOf([child(1, { state: 'fail' }), child(2)]), null)
    expect(named(last, 'mandatory')).toEqual([])
    expect(named(last, 'agent')).toHaveLength(1)
  })
})
