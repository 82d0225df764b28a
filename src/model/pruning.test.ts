import { expect, test } from 'vitest'
import { pruningAges } from './pruning.ts'

test.each([
  [30, [30, 15, 7]],
  [90, [90, 45, 22, 11]],
  [7, [7]],
  [1, [1]],
])('%i days may become less, down to a week', (days, ages) => {
  expect(pruningAges(days)).toEqual(ages)
})
