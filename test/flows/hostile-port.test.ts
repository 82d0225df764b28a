import { expect, test, vi } from 'vitest'
import { hostilePort } from '../torture/hostile-port.ts'

vi.setConfig({ testTimeout: 300_000 })

test('a program that takes the port of a killed daemon gets no report and is never believed', async () => {
  const { violations, answers } = await hostilePort({ rounds: 1 })
  expect(violations).toEqual([])
  expect(answers).toBeGreaterThan(60)
})

test('the same suite catches a pipe that believes any invitation', async () => {
  const changed = (line: string) => line.replaceAll('"HTTP/1.1 100 $v"*)', '"HTTP/1.1 100 "*)')
  const violations = (await hostilePort({ rounds: 1, changed })).violations.join('\n')
  expect(violations).toContain('it got the report')
  expect(violations).toContain('its answer was believed')
})
