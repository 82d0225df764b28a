import { expect, test } from 'vitest'
import { QR_LIMIT } from '../../workflow/index.ts'
import { blockingIn } from './severity.ts'

test.each([
  [1, 'MUST SHOULD COULD'],
  [2, 'MUST SHOULD COULD'],
  [3, 'MUST SHOULD COULD'],
  [4, 'MUST SHOULD'],
  [5, 'MUST'],
  [6, 'MUST'],
  [100, 'MUST'],
])('in round %i of a review, %s block', (iteration, severities) => {
  expect(blockingIn(iteration).join(' ')).toBe(severities)
})

test('every round up to the limit has something that blocks, and the last one only what must be', () => {
  expect(QR_LIMIT).toBe(5)
  expect(blockingIn(QR_LIMIT)).toEqual(['MUST'])
})
