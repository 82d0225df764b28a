import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { elementsIn, type Parsed, parseXml, shapeOf, textOf } from '../../harness/strict-xml.ts'
import { fixed, gateOf, HOSTILE, readBack, reviewOf, viewOf } from './case.contract.ts'
import {
  AFTER_PASS,
  completeAfter,
  completeInText,
  MANDATE,
  RUN_NEXT,
  STAYS,
  THIS_COMMAND,
} from './guidance.ts'
import { printStep } from './print.ts'
import type { ChildView, DispatchView, StepView } from './view.ts'

const rootsOf = (text: string): readonly Parsed[] => parseXml(text).filter((part) => typeof part !== 'string')
const all = (view: StepView): readonly Parsed[] => elementsIn({ content: parseXml(printStep(view)) })
const namesIn = (view: StepView) => all(view).map(({ name }) => name)
const child: ChildView = { child: 1, title: null, task: null, command: 'go', state: 'waiting' }
const dispatch: DispatchView = { count: 1, join: 1, agent: 'quality-reviewer', children: [child] }

describe('7: a step as XML', () => {
  test('is its header, what to do, and how to go on', () => {
    expect(printStep(viewOf()))
      .toBe(`<step_header script="planner" step="3" total="13">Choose an approach</step_header>

<workflow>
<current_action>
Compare the approaches.

Choose one.
</current_action>

<invoke_after>
holdfast step planner --outcome ok --effort 7
</invoke_after>

<next required="true">
${RUN_NEXT}
Re-read now: holdfast step planner --outcome ok --effort 7
</next>
</workflow>`)
  })

  test('begins with the mandate on the first visit of the first step only', () => {
    expect(printStep(viewOf({ number: 1 }))).toContain(
      `</step_header>\n\n<xml_format_mandate>\n${fixed(MANDATE)}\n</xml_format_mandate>\n\n<workflow>`,
    )
    const first = [viewOf({ number: 1 }), viewOf({ number: 1, visit: 2 }), viewOf({ number: 2 })]
    expect(first.map((view) => namesIn(view).includes('xml_format_mandate'))).toEqual([true, false, false])
  })

  test('has its parts in one order', () => {
    const view = viewOf({
      actions: ['Do.', { block: 'forbidden', actions: [] }],
      texts: [{ kind: 'convention', name: 'temporal', text: 'Now.' }],
      dispatch,
      review: reviewOf(),
      results: [{ child: 1, outcome: 'ok', values: { a: 'b' } }],
      next: [],
    })
    const [header, workflow] = rootsOf(printStep(view))
    const top = workflow?.content.filter((part) => typeof part !== 'string') ?? []
    const [actions] = top
    expect([header?.name, ...top.map(({ name }) => name)]).toEqual(['step_header', 'current_action', 'next'])
    expect(actions?.content.filter((part) => typeof part !== 'string').map(({ name }) => name)).toEqual([
      'state_banner',
      'orchestrator_constraint',
      'severity_filter',
      'forbidden',
      'resource',
      'subagent_dispatch',
      'model_selection',
      'subagent_results',
      'post_qr_routing',
    ])
  })

  test('says on which round of its limit it is, from the second on', () => {
    const banner = (view: Partial<StepView>) =>
      all(viewOf(view)).find(({ name }) => name === 'state_banner')?.attributes
    expect(banner({ visit: 2, limit: 4 })).toEqual([
      ['checkpoint', 'Choose an approach'],
      ['iteration', '2'],
      ['mode', 'repeat'],
    ])
    expect(banner({ visit: 1, limit: 4 })).toBeUndefined()
    expect(banner({ visit: 2 })).toBeUndefined()
    expect(banner({ visit: 2, limit: 4, gate: gateOf() })).toBeUndefined()
    expect(banner({ visit: 2, limit: 4, review: reviewOf() })).toContainEqual(['mode', 'fresh_review'])
  })
})

describe('a review', () => {
  const vars = (view: Partial<StepView>) =>
    Object.fromEntries(
      all(viewOf(view))
        .filter(({ name }) => name === 'var')
        .map((one) => [one.attributes[0]?.[1], textOf(one)]),
    )

  test('tells its reviewer what blocks, and nothing of the report before', () => {
    const review = reviewOf({ blocking: ['MUST', 'SHOULD'], report: '/old.md' })
    expect(vars({ dispatch: { ...dispatch, vars: { plan: 'p' } }, review })).toEqual({
      plan: 'p',
      QR_BLOCKING_SEVERITIES: 'MUST, SHOULD',
    })
  })

  test('that failed gives its report to the sub-agent that fixes, and no routing', () => {
    const qr = { iteration: 2, failed: true, status: 'fail' as const }
    const view = { dispatch, review: reviewOf({ qr, report: '/qr.md' }) }
    expect(vars(view)).toEqual({ QR_REPORT_PATH: '/qr.md' })
    expect(namesIn(viewOf(view))).not.toContain('post_qr_routing')
    expect(vars({ dispatch })).toEqual({})
  })
})

