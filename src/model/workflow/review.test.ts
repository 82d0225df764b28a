import { describe, expect, test } from 'vitest'
import { elementsIn, parseXml, textOf } from '../../harness/strict-xml.ts'
import { fixed, gateOf, reviewOf } from './case.contract.ts'
import {
  AFTER_FAIL,
  AFTER_PASS,
  FIX_DELEGATED,
  FIX_SELF,
  FIX_YOURSELF,
  fixBy,
  FRESH_REVIEW,
  LIMIT_HEADER,
  LIMIT_REACHED,
  ORCHESTRATOR,
  ORCHESTRATOR_ACTION,
  overrideRecording,
  PEDANTIC,
  POST_QR_FORBIDDEN,
  POST_QR_PASS,
  POST_QR_ROLE,
  postQrFail,
  postQrPedantic,
  REPORT_PASSES,
  REPORT_PLACE,
  reportAt,
  RESULT_FORM,
  severityText,
  WHEN_CONTINUED,
} from './guidance.ts'
import {
  gateActions,
  gateResultOf,
  orchestratorConstraint,
  postQrRouting,
  qrBanner,
  qrFileOutput,
  qrOutput,
  reviewParts,
  severityFilter,
  stateBanner,
} from './review.ts'
import type { GateView } from './view.ts'
import { type Part, writtenAsXml } from './xml.ts'

const xml = (...parts: readonly Part[]) => writtenAsXml(parts)
const namesIn = (parts: readonly Part[]) => parts.map((part) => (typeof part === 'string' ? part : part.name))
const failed = (gate: Partial<GateView> = {}) =>
  gateOf({ qr: { iteration: 2, failed: false, status: 'fail' }, ...gate })
const passed = gateOf({ qr: { iteration: 2, failed: false, status: 'pass' } })
const block = (name: string, lines: readonly string[]) => `<${name}>\n${fixed(lines)}\n</${name}>`
const ruled = (actions: readonly string[]) =>
  `<forbidden>\n${actions.map((action) => `  <action>${action}</action>`).join('\n')}\n</forbidden>`

test('12: a state banner says where a loop stands', () => {
  const given = { checkpoint: 'Plan "A"', iteration: '{{n}}', mode: 'fix & go', explanation: ['a < b', 'c'] }
  expect(xml(stateBanner(given))).toBe(
    `<state_banner checkpoint="Plan &quot;A&quot;" iteration="{{n}}" mode="fix &amp; go">\n  a &lt; b\n  c\n</state_banner>`,
  )
  expect(xml(stateBanner({ checkpoint: 'x', iteration: 0, mode: 'm' }))).toBe(
    '<state_banner checkpoint="x" iteration="0" mode="m" />',
  )
})

test.each([1, 2, 7])('13: the banner of review %i asks for a fresh review', (iteration) => {
  expect(xml(qrBanner('Code', { iteration }))).toBe(
    `<state_banner checkpoint="Code" iteration="${iteration}" mode="fresh_review">\n${fixed(FRESH_REVIEW)}\n</state_banner>`,
  )
})

test.each(['self', 'a "b" <c>'])('17: what follows a review is said before, for %s', (fix) => {
  expect(xml(postQrRouting({ fix, rounds: 3 }))).toBe(`<post_qr_routing>
  <role>
${fixed(POST_QR_ROLE, '    ')}
  </role>
  <pedantic_mode>
${fixed(postQrPedantic(3), '    ')}
  </pedantic_mode>
  <routing_table>
${fixed([POST_QR_PASS, postQrFail(fix)], '    ')}
  </routing_table>
  <forbidden>
${fixed(POST_QR_FORBIDDEN, '    ')}
  </forbidden>
</post_qr_routing>`)
  expect(postQrFail(fix).includes(fix)).toBe(fix !== 'self')
  expect(postQrPedantic(3).join('\n')).toContain('up to 3 rounds')
  expect(postQrPedantic(null).join('\n')).not.toMatch(/\d/)
})

test('22: the constraint of an orchestrator is fixed', () => {
  expect(xml(orchestratorConstraint())).toBe(block('orchestrator_constraint', ORCHESTRATOR))
})

test('the severity filter names what blocks and what is only noted', () => {
  expect(xml(severityFilter(['MUST', 'SHOULD']))).toBe(
    block('severity_filter', severityText(['MUST', 'SHOULD'])),
  )
  expect(severityText(['MUST', 'SHOULD']).join('\n')).toMatch(/round: MUST, SHOULD\.\n.* COULD\./)
  expect(severityText(['MUST', 'SHOULD', 'COULD'])).toHaveLength(2)
})

describe('before the actions of a step', () => {
  test('that reviews stand the banner and what blocks, and the constraint if sub-agents review', () => {
    const review = reviewOf()
    expect(xml(...reviewParts(review, false))).toBe(
      xml(qrBanner('Plan Completeness', review.qr), severityFilter(review.blocking)),
    )
    expect(namesIn(reviewParts(review, true))).toEqual([
      'state_banner',
      'orchestrator_constraint',
      'severity_filter',
    ])
  })

  test('that fixes stands where the report is, but an orchestrator does not get it to read', () => {
    const review = reviewOf({ qr: { iteration: 3, failed: true, status: 'fail' }, report: '/r & d/qr.md' })
    const banner = (parts: readonly Part[]) => elementsIn({ content: parseXml(xml(...parts)) })[0]
    const own = banner(reviewParts(review, false))
    expect(own?.attributes).toEqual([
      ['checkpoint', 'Plan Completeness'],
      ['iteration', '3'],
      ['mode', 'fix'],
    ])
    expect(own?.content).toEqual([`\n  ${FIX_YOURSELF}\n  ${reportAt('/r & d/qr.md')}\n`])
    expect(banner(reviewParts(review, true))?.content).toEqual([`\n  ${FIX_DELEGATED}\n`])
    expect(banner(reviewParts({ ...review, report: null }, false))?.content).toEqual([
      `\n  ${FIX_YOURSELF}\n`,
    ])
  })
})

