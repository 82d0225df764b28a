import { expect, test } from 'vitest'
import { event, facts, skill, span, touch } from './case.contract.ts'
import type { Facts } from './facts.ts'
import { isAtWork, spanSwitch } from './span-switch.ts'

const ask = (more: Partial<Facts>) => spanSwitch.judge(event('after'), facts(more))
const other = skill({ name: 'other' })

test('what is read of no skill, and a step that is only looked at, change nothing', () => {
  expect(ask({})).toBeUndefined()
  expect(ask({ touched: [touch('look')] })).toBeUndefined()
  expect(ask({ touched: [touch('look')], spans: [span('a', { skill: 'other' })] })).toBeUndefined()
})

test('reading SKILL.md puts the skill in charge, and so does a step of one that waits', () => {
  expect(ask({ touched: [touch(undefined)] })).toMatchObject({
    changes: [{ kind: 'span.opened', step: undefined }],
  })
  const spans = [span('b', { skill: 'other' }), span('a', { status: 'suspended' })]
  expect(ask({ touched: [touch('look')], spans })?.changes).toEqual([
    { kind: 'span.suspended', span: 'b' },
    { kind: 'span.resumed', span: 'a' },
  ])
})

test('of several files the last one that counts decides', () => {
  const spans = [span('a')]
  const touched = [touch(undefined, other), touch('look'), touch('do', skill({ name: 'third' }))]
  expect(ask({ touched, spans })?.changes).toEqual([])
  expect(ask({ touched: touched.toReversed(), spans })?.changes).toMatchObject([
    { kind: 'span.suspended', span: 'a' },
    { kind: 'span.opened', skill: 'other', parent: 'a' },
  ])
})

test('a strict project knows no browsing', () => {
  expect(ask({ level: 'strict', touched: [touch('look')] })?.changes).toMatchObject([
    { kind: 'span.opened', step: 'look' },
  ])
  expect(isAtWork(touch('look'), facts({ level: 'observe' }))).toBe(false)
})
