import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findHome } from './home.ts'
import { claimHome } from './lock.ts'

function home() {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-lock-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return findHome({ HOLDFAST_HOME: folder })
}

// INV_DAEMON_IS_THE_LOCK; what a kill does to it is told in test/flows/start-race.test.ts.
test('a home is claimed by one at a time', () => {
  const place = home()
  const first = claimHome(place)
  expect(first).toBeDefined()
  expect(claimHome(place)).toBeUndefined()
  first?.release()
  const second = claimHome(place)
  expect(second).toBeDefined()
  second?.release()
})

test('two homes have nothing to do with each other', () => {
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
