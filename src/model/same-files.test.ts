import { expect, test } from 'vitest'
import { type EarlierSession, sharing } from './same-files.ts'

const earlier = (native_id: string, more: Partial<EarlierSession>): EarlierSession => ({
  native_id,
  at: `2026-01-0${native_id}`,
  changed: [],
  read: [],
  ...more,
})

test('sessions that changed the same files come first, then those that changed what was read or read what changed', () => {
  const found = sharing({ changed: ['a', 'b'], read: ['c', 'd'] }, [
    earlier('1', { read: ['c', 'd'] }),
    earlier('2', { changed: ['c'] }),
    earlier('3', { changed: ['a', 'x'], read: ['b'] }),
    earlier('4', { read: ['a'] }),
  ])
  expect(found).toMatchObject([
    { native_id: '3', changed: ['a'], read: ['b'] },
    { native_id: '4', changed: [], read: ['a'] },
    { native_id: '2', changed: ['c'], read: [] },
  ])
})

test('a file that most sessions touched relates only sessions that both changed it', () => {
  const many = ['1', '2', '3', '4'].map((id) => earlier(id, { changed: ['readme'] }))
  expect(sharing({ changed: [], read: ['readme'] }, many)).toEqual([])
  expect(sharing({ changed: ['readme'], read: [] }, many).map(({ native_id: id }) => id)).toEqual([
    '4',
    '3',
    '2',
  ])
  expect(sharing({ changed: [], read: ['readme'] }, many.slice(0, 2))).toHaveLength(2)
})

test('a session without files of its own is related to none', () => {
  expect(sharing({ changed: [], read: [] }, [earlier('1', { changed: ['a'] })])).toEqual([])
})
