import { expect, test } from 'vitest'
import { stemOf } from './stem.ts'

test.each([
  ['connect connected connecting connection connections', 'connect'],
  ['hash hashes hashed hashing', 'hash'],
  ['relational relate', 'relat'],
  ['policy policies', 'polici'],
  ['hopping hopped hop', 'hop'],
  ['falling fall', 'fall'],
  ['organization organizer', 'organ'],
  ['adoption adopt', 'adopt'],
  ['electricity electrical', 'electr'],
  ['hopefulness hopeful', 'hope'],
  ['sky', 'sky'],
  ['is', 'is'],
  ['größe', 'größe'],
  ['sha256', 'sha256'],
])('%s have the stem %s', (words, stem) => {
  expect(words.split(' ').map(stemOf)).toEqual(words.split(' ').map(() => stem))
})
