import { expect, test } from 'vitest'
import { isInSteps, kindOfFile, titleOf } from './source.ts'

test.each([
  ['README.md', 'doc'],
  ['docs/a/b.md', 'doc'],
  ['AGENTS.md', 'directive'],
  ['src/ARCHITECTURE.md', 'directive'],
  ['x/.directives/TESTING.md', 'directive'],
  ['.claude/skills/ship/SKILL.md', 'skill'],
  ['.claude/commands/x.md', 'skill'],
  ['.holdfast/tasks/2026-login/log.md', 'session'],
  ['skills/readme.md', 'doc'],
])('%s is a %s', (path, kind) => {
  expect(kindOfFile(path)).toBe(kind)
})

test.each([
  ['plans/auth/steps/step-1.md', true],
  ['plans/auth/compiled-756d4d9e4af8/agents/auth-task.md', true],
  ['plans/auth/compiled-756d4d9e4af8-2/orchestrator-plan.md', true],
  ['plans/auth/runbook.md', false],
  ['docs/compiled-in/a.md', false],
])('%s is a step, or made from one: %s', (path, is) => {
  expect(isInSteps(path)).toBe(is)
})

test('the title of a file is its name, with its folder if many have the same', () => {
  const titles = ['a/b/Guide.md', 'notes.txt', 'skills/ship/SKILL.md', 'README.md'].map(titleOf)
  expect(titles).toEqual(['Guide', 'notes', 'ship/SKILL', 'README'])
})