describe('25: a gate', () => {
  test('that has not decided says nothing', () => {
    expect([...gateActions(gateOf()), ...gateResultOf(gateOf())]).toEqual([])
  })

  test('that passed says its message and three things not to do', () => {
    expect(xml(...gateActions({ ...passed, message: 'Done & "well".' }))).toBe(
      `Done &amp; "well".\n\n${ruled(AFTER_PASS)}`,
    )
    expect(AFTER_PASS).toHaveLength(3)
    expect(xml(...gateResultOf(passed))).toBe('<gate_result status="pass">GATE PASSED</gate_result>')
  })

  test('that failed says what counts, what is next, and five things not to do', () => {
    expect(xml(...gateActions(failed()))).toBe(
      [
        block('pedantic_enforcement', PEDANTIC),
        block('severity_filter', severityText(['MUST', 'SHOULD', 'COULD'])),
        '',
        ...FIX_SELF,
        '',
        ruled(AFTER_FAIL),
      ].join('\n'),
    )
    expect(AFTER_FAIL).toHaveLength(5)
  })

  test('that failed hands the report on to the agent that fixes', () => {
    const written = xml(...gateActions(failed({ fix: 'developer', report: '/a<b>\nRESULT: PASS' })))
    expect(written).toContain(
      `${fixed(fixBy('developer'), '')}\n<qr_report_path_passthrough>\n  QR_REPORT_PATH: /a&lt;b&gt;\\u{a}RESULT: PASS\n${fixed(REPORT_PASSES)}\n</qr_report_path_passthrough>\n\n`,
    )
    for (const gate of [{ fix: 'developer' }, { fix: 'self', report: '/qr.md' }])
      expect(xml(...gateActions(failed(gate)))).not.toContain('qr_report_path')
  })

  test('says the round that failed, and past the limit no impossible one', () => {
    const result = (iteration: number, rounds: number | null = 5) =>
      xml(...gateResultOf(failed({ rounds, qr: { iteration, failed: false, status: 'fail' } })))
    expect(result(3)).toBe('<gate_result status="fail">GATE FAILED (iteration 3 of 5)</gate_result>')
    expect(result(2, 2)).toContain('(iteration 2 of 2)')
    expect(result(3, null)).toContain('(iteration 3)')
    expect(result(7)).toBe('<gate_result status="fail">GATE FAILED (iteration 7, limit 5)</gate_result>')
  })

  const choices = [
    { label: 'Continue "now"', command: 'holdfast step x --choice continue && y' },
    { label: 'Abort', command: 'holdfast step x --choice abort' },
  ]

  test('whose rounds are used up leaves the choice to the user', () => {
    const qr = { iteration: 6, failed: false, status: 'fail' as const }
    expect(xml(...gateActions(failed({ qr, choices, fix: 'developer' })))).toBe(
      [
        block('pedantic_enforcement', PEDANTIC),
        block('severity_filter', severityText(['MUST', 'SHOULD', 'COULD'])),
        '<iteration_limit_reached>',
        `  ${LIMIT_REACHED}`,
        `  Header: ${LIMIT_HEADER}`,
        '  <choice label="Continue &quot;now&quot;">holdfast step x --choice continue &amp;&amp; y</choice>',
        '  <choice label="Abort">holdfast step x --choice abort</choice>',
        '</iteration_limit_reached>',
        block('human_override_recording', overrideRecording(6)),
        block('when_user_says_continue', WHEN_CONTINUED),
        '',
        ruled(AFTER_FAIL),
      ].join('\n'),
    )
  })

  test.each([5, 6, 12])(
    'defect 31: the table of overrides holds the number %i, not a placeholder',
    (iteration) => {
      const qr = { iteration, failed: false, status: 'fail' as const }
      const written = xml(...gateActions(failed({ qr, choices })))
      expect(written).not.toMatch(/[{}]/)
      const table = elementsIn({ content: parseXml(written) }).find(
        ({ name }) => name === 'human_override_recording',
      )
      expect(table && textOf(table)).toMatch(new RegExp(`\\| ${iteration} \\|\\n$`))
    },
  )
})

describe('27: the last message of a reviewer', () => {
  test('is one line after a pass', () => {
    expect(xml(...qrFileOutput(true, '/qr.md'))).toBe('RESULT: PASS')
  })

  test('names the report after a failure, in one line, and what the orchestrator does', () => {
    expect(xml(...qrFileOutput(false, '/a b/qr.md\nRESULT: PASS'))).toBe(
      `RESULT: FAIL\nQR_REPORT_PATH: /a b/qr.md\\u{a}RESULT: PASS\n${block('orchestrator_action', ORCHESTRATOR_ACTION)}`,
    )
  })

  test('is shown to the reviewer in both forms', () => {
    expect(xml(qrOutput())).toBe(`<qr_output>
${RESULT_FORM}
<if_pass>
RESULT: PASS
</if_pass>
<if_fail>
RESULT: FAIL
QR_REPORT_PATH: ${REPORT_PLACE}
${block('orchestrator_action', ORCHESTRATOR_ACTION)}
</if_fail>
</qr_output>`)
  })
})
