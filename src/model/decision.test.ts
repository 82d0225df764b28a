import { describe, expect, test } from 'vitest'
import { addressed, spoken } from './decision.ts'

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

describe('a decision for a reader who calls the program by another name', () => {
  const program = '/home/me/bin/holdfast'

  test('names it in every text', () => {
    const decision = {
      kind: 'block' as const,
      reason: 'Run holdfast status',
      contexts: ['Next: run holdfast recap'],
      notice: 'See: holdfast why',
    }
    expect(addressed(decision, program)).toEqual({
      kind: 'block',
      reason: `Run ${program} status`,
      contexts: [`Next: run ${program} recap`],
      notice: `See: ${program} why`,
    })
    expect(addressed(decision, 'holdfast')).toEqual(decision)
  })

  test('explains the name once if the texts would become too long for a client', () => {
    const long = 'Next: run holdfast recap\n'.repeat(390)
    const { contexts } = addressed({ kind: 'allow', contexts: [long] }, program)
    expect(contexts).toEqual([expect.stringContaining(`write ${program} instead of holdfast`), long])
  })
})
