import { expect, test } from 'vitest'
import { contextMark, heartbeatLimit, remindAt } from './watch.ts'

test.each([
  [true, 10, 3],
  [20, 20, 6],
  ['20', 20, 6],
  [1, 1, 1],
])(
  'an effort that asks for heartbeat %s may call %i tools, and is reminded after %i',
  (asked, limit, mark) => {
    expect(heartbeatLimit(asked)).toBe(limit)
    expect(remindAt(limit)).toBe(mark)
  },
)

test.each([[undefined], [false], [0], [-3], [1.5], ['ten'], [''], [{}], [null]])(
  'an effort that asks for heartbeat %j asks for nothing',
  (asked) => {
    expect(heartbeatLimit(asked)).toBeUndefined()
  },
)

test.each([
  [null, 0],
  [0, 0],
  [0.7299, 0],
  [0.73, 73],
  [0.7999, 73],
  [0.8, 80],
  [1, 80],
])('a window that is full to %s has passed the mark %i', (usage, mark) => {
  expect(contextMark(usage)).toBe(mark)
})
