import { expect, test } from 'vitest'
import { distrustOf, type SkillDetails, trustNow } from './skill.ts'

test.each([
  ['trusted code', 'a', true, undefined, 'trusted'],
  ['code of which nothing is known', 'a', false, undefined, 'untrusted'],
  ['code that is no longer trusted', 'a', false, { code: 'a', trust: 'trusted' }, 'untrusted'],
  ['code that was never trusted', 'b', false, { code: 'a', trust: 'untrusted' }, 'untrusted'],
  ['code that has changed since', 'b', false, { code: 'a', trust: 'trusted' }, 'changed'],
  ['the same changed code', 'b', false, { code: 'b', trust: 'changed' }, 'changed'],
  ['code that has changed again', 'c', false, { code: 'b', trust: 'changed' }, 'changed'],
] as const)('%s is called so', (_, code, isTrusted, before, expected) => {
  expect(trustNow(code, isTrusted, before)).toBe(expected)
})

test.each([
  ['untrusted', { notation: null, trust: 'untrusted' }, 'untrusted'],
  ['changed', { notation: null, trust: 'changed' }, 'changed'],
  ['trusted', { notation: null, trust: 'trusted' }, undefined],
  ['held by another plan', { notation: 'phases', trust: 'untrusted' }, undefined],
  ['without a module', { notation: null }, undefined],
] as const)('a skill whose module is %s', (_, details, expected) => {
  expect(distrustOf(details as SkillDetails)).toBe(expected)
  expect(distrustOf(null)).toBeUndefined()
})
