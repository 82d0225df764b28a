import { describe, expect, test } from 'vitest'
import { bareTags, openBoxes, unanswered, unprocessed } from './check.ts'

const file = (text: string) => ({ file: '1_FIX.md', text })
const found = (findings: readonly { line: number; text: string }[]) =>
  findings.map(({ line, text }) => `${line}: ${text}`)

describe('bare tags', () => {
  test.each([
    ['#needs-review', ['1: #needs-review']],
    ['See #needs-review, and (#done-fix).', ['1: #needs-review', '1: #done-fix']],
    ['- **#claimed-implementation**', ['1: #claimed-implementation']],
    ['_#next-x_', ['1: #next-x']],
    ['| #active-alert |', ['1: #active-alert']],
    ['one\ntwo #delegated-x\n\nfour #next-y', ['2: #delegated-x', '4: #next-y']],
    ['`#needs-review` and ``a ` #needs-b``', []],
    ['`code over\ntwo lines #needs-x`', []],
    ['an `open tick and #needs-x', ['1: #needs-x']],
    ['```\n#needs-x\n```\n#needs-y', ['4: #needs-y']],
    ['~~~md\n#needs-x\n```\n#needs-y\n~~~', []],
    ['# Title\n**Tags**: #needs-review #done-x', []],
    ['**Tags**: `#needs-x`\n#needs-y', ['2: #needs-y']],
    ['needs-review #needsreview #needs- #needs', []],
    ['guide.md#needs-review https://x/#done-y &#needs-1 ##needs-z', []],
    ['#unneeds-x #redone-y #todo-z', []],
  ])('%j has %j', (text, expected) => {
    expect(found(bareTags(file(text)))).toEqual(expected)
  })
})

describe('what is left to tick', () => {
  test.each([
    ['- [x] a\n- [X] b\n* [x] c', []],
    ['- [ ] a\n- [x] b\n1. [ ] c', ['1: not ticked: a', '3: not ticked: c']],
    ['```\n- [ ] a\n```\n- [ ] b', ['4: not ticked: b']],
    ['- [] a\n- [y] b\ntext - [ ] c', []],
    // One of two alternatives was taken.
    ['- [x] code\n  - [x] tests\n- [ ] docs\n  - [ ] links', []],
    ['- [x] code\n  - [ ] tests\n- [ ] docs\n  - [ ] links', ['2: not ticked: tests']],
    ['- [x] code\n  - [x] a\n    - [ ] deep', ['3: not ticked: deep']],
    ['- [ ] code\n  - [ ] tests\n- [ ] docs\n  - [ ] links', ['1: none of the alternatives is ticked: code']],
    ['- [x] code\n  - [x] a\n- [x] docs\n  - [x] b', ['3: a second alternative is ticked: docs']],
    ['# A\n- [x] code\n  - [x] a\n# B\n- [x] docs\n\t- [x] b', []],
    ['- [x] code\n  - [x] a\n- [ ] always', ['3: not ticked: always']],
    ['', []],
  ])('%j: %j', (text, expected) => {
    expect(found(openBoxes(file(text)))).toEqual(expected)
  })
})

test('a checklist is processed when all that it asks for stands in a filled one, word by word', () => {
  const asked = { file: 'CHECKLIST.md', text: '- [ ] Run the tests\n- [ ] Run\n  - [ ] Look' }
  expect(unprocessed(asked, [file('- [x] Run the tests\n- [x] Run\n- [x] Look')])).toEqual([])
  expect(found(unprocessed(asked, [file('- [x] Run the tests'), file('- [x] Look')]))).toEqual([
    '2: not processed: Run',
  ])
  expect(unprocessed(asked, [])).toHaveLength(3)
})

describe('a request', () => {
  test.each([
    ['# R\n## Response\nDone.', []],
    ['# R\n### Response: yes\n\n```\ncode\n```', []],
    ['# R\n## Response\n### Details\nDone.', []],
    ['# R', ['1: the section "## Response" is missing']],
    ['# R\n## Response\n\n## Other\ntext', ['2: the section "## Response" is empty']],
    ['# R\n## Responsible\nMe.\n## Corresponding Response\nx', ['1: the section "## Response" is missing']],
    ['```\n## Response\nDone.\n```', ['1: the section "## Response" is missing']],
    ['**Tags**: #needs-fix\n## Response\nDone.', ['1: still says #needs-fix']],
    ['It was `#needs-fix`, now #done-fix\n## Response\nDone.', []],
  ])('%j: %j', (text, expected) => {
    expect(found(unanswered(file(text)))).toEqual(expected)
  })
})

test('no text takes more than a time in proportion to its length', () => {
  const hostile = ['#needs-', '`', '``` ', '- [ ] a\n', ' - [ ] ', '# Response\n', '   #', '\t', '**Tags**:']
  // Of the processor and not of the clock, which runs on while others are served.
  const cost = (text: string) => {
    const before = process.cpuUsage()
    for (const check of [bareTags, openBoxes, unanswered]) check(file(text))
    unprocessed(file(text), [file(text)])
    const { user, system } = process.cpuUsage(before)
    return user + system
  }
  for (const part of hostile) {
    cost(part.repeat(1000))
    const [small, large] = [2000, 32_000].map((times) =>
      Math.min(...[0, 1, 2].map(() => cost(part.repeat(times)))),
    )
    // Sixteen times the text; a square would take 256 times as long.
    expect({ part, isSteep: (large ?? 0) / (small ?? 1) > 100 }).toEqual({ part, isSteep: false })
  }
})
