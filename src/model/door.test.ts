import { expect, test } from 'vitest'
import { COMMAND_DOORS, isDoor, isRaise, isTightening } from './door.ts'

const words = (command: string) => command.split(' ')
const strict = { own: 'strict', general: 'observe' } as const

test.each([
  'uninstall --dry-run=false',
  'pause --off=false',
  'effort finish 3 --abandon false',
  'effort finish 3 --abandon=false',
  'session deactivate tasks/login --abandon late',
  'enforce observe',
  'enforce --session-gate off --project on',
])('holdfast %s is a door', (command) => {
  expect(isDoor(words(command))).toBe(true)
})

test.each(['uninstall --dry-run', 'pause --off', 'pause off', 'session continue 3 --take=false', 'enforce'])(
  'holdfast %s is no door',
  (command) => {
    expect(isDoor(words(command))).toBe(false)
  },
)

test('a switch that is turned off does not close a door', () => {
  const off = (name: string) => ({ positionals: [], flags: { [name]: 'false' } })
  expect(COMMAND_DOORS.get('uninstall')?.(off('dry_run'))).toBe(true)
  expect(COMMAND_DOORS.get('pause')?.(off('off'))).toBe(true)
})

test.each(['enforce strict', 'enforce locked', 'enforce strict --default', 'enforce --session-gate on'])(
  'holdfast %s raises a project at strict, in a home at observe',
  (command) => {
    expect(isRaise(words(command), strict)).toBe(true)
  },
)

test.each([
  'enforce observe',
  // Without the declared flags, a folder and a level look the same.
  'enforce observe --project strict',
  'enforce enforce --default=false',
  'enforce enforce --project --default',
  'enforce --session-gate off',
  'enforce --session-gate off --project on',
])('holdfast %s does not raise it', (command) => {
  expect(isRaise(words(command), strict)).toBe(false)
})

test('init at a level that is no lower tightens, unless it allows our commands', () => {
  expect(isTightening(words('init --strict'), strict)).toBe(true)
  expect(isTightening(words('init --strict --allow-holdfast=false'), strict)).toBe(true)
  expect(isTightening(words('init --strict --allow-holdfast'), strict)).toBe(false)
  expect(isTightening(words('init --enforce'), strict)).toBe(false)
})
