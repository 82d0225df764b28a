import { expect, test } from 'vitest'
import { isNewer } from './version.ts'

const RISING = ['0.1.0-alpha', '0.1.0-beta.2', '0.1.0-beta.10', '0.1.0', '0.1.9', '0.1.10', '0.2.0', '1.0.0']

test('versions come one after another, by their numbers and not by their letters', () => {
  for (const [index, version] of RISING.entries())
    for (const [place, than] of RISING.entries()) expect(isNewer(version, than)).toBe(index > place)
})

test('what a build adds changes nothing', () => {
  expect(isNewer('1.0.0+b', '1.0.0+a')).toBe(false)
  expect(isNewer('v1.0.1', '1.0.0')).toBe(true)
})

test.each(['', 'latest', '1', '1.2', 'x.y.z'])('%j is neither newer nor older than anything', (text) => {
  expect(isNewer(text, '0.0.1')).toBe(false)
  expect(isNewer('9.9.9', text)).toBe(false)
})
