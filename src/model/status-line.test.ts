import { expect, test } from 'vitest'
import { statusLine, statusText } from './status-line.ts'

test.each([
  [{ ordinal: 1, skill: 'brainstorm', current_phase: '1: Ask' }, '[brainstorm:P1]'],
  [{ ordinal: 2, skill: 'impl', current_phase: '3' }, '[2:impl:P3]'],
  [{ ordinal: 3, skill: 'impl', current_phase: '3.A: Build: Loop' }, '[3:impl:P3.A]'],
  [{ ordinal: 1, skill: 'impl', current_phase: null }, '[impl]'],
  [{ ordinal: 0, skill: 'do', current_phase: null }, '[do]'],
  [{ ordinal: 2, skill: 'deploy', current_phase: null, step: 'work' }, '[2:deploy:work]'],
  [{ ordinal: 1, skill: 'deploy', current_phase: '2: B', step: 'work' }, '[deploy:P2]'],
])('%j is %s', (effort, text) => expect(statusText(effort)).toBe(text))

test('the line says how full the window is where that is known; empty is known', () => {
  expect(statusLine('[impl]', null)).toBe('[impl]')
  expect(statusLine('[impl]', 0)).toBe('[impl] 0%')
  expect(statusLine('[2:impl:P3]', 0.619)).toBe('[2:impl:P3] 62%')
})
