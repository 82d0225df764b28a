import { expect, test } from 'vitest'
import type { HookEvent } from '../model/event.ts'
import { facts, subject } from './case.contract.ts'
import { hooksKept } from './hooks-kept.ts'

const event: HookEvent = { client: 'claude-code', kind: 'config.changed', source: 'user_settings' }

test.each([
  [undefined, false],
  [true, true],
] as const)('settings whose hooks are gone (%s) wake the rule: %s', (hooksGone, wakes) => {
  expect(hooksKept.wakes(subject(event, { hooksGone }), facts())).toBe(wakes)
})

test('the hooks stay until the user removes them by our command', () => {
  expect(hooksKept.judge(event, facts({ leave: false }))?.block?.reason).toContain('holdfast uninstall')
  expect(hooksKept.judge(event, facts({ leave: true }))).toBeUndefined()
})
