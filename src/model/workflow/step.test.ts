import { describe, expect, test } from 'vitest'
import { parseElement, textOf } from '../../harness/strict-xml.ts'
import { fixed, gateOf, HOSTILE, readBack, viewOf } from './case.contract.ts'
import {
  completeAfter,
  MANDATE,
  RUN_NEXT,
  RUN_ONE,
  STAYS,
  toGiveUp,
  toPrintAgain,
  toReport,
  toStartAgain,
  USER_DECIDES,
  waitsFor,
  whenEnded,
} from './guidance.ts'
import {
  currentAction,
  gateResult,
  invokeAfter,
  nextBlock,
  stepHeader,
  subagentResults,
  xmlMandate,
} from './step.ts'
import type { ChildView, DispatchView, Way } from './view.ts'
import { type Part, writtenAsXml } from './xml.ts'

const xml = (...parts: readonly Part[]) => writtenAsXml(parts)
const way = (outcome: string, command: string, to: string | null = 'x'): Way => ({ outcome, command, to })

test('1: the header of a step is one line, with the phase only if there is one', () => {
  expect(xml(stepHeader(viewOf()))).toBe(
    '<step_header script="planner" step="3" total="13">Choose an approach</step_header>',
  )
  expect(xml(stepHeader(viewOf({ phase: 'A & "B"', title: 'x < y' })))).toBe(
    '<step_header script="planner" phase="A &amp; &quot;B&quot;" step="3" total="13">x &lt; y</step_header>',
  )
})

test('2: the current action has a line for each action, and an empty one is a blank line', () => {
  expect(xml(currentAction(['One.', '', '  indented code', 'a\nb']))).toBe(
    '<current_action>\nOne.\n\n  indented code\na\nb\n</current_action>',
  )
  expect(xml(currentAction([]))).toBe('<current_action />')
})

describe('3: the commands that go on', () => {
  test('are one line for one way, whatever its outcome', () => {
    expect(xml(...invokeAfter([way('ok', `holdfast step x --set "a=<b>&c"`)]))).toBe(
      '<invoke_after>\nholdfast step x --set "a=&lt;b&gt;&amp;c"\n</invoke_after>',
    )
  })

  test('have an element each for the two ways of a gate, and for other outcomes one with their name', () => {
    expect(xml(...invokeAfter([way('pass', 'p'), way('fail', 'f')]))).toBe(
      '<invoke_after>\n  <if_pass>p</if_pass>\n  <if_fail>f</if_fail>\n</invoke_after>',
    )
    expect(xml(...invokeAfter([way('ok', 'a'), way('" x="', 'b'), way('skip', 'c')]))).toBe(
      '<invoke_after>\n  <if_outcome name="ok">a</if_outcome>\n  <if_outcome name="&quot; x=&quot;">b</if_outcome>\n  <if_outcome name="skip">c</if_outcome>\n</invoke_after>',
    )
    for (const more of [[way('other', 'b')], [way('fail', 'b'), way('other', 'c')]])
      expect(xml(...invokeAfter([way('pass', 'a'), ...more]))).not.toContain('if_pass')
  })

  test('are left out if there are none', () => {
    expect(invokeAfter([])).toEqual([])
  })

  test.each(HOSTILE)('can be copied word for word from %j', (command) => {
    const parsed = parseElement(xml(...invokeAfter([way('ok', command)])))
    expect(textOf(parsed)).toBe(`\n${readBack(command)}\n`)
  })
})

describe('4: the end of a step repeats', () => {
  test('the one command', () => {
    expect(xml(nextBlock(viewOf({ next: [way('ok', 'go')] })))).toBe(
      `<next required="true">\n${RUN_NEXT}\nRe-read now: go\n</next>`,
    )
  })

  test('the command of each way, and after which of them the workflow is complete', () => {
    const next = [way('pass', 'p', null), way('fail', 'f')]
    expect(xml(nextBlock(viewOf({ next })))).toBe(
      `<next required="true">\n${RUN_ONE}\nRe-read now: if_pass -&gt; p\n             if_fail -&gt; f\n${completeAfter('if_pass', false)}\n</next>`,
    )
    const named = [way('ok', 'o'), way('iterate', 'i', null)]
    expect(xml(nextBlock(viewOf({ next: named })))).toContain(
      `Re-read now: ok -&gt; o\n             iterate -&gt; i\n${completeAfter('iterate', false)}\n`,
    )
  })

  test('defect 30: only a way to the end completes a workflow, whatever the number of its step', () => {
    const ends = (number: number, to: string | null) =>
      xml(nextBlock(viewOf({ number, total: 7, next: [way('ok', 'c', to)] }))).includes('complete after')
    expect([ends(1, null), ends(6, null), ends(7, null)]).toEqual([true, true, true])
    expect([ends(5, 'x'), ends(6, 'x'), ends(7, 'x'), ends(8, 'x')]).toEqual([false, false, false, false])
  })
})

