import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { HEAD } from '../model/diagnostic-examples.ts'
import { propose } from './propose.ts'

const input = (body: string, others: Readonly<Record<string, string>> = {}) => ({
  kind: 'skill' as const,
  id: 'x',
  folder: 'x',
  file: 'x/SKILL.md',
  text: `${HEAD}\n${body}\n`,
  others: new Map(Object.entries(others)),
})

/** The proposed overlay as data. */
const values = (body: string) => {
  const proposal = propose(input(body), [])
  return proposal === undefined ? undefined : (parse(proposal.text) as Record<string, unknown>)
}

const STEPS = '## Step 1: Read `a.md`\n\n## Step 2: **Write** it (optional)\n\n## Step 3: Send'

describe('a proposal', () => {
  test('has the steps of the skill, named without numbers and marks, with the headings they come from', () => {
    expect(values(STEPS)).toEqual({
      hold: 'stop',
      phases: [
        { label: '1', name: 'Read a.md', heading: 'Step 1: Read a.md' },
        { label: '2', name: 'Write it', heading: 'Step 2: Write it (optional)', optional: true },
        { label: '3', name: 'Send', heading: 'Step 3: Send' },
      ],
    })
  })

  test('of list items uses their bold words, or their first ones', () => {
    const long = 'read every file that the request names and every file that those files name in turn, twice'
    const found = values(`## Workflow\n\n1. **Look** around: ${long}\n2. ${long}\n3. Send it`)
    expect(found?.['phases']).toMatchObject([
      { name: 'Look', heading: 'Look' },
      { heading: expect.stringMatching(/^read every file that .{30,60}$/) },
      { heading: 'Send it' },
    ])
  })

  test('keeps the words before a number in any script', () => {
    const found = values('## 手順\n\n1. 結果が80%を超えるか確認する\n2. 報告を作成する')
    expect(found?.['phases']).toMatchObject([
      { name: '結果が80%を超えるか確認する' },
      { name: '報告を作成する' },
    ])
    expect(values('## Phases 1-2: Draft\n\n## Phase 3: Send')?.['phases']).toMatchObject([
      { name: 'Draft' },
      { name: 'Send' },
    ])
  })

  test('does not hold the turns of a skill that asks its user', () => {
    expect(values(`Ask the user first.\n\n${STEPS}`)).not.toHaveProperty('hold')
    expect(values(`Use AskUserQuestion.\n\n${STEPS}`)).not.toHaveProperty('hold')
  })

  test('takes the check boxes of a closing section as proof', () => {
    const boxes = '## Verification checklist\n\n- [ ] All tests pass\n- [ ] No secrets in the diff, ever'
    expect(values(`${STEPS}\n\n${boxes}`)?.['phases']).toMatchObject([
      {},
      {},
      { proof: ['all_tests_pass', 'no_secrets_in_the_diff_ever'] },
    ])
  })

  test('of a drawing has its branches and loops', () => {
    const drawing =
      '```dot\ndigraph g { start -> a; a [label="Write a test"]; a -> b; b [label="Red?"]; b -> a [label="no"]; b -> "Write code" [label="yes"]; "Write code" -> done }\n```'
    expect(values(`## Process\n\n${drawing}`)).toMatchObject({
      phases: [
        { name: 'Write a test', limit: 10, heading: 'Process' },
        { name: 'Red?', next: { ok: '3', no: '1' } },
        { name: 'Write code', next: { ok: 'end' } },
      ],
    })
    expect(values(`## Architecture\n\n${drawing}`)).toBeUndefined()
  })

  test('of step files gates their order', () => {
    const files = { 'steps/step-01-read.md': 'Read.', 'steps/step-02-write.md': 'Write.' }
    expect(propose(input('Follow the steps.', files), [])).toMatchObject({
      from: 'files',
      parsed: { definition: { plan: { explicit: true, gate: 'visited', notation: 'steps' } } },
    })
  })

  test('is an overlay of the package if its headings fit', () => {
    const ready = (heading: string) => `phases:\n  - {label: "1", name: Ours, heading: ${heading}}\n`
    expect(propose(input(STEPS), [ready('Gone'), ready('Send')])).toMatchObject({
      from: 'package',
      text: ready('Send'),
    })
    expect(propose(input(STEPS), [ready('Gone')])).toMatchObject({ from: 'headings' })
  })

  test('is not made for a skill with a plan of its own, or without steps', () => {
    expect(propose(input(STEPS, { 'holdfast.yaml': 'gate: visited' }), [])).toBeUndefined()
    expect(values('Be kind.')).toBeUndefined()
  })
})

describe('a heading of an overlay is found', () => {
  const isFound = (body: string, heading: string) =>
    propose(input(body), [`phases:\n  - {label: "1", name: One, heading: ${JSON.stringify(heading)}}\n`])
      ?.from === 'package'

  test.each([
    ['## Phase 3: The *Fix*', 'the fix'],
    ['## 2. The fix', 'The fix'],
    ['### The [fix](a.md)', 'The fix'],
    ['1. The fix', 'The fix'],
    ['- **The fix** is short', 'The fix'],
    ['**The fix**: be short', 'The fix'],
    ['1. Fix what the test shows and nothing more', 'Fix what the test shows'],
    ['## 修正する', '修正する'],
  ])('in %j as %j', (body, heading) => {
    expect(isFound(body, heading)).toBe(true)
  })

  test.each([
    ['## The fixture', 'The fix'],
    ['## The fix and more', 'The fix'],
    ['- The fix and more', 'The fix'],
    ['```\n## The fix\n```', 'The fix'],
    ['The fix', '**'],
  ])('not in %j as %j', (body, heading) => {
    expect(isFound(body, heading)).toBe(false)
  })
})