describe('26: a gate', () => {
  test('that passed is its result, its message and the one command', () => {
    const gate = gateOf({ qr: { iteration: 2, failed: false, status: 'pass' } })
    const next = [{ outcome: 'pass', command: 'holdfast step planner --outcome pass', to: null }]
    expect(printStep(viewOf({ title: 'Plan Completeness Gate', gate, actions: [], next })))
      .toBe(`<step_header script="planner" step="3" total="13">Plan Completeness Gate</step_header>

<gate_result status="pass">GATE PASSED</gate_result>

<workflow>
<current_action>
The plan is complete.

<forbidden>
${AFTER_PASS.map((action) => `  <action>${action}</action>`).join('\n')}
</forbidden>
</current_action>

<invoke_after>
holdfast step planner --outcome pass
</invoke_after>

<next required="true">
${RUN_NEXT}
Re-read now: holdfast step planner --outcome pass
${completeAfter(THIS_COMMAND, false)}
</next>
</workflow>`)
  })

  test('that failed for the last time has the commands of the user in place of its own', () => {
    const gate = gateOf({
      qr: { iteration: 5, failed: false, status: 'fail' },
      choices: [{ label: 'Abort', command: 'holdfast x <y>' }],
    })
    const choice = all(viewOf({ gate, next: [] })).find(({ name }) => name === 'choice')
    expect(choice && textOf(choice)).toBe('holdfast x <y>')
    expect(namesIn(viewOf({ gate, next: [] }))).not.toContain('invoke_after')
  })
})

describe('a step as text', () => {
  test('has the phase below its header, and the same parts', () => {
    const view = viewOf({
      format: 'text',
      phase: 'PLANNING',
      actions: ['Do <it>.', { block: 'forbidden', actions: ['Guess.'] }],
      next: [{ outcome: 'ok', command: 'holdfast step x', to: null }],
    })
    expect(printStep(view)).toBe(`STEP 3/13: Choose an approach
  PLANNING

DO:
  Do <it>.

  FORBIDDEN:
    - Guess.

INVOKE AFTER: holdfast step x
${completeInText(THIS_COMMAND, false)}`)
  })

  test('begins with the result of a gate', () => {
    const gate = gateOf({ qr: { iteration: 2, failed: false, status: 'fail' } })
    const lines = printStep(viewOf({ format: 'text', gate, next: [] })).split('\n')
    expect(lines.slice(2, 4)).toEqual(['DO:', '  GATE FAILED (iteration 2 of 5)'])
    expect(lines.at(-2)).toContain(STAYS)
  })
})

describe('whatever the texts of a step', () => {
  const fullOf = (text: string, format: StepView['format'] = 'xml'): StepView => {
    const children = [1, 2].map((number) => ({
      ...child,
      child: number,
      title: text,
      task: text,
      command: `${number}${text}`,
    }))
    const qr = { iteration: 6, failed: false, status: 'fail' as const }
    const about = { name: text, report: text, fix: text }
    const more = { vars: { [text]: text }, model: text, instruction: text, returns: [text] }
    return viewOf({
      format,
      skill: text,
      title: text,
      phase: text,
      actions: [text, { block: text, [text]: text }, { block: 'convention', name: text }],
      texts: [
        { kind: 'convention', name: text, text },
        { kind: 'resource', name: text, text },
      ],
      dispatch: { count: 2, join: 2, agent: text, ...more, children },
      review: reviewOf(about),
      gate: gateOf({ ...about, qr, message: text, choices: [{ label: text, command: text }] }),
      results: [{ child: 1, outcome: 'fail', values: { [text]: text } }],
      next: [
        { outcome: text, command: text, to: null },
        { outcome: 'x', command: text, to: text },
      ],
      again: text,
    })
  }
  const texts = fc.oneof(
    anyString({ maxLength: 30 }),
    fc.array(fc.constantFrom(...HOSTILE), { maxLength: 3 }).map((parts) => parts.join('')),
  )
  const usual = rootsOf(printStep(fullOf('usual'))).map(shapeOf)

  test('defect 29: its XML has the same elements, and every command in it can be copied', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const view = fullOf(text)
        expect(rootsOf(printStep(view)).map(shapeOf)).toEqual(usual)
        const commands = all(view).filter(({ name }) => ['if_outcome', 'choice'].includes(name))
        expect(commands.map(textOf)).toEqual([text, text, text].map(readBack))
        expect(
          all(view)
            .filter(({ name }) => name === 'invoke')
            .map(textOf),
        ).toEqual(['1', '2'].map((number) => readBack(`${number}${text}`)))
      }),
    )
  })

  test('its text has headings only of ours', () => {
    const OURS = /^(STEP 3\/13: .*|DO:|INVOKE AFTER:|WORKFLOW COMPLETE after .*| {2}.*|)$/
    fc.assert(
      fc.property(texts, (text) => {
        const lines = printStep(fullOf(text, 'text')).split('\n')
        expect(lines.filter((line) => !OURS.test(line))).toEqual([])
        expect(lines.filter((line) => line === 'DO:')).toHaveLength(1)
      }),
    )
  })

  test.each(['pass', 'fail', null] as const)(
    'defect 31: no placeholder is left at a gate with %s',
    (status) => {
      const qr = { iteration: 5, failed: false, status }
      const choices = [{ label: 'a', command: 'b' }]
      for (const format of ['xml', 'text'] as const)
        expect(printStep(viewOf({ format, gate: gateOf({ qr, choices }), next: [] }))).not.toMatch(/[{}]/)
    },
  )
})
