import { expect, test } from 'vitest'
import { stepsNamedIn, stepsTitledIn } from './delegation.ts'
import { planOf, step } from './plan/case.contract.ts'

const place = (id: string) => ({ file: `/home/u/.claude/skills/flow/steps/${id}.md`, line: 1, column: 1 })
const PLAN = planOf(['look', 'think'].map((id) => step(id, { place: place(id) })))

test.each([
  ['Read /home/u/.claude/skills/flow/steps/look.md.', ['look']],
  ['Follow `~/.claude/skills/flow/steps/think.md` after ./flow/steps/look.md!', ['think', 'look']],
  ['skills/flow/steps/look.md twice: skills/flow/steps/look.md', ['look']],
  ['steps/look.md', []],
  ['look.md', []],
  ['other/steps/look.md', []],
  ['/home/u/.claude/skills/flow/steps/look.mdx', []],
  ['Read the notes.', []],
])('%j names %j', (text, steps) => {
  expect(stepsNamedIn(text, PLAN, false)).toEqual(steps)
})

test.each(['x', '.md', '/', '.md-', 'steps/'])('a prompt of nothing but %j comes to its end', (part) => {
  expect(stepsNamedIn(part.repeat(300_000), PLAN, true)).toEqual([])
})

test('of the skill in charge the folder of its steps is enough', () => {
  expect(stepsNamedIn('Do steps/look.md and "steps/think.md", but not look.md', PLAN, true)).toEqual([
    'look',
    'think',
  ])
})

test('a plan that is not in files of its own has none to name', () => {
  expect(stepsNamedIn('steps/look.md', { ...PLAN, notation: 'phases' }, true)).toEqual([])
})

test.each([
  ['Please review it, all of it.', ['a']],
  ['"REVIEW IT"', ['a']],
  ['Preview items', []],
  ['Preview it, then review it', ['a']],
  ['Tell', []],
])('%j names the started steps %j by their title', (text, steps) => {
  const dispatch = { count: 2, join: 1 }
  const many = planOf([step('a', { title: 'Review it', dispatch }), step('b', { title: 'Tell' })], {
    notation: 'runbook',
  })
  expect(stepsTitledIn(text, many, ['a', 'b'])).toEqual(steps)
  expect(stepsTitledIn(text, many, [])).toEqual([])
  expect(stepsTitledIn(text, { ...many, notation: 'steps' }, ['a'])).toEqual([])
})

test.each([
  ['', '1', ['1']],
  ['  ', '1', ['1']],
  ['', '', []],
])('a step with the title %j and the label %j is named by what it has', (title, label, steps) => {
  const nameless = planOf([step('1', { title, label, dispatch: { count: 2, join: 1 } })], {
    notation: 'phases',
  })
  expect(stepsTitledIn('Do phase 1.', nameless, ['1'])).toEqual(steps)
  expect(stepsTitledIn('review', nameless, ['1'])).toEqual([])
})
