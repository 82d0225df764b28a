import { expect, test } from 'vitest'
import { EngineError } from './error.ts'
import { eventsNamed } from './ledger.ts'

function hintFor(name: string): string | undefined {
  try {
    eventsNamed(name)
    return undefined
  } catch (error) {
    return error instanceof EngineError ? error.hint : String(error)
  }
}

test.each([
  ['phase.refusd', 'holdfast ledger --type phase.refused'],
  ['published', 'holdfast ledger --type run.published'],
  ['nonsense', 'holdfast ledger'],
  ['', 'holdfast ledger'],
  ['phase.entered', undefined],
  ['phase_enter', undefined],
])('an unknown kind of entry %j leads to the nearest one: %j', (name, hint) => {
  expect(hintFor(name)).toBe(hint)
})

test('a name like no kind of entry is answered with what entries are about', () => {
  expect(() => eventsNamed('nonsense')).toThrow(
    /^Unknown type of entry "nonsense"\. Entries are about: project, /,
  )
})
