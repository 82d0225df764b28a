import { expect, test } from 'vitest'
import { subjectsOf } from './request.ts'

test.each([
  ['add a test for the login page, please', ['login', 'page']],
  ['- #ver --dry-run --mode=tdd reset of passwords', ['reset', 'passwords']],
  ['fix issue 42 in src/login-form.ts', ['issue', 'src', 'login', 'form', 'ts']],
  ['make it work', []],
  ['', []],
])('%j is about %j', (request, words) => {
  expect(subjectsOf(request)).toEqual(words)
})
