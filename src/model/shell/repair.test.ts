import { expect, test } from 'vitest'
import { isRepair, tellsOfItself } from './repair.ts'

test.each([
  ['holdfast daemon start', true],
  ['npx holdfast doctor --json', true],
  ['holdfast pause 30m', true],
  ['holdfast', false],
  ['holdfasten it', false],
  ['ls', false],
  [' holdfast doctor', false],
  ['holdfast doctor; ls', false],
  ['holdfast doctor && ls', false],
  ['holdfast doctor | sh', false],
  ['holdfast doctor > file', false],
  ['holdfast doctor $(ls)', false],
  ['holdfast doctor `ls`', false],
  ['holdfast doctor\nls', false],
  ["holdfast rpc x '{}'", false],
])('whether %j may run while the daemon is down: %j', (command, expected) => {
  expect(isRepair(command)).toBe(expected)
})

test.each(['(', ';', '/', 'engine ', 'x/'])('a command that only repeats %j is checked quickly', (part) => {
  expect(tellsOfItself(`x${part.repeat(300_000)}`)).toBe(false)
})
