import { expect, test } from 'vitest'
import { beginsWithOurs, isRepair, tellsOfItself } from './repair.ts'

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

test.each([
  ['/h/bin/holdfast doctor', '/h/bin/holdfast', true],
  ["'/my h/bin/holdfast' doctor", "'/my h/bin/holdfast'", true],
  ["'/my h/bin/holdfast' doctor; ls", "'/my h/bin/holdfast'", false],
  ['/else/bin/holdfast doctor', '/h/bin/holdfast', false],
  ['/h/bin/holdfastx', '/h/bin/holdfast', false],
  ['holdfast doctor', '/h/bin/holdfast', true],
])('whether %j may run with the launcher %s: %j', (command, launcher, expected) => {
  expect(isRepair(command, launcher)).toBe(expected)
})

test.each([
  ['holdfast status', true],
  [' npx engine status', true],
  ['/h/bin/holdfast status', true],
  [String.raw`'/my h'\''s/bin/holdfast' status`, true],
  ['echo holdfast status', false],
  ['/h/bin/other status', false],
])('whether %j begins with our program: %j', (command, expected) => {
  expect(beginsWithOurs(command)).toBe(expected)
})

test.each(['(', ';', '/', 'engine ', 'x/'])('a command that only repeats %j is checked quickly', (part) => {
  expect(tellsOfItself(`x${part.repeat(300_000)}`)).toBe(false)
})
