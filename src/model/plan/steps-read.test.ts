import { expect, test } from 'vitest'
import { planOf, step } from './case.contract.ts'
import { stepsRead } from './steps-read.ts'

const place = (id: string) => ({ file: `/linked/flow/steps/${id}.md`, line: 1, column: 1 })
const PLAN = planOf(['look', 'do'].map((id) => step(id, { place: place(id) })))
const SKILL = { plan: PLAN, file: '/linked/flow/SKILL.md', folder: '/p/.claude/skills/flow' }
const BOTH = ['look', 'do']

test.each<[path: string, steps: readonly string[]]>([
  ['/p/.claude/skills/flow/steps/do.md', ['do']],
  ['/p/.claude/skills/flow/steps/d*.md', ['do']],
  ['/p/.claude/skills/flow/steps', BOTH],
  ['/p/.claude/skills/flow', BOTH],
  ['/p/.claude/skills', BOTH],
  ['/p/.claude', BOTH],
  ['/p', []],
  ['/', []],
  ['/p/**/do.md', ['do']],
  ['/**/*.md', BOTH],
  ['/q/**/do.md', []],
  ['/p/.claude/skills/flow/SKILL.md', []],
  ['/p/.claude/skills/other', []],
])('%s', (path, steps) => {
  expect(stepsRead(SKILL, path, '/p')).toEqual(steps)
})

test('a skill that is the project itself is searched with it', () => {
  expect(stepsRead({ ...SKILL, folder: '/p' }, '/p', '/p')).toEqual(BOTH)
})

test('only steps in files of their own can be read', () => {
  expect(stepsRead({ ...SKILL, plan: { ...PLAN, notation: 'phases' } }, '/p/.claude', '/p')).toEqual([])
  expect(stepsRead({ ...SKILL, plan: null }, '/p/.claude', '/p')).toEqual([])
  expect(stepsRead({ ...SKILL, folder: null }, '/p/.claude', '/p')).toEqual([])
})