describe('4: a step without a command says', () => {
  const child = (number: number, state: ChildView['state'], title: string | null = null): ChildView => ({
    child: number,
    title,
    task: null,
    command: 'c',
    state,
  })
  const ended = (view: Parameters<typeof viewOf>[0]) => xml(nextBlock(viewOf({ next: [], ...view })))
  const dispatch: DispatchView = {
    count: 4,
    join: 3,
    children: [child(1, 'ok'), child(2, 'fail'), child(3, 'running', 'Style & form'), child(4, 'waiting')],
  }

  test('for which sub-agents it waits, how many must succeed, and the command for afterwards', () => {
    expect(ended({ dispatch })).toBe(
      `<next required="true">\n${fixed(
        [waitsFor(['Style & form (running)', '4 (not started)'], 2), whenEnded(viewOf().again)],
        '',
      )}\n</next>`,
    )
  })

  test('how to report or start again those that say nothing themselves', () => {
    const children: readonly ChildView[] = [
      { ...child(1, 'waiting'), report: { fail: 'f1' } },
      { ...child(2, 'running', 'Style'), report: { fail: 'f2' } },
      { ...child(3, 'waiting'), command: null, report: { done: 'd3', fail: 'f3' } },
      child(4, 'ok'),
    ]
    const lines = ended({ dispatch: { ...dispatch, children } })
      .split('\n')
      .slice(2, -2)
    expect(lines).toEqual([
      toGiveUp('1', 'f1'),
      toStartAgain('Style', 'c'),
      toGiveUp('Style', 'f2'),
      toReport('3', 'd3'),
      toGiveUp('3', 'f3'),
    ])
  })

  test('nothing about giving up before any sub-agent has started', () => {
    const children: readonly ChildView[] = [{ ...child(1, 'waiting'), report: { fail: 'f1' } }]
    expect(ended({ dispatch: { ...dispatch, children } })).not.toContain('f1')
  })

  test('that the user decides, if the rounds of a gate are used up', () => {
    const gate = gateOf({ choices: [{ label: 'Abort', command: 'c' }] })
    expect(ended({ gate })).toBe(`<next required="true">\n${USER_DECIDES}\n</next>`)
  })

  test('that it stays and how to print it again; it never says that the workflow is complete', () => {
    const stays = `<next required="true">\n${STAYS}\n${toPrintAgain(viewOf().again)}\n</next>`
    expect(ended({ number: 13 })).toBe(stays)
    expect(ended({ gate: gateOf() })).toBe(stays)
    expect(ended({ dispatch: { ...dispatch, children: [child(1, 'fail')] } })).toBe(stays)
  })

  test('nothing of missing successes, if more succeeded than must', () => {
    expect(ended({ dispatch: { ...dispatch, join: 0 } })).toContain(waitsFor(['x'], 0).slice(-20))
  })
})

test('5: the result of a gate has its status', () => {
  expect(xml(gateResult('pass', 'GATE PASSED'))).toBe('<gate_result status="pass">GATE PASSED</gate_result>')
})

test('6: the mandate has four points, and signs in it are escaped like any other', () => {
  expect(xml(xmlMandate())).toBe(`<xml_format_mandate>\n${fixed(MANDATE)}\n</xml_format_mandate>`)
  expect(MANDATE.filter((line) => /^\d\./.test(line))).toHaveLength(4)
})

test('the results of sub-agents have a value for each name', () => {
  const results = [
    { child: 1, outcome: 'ok' as const, values: { found: '</value>', 'a "b"': 'x\ny' } },
    { child: 2, outcome: 'fail' as const, values: {} },
  ]
  expect(xml(subagentResults(results))).toBe(`<subagent_results>
  <result child="1" outcome="ok">
    <value name="found">&lt;/value&gt;</value>
    <value name="a &quot;b&quot;">x
y</value>
  </result>
  <result child="2" outcome="fail" />
</subagent_results>`)
})
