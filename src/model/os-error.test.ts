import { expect, test } from 'vitest'
import { knownError, toWire } from './error.ts'

const failed = (code: string) =>
  Object.assign(new Error(`${code}: it failed, fsync`), { code, syscall: 'fsync', path: '/p/log.md' })

test.each([
  ['EIO', 'unavailable'],
  ['EROFS', 'unavailable'],
  ['EMFILE', 'unavailable'],
  ['ENOSPC', 'storage-full'],
  ['EDQUOT', 'storage-full'],
  ['Unknown system error -122', 'storage-full'],
  ['EFBIG', 'storage-full'],
])('%s is %s with the next action, and not a bug', (name, code) => {
  const { data, message } = toWire(failed(name))
  expect(data).toEqual({ code, hint: expect.stringContaining('try again') as string })
  expect(message).toMatch(/^\/p\/log\.md (is|cannot) /)
})

test('what only a bug can cause stays a bug', () => {
  expect(toWire(failed('ENOENT')).data.code).toBe('internal')
  expect(toWire(Object.assign(new Error('no'), { code: 'EIO' })).data.code).toBe('internal')
  expect(knownError(new Error('no'))).toBeUndefined()
})
