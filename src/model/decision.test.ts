import { expect, test } from 'vitest'
import { spoken } from './decision.ts'

test('every text of a decision starts with our name, once', () => {
  const said = { contexts: ['One.', 'Holdfast: two.'], notice: 'Three.' }
  const told = { contexts: ['Holdfast: one.', 'Holdfast: two.'], notice: 'Holdfast: three.' }
  expect(spoken({ kind: 'allow', ...said })).toEqual({ kind: 'allow', ...told })
  expect(spoken({ kind: 'block', reason: 'No.', ...said })).toEqual({
    kind: 'block',
    reason: 'Holdfast: no.',
    ...told,
  })
  expect(spoken({ kind: 'allow', contexts: [] })).toEqual({ kind: 'allow', contexts: [] })
})
