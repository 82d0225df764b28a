import { expect, test } from 'vitest'
import { openAfter } from './open-call.ts'

const call = (id: string) => ({ id, tool: 'Bash', what: id, at: '' })
const idsAfter = (open: readonly string[], ...news: Parameters<typeof openAfter>[1]) =>
  openAfter(open.map(call), news).open.map(({ id }) => id)

test('a call is open from its beginning, once, to its end, in whatever order others end', () => {
  expect(idsAfter([], { begun: call('a') }, { begun: call('b') }, { begun: call('a') })).toEqual(['a', 'b'])
  expect(idsAfter(['a', 'b', 'c'], { ended: ['c', 'a', 'x'] })).toEqual(['b'])
  expect(idsAfter(['a', 'b'], { ended: 'all' }, { begun: call('c') })).toEqual(['c'])
  expect(idsAfter(['a'])).toEqual(['a'])
  expect(
    openAfter(
      [call('a')],
      ['a', 'b', 'b'].map((id) => ({ begun: call(id) })),
    ).begun,
  ).toBe(1)
})

test('of many that never end the newest are kept', () => {
  const many = Array.from({ length: 80 }, (_, index) => ({ begun: call(`c${index}`) }))
  const left = idsAfter([], ...many)
  expect(left).toHaveLength(50)
  expect(left.at(-1)).toBe('c79')
})
