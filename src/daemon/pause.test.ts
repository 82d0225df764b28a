import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findHome } from './home.ts'
import { pauseReader, writePause } from './pause.ts'

const folder = mkdtempSync(join(tmpdir(), 'holdfast-pause-'))
afterAll(() => rmSync(folder, { recursive: true }))
let homes = 0
const newHome = () => findHome({ HOME: folder, HOLDFAST_HOME: join(folder, `home-${++homes}`) })
const NOW = Date.parse('2036-05-04T10:00:00.000Z')

test('enforcement is not paused before a pause, after its end, or after it is canceled', () => {
  const home = newHome()
  const pausedUntil = pauseReader(home)
  expect(pausedUntil(NOW)).toBeUndefined()
  writePause(home, NOW + 1000)
  expect(pausedUntil(NOW)).toBe(NOW + 1000)
  expect(pausedUntil(NOW + 1000)).toBeUndefined()
  writePause(home, NOW + 5000)
  expect(pausedUntil(NOW + 1000)).toBe(NOW + 5000)
  writePause(home, undefined)
  expect(pausedUntil(NOW)).toBeUndefined()
  writePause(home, undefined)
})

test('a pause creates a missing home, private to this user', () => {
  const home = newHome()
  writePause(home, NOW)
  expect(statSync(home.folder).mode & 0o777).toBe(0o700)
  expect(statSync(home.pause).mode & 0o777).toBe(0o600)
})

test.each(['', '{', '{}', 'null', '{"until": 5}', '{"until": "tomorrow"}'])('%j pauses nothing', (text) => {
  const home = newHome()
  writePause(home, NOW + 1000)
  writeFileSync(home.pause, text)
  expect(pauseReader(home)(NOW)).toBeUndefined()
})
