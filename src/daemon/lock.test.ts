import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from './home.ts'
import { claimHome, claimTurn } from './lock.ts'

function home() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return findHome({ HOLDFAST_HOME: folder })
}

// INV_DAEMON_IS_THE_LOCK; test/flows/start-race.test.ts tests it with kills.
test('only one process at a time claims a home', () => {
  const place = home()
  const first = claimHome(place)
  expect(first).toBeDefined()
  expect(claimHome(place)).toBeUndefined()
  first?.release()
  const second = claimHome(place)
  expect(second).toBeDefined()
  second?.release()
})

test('two homes do not affect each other', () => {
  const [one, two] = [claimHome(home()), claimHome(home())]
  expect([one, two]).not.toContain(undefined)
  one?.release()
  two?.release()
})

test.each<[string, (path: string) => void, string]>([
  ['something else', (path) => writeFileSync(path, 'something else '.repeat(100)), 'file is not a database'],
  ['a folder', (path) => mkdirSync(path), 'unable to open database file'],
])('a lock file that is %s is a failure, not a daemon', (_, make, why) => {
  const place = home()
  make(place.lock)
  expect(() => claimHome(place)).toThrow(`${place.lock} cannot be locked: ${why}.`)
})

test('only one process at a time gets the turn to start a daemon, and the file is private', () => {
  const place = home()
  const first = claimTurn(place)
  expect(first).toBeDefined()
  expect(claimTurn(place)).toBeUndefined()
  expect(statSync(place.turn).mode & 0o777).toBe(0o600)
  // The daemon itself needs another lock.
  claimHome(place)?.release()
  first?.release()
  const second = claimTurn(place)
  expect(second).toBeDefined()
  second?.release()
})

test('if no process can take a turn, no process waits for one', () => {
  const place = home()
  mkdirSync(place.turn)
  expect([claimTurn(place), claimTurn(place)]).not.toContain(undefined)
})
