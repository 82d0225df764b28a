import { expect, test } from 'vitest'
import { fixed } from './case.contract.ts'
import { FACTORED, OPEN_QUESTIONS } from './guidance.ts'
import {
  detectionQuestions,
  expectedOutput,
  factoredVerification,
  forbidden,
  incorrectBehavior,
  openQuestionGuidance,
  resource,
  routing,
  verificationChecklist,
} from './lists.ts'
import { type Part, writtenAsXml } from './xml.ts'

const xml = (...parts: readonly Part[]) => writtenAsXml(parts)

test('14: an expected output has its form for a pass, and for issues if it is given', () => {
  expect(xml(expectedOutput({ if_pass: 'PASS & done' }))).toBe(
    '<expected_output>\n  <if_pass>PASS &amp; done</if_pass>\n</expected_output>',
  )
  const given = { if_pass: 'PASS', when_issues: '<issue>\nwhere', categories: ['MUST', '"COULD"'] }
  expect(xml(expectedOutput(given))).toBe(`<expected_output>
  <if_pass>PASS</if_pass>
  <when_issues>&lt;issue&gt;
where</when_issues>
  <categories>
    <category>MUST</category>
    <category>"COULD"</category>
  </categories>
</expected_output>`)
})

test('15: each forbidden action is an element', () => {
  expect(xml(forbidden({ actions: ['Edit "x".', '</action></forbidden>'] }))).toBe(`<forbidden>
  <action>Edit "x".</action>
  <action>&lt;/action&gt;&lt;/forbidden&gt;</action>
</forbidden>`)
})

test('16: routing has a case for each result', () => {
  expect(xml(routing({ cases: { PASS: 'go on', 'a"b': 'stop & ask' } }))).toBe(`<routing>
  <case result="PASS">go on</case>
  <case result="a&quot;b">stop &amp; ask</case>
</routing>`)
})

test('18: a resource keeps its lines as they are', () => {
  const text = '# Plan\n\n    code <T>\n</resource>\n]]>'
  expect(xml(resource({ name: 'plan"', purpose: 'a & b', text })))
    .toBe(`<resource name="plan&quot;" purpose="a &amp; b">
# Plan

    code &lt;T&gt;
&lt;/resource&gt;
]]&gt;
</resource>`)
})

test('19: detection questions have their ids', () => {
  const questions = [
    { id: 'q<1>', text: 'What happens when "it" ends?' },
    { id: 'q2', text: 'Who & why?' },
  ]
  expect(xml(detectionQuestions({ category: 'naming\n', questions })))
    .toBe(`<detection_questions category="naming&#xa;">
  <question id="q&lt;1&gt;">What happens when "it" ends?</question>
  <question id="q2">Who &amp; why?</question>
</detection_questions>`)
})

test('20: a check of a checklist holds all in its attributes', () => {
  const checks = [{ element: 'a > b', criterion: 'is "there"', if_missing: 'add & tell' }]
  expect(xml(verificationChecklist({ name: 'plan', checks }))).toBe(`<verification_checklist name="plan">
  <check element="a &gt; b" criterion="is &quot;there&quot;" if_missing="add &amp; tell" />
</verification_checklist>`)
})

test('21: an incorrect behavior has its example and what comes of it', () => {
  expect(xml(incorrectBehavior({ description: 'Fix <it>', consequence: 'No "review".' })))
    .toBe(`<incorrect_behavior>
  <example>Fix &lt;it&gt;</example>
  <consequence>No "review".</consequence>
</incorrect_behavior>`)
})

test('23, 24: the rationale of factored verification and the guidance for open questions are fixed', () => {
  expect(xml(factoredVerification())).toBe(
    `<factored_verification rationale="true">\n${fixed(FACTORED)}\n</factored_verification>`,
  )
  expect(xml(openQuestionGuidance())).toBe(
    `<verification_principle>\n${fixed(OPEN_QUESTIONS)}\n</verification_principle>`,
  )
})
