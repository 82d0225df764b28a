import { expect, test } from 'vitest'
import type { Level } from '../model/level.ts'
import { event, facts, subject } from './case.contract.ts'
import { doorGate } from './door-gate.ts'

const running = (command: string, more: object = {}) => ({
  ...event('before', { tool: { id: 'c1', name: 'Bash', input: {}, does: { kind: 'command', command } } }),
  ...more,
})

const verdict = (command: string, level: Level, more: object = {}) =>
  doorGate.judge(running(command, more), facts({ level }))

test.each([
  'holdfast pause',
  'holdfast --json pause 2h',
  '/home/u/bin/holdfast pause',
  'npx holdfast pause',
  'cd /tmp && holdfast pause; ls',
  'holdfast effort approve 3 build --reason x',
  'holdfast effort phase 3 2 --reason=x',
  'holdfast step go 2 --reason x --effort 3',
  'holdfast effort finish 3 --abandon x',
  `holdfast rpc db.effort.approve '{"effort_id":3}'`,
  'holdfast rpc db.effort.finish -',
  'holdfast rpc hooks.postToolUse @event.json',
  `holdfast rpc evidence.finish '{"token":"t","exit_code":0}'`,
  'holdfast hook claude-code < event.json',
  'holdfast daemon stop',
])('%s is put to the user at enforce, and refused at strict', (command) => {
  expect(verdict(command, 'enforce')).toMatchObject({ ask: { call: 'c1' } })
  expect(verdict(command, 'strict')).toMatchObject({ block: {} })
  expect(verdict(command, 'enforce', { subagent: { id: 'a1' } })).toMatchObject({ block: {} })
  expect(verdict(command, 'observe')).toBeUndefined()
})

test.each([
  'holdfast status',
  'holdfast enforce',
  'holdfast pause off',
  'holdfast pause --off',
  'holdfast step done build --effort 3 --verified "it works"',
  'holdfast step fail build --effort 3 --reason "two tests fail"',
  'holdfast prove tests --effort 3',
  `holdfast rpc db.effort.finish '{"effort_id":3}'`,
  'holdfast uninstall --dry-run',
  'echo holdfast pause',
  'grep -r "holdfast pause" docs',
  'git commit -m "holdfast: pause"',
])('%s is no door', (command) => {
  expect(doorGate.wakes(subject(running(command)), facts())).toBe(false)
})
