import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { CWD, HOME, PIECES, reads, writes } from './files.contract.ts'
import { shellFiles } from './files.ts'

test.each([
  [`python3 -c "open('a.md')"`, true],
  ['/usr/bin/python3.12 a.py', true],
  [`sudo node -e "1"`, true],
  [`echo x | xargs perl -pe ''`, true],
  ['git show HEAD:a.md', true],
  ['git add a.md && git commit -m "a.md"', false],
  ['cat a.md; npm test', false],
])('%s can open any file: %s', (command, opens) => {
  expect(shellFiles(command, CWD, HOME).opens).toBe(opens)
})

test('without a current folder only absolute paths are known', () => {
  expect(shellFiles('cat a.md /b.md ~/c.md; cd /x; cat d.md', undefined).reads.paths).toEqual([
    '/b.md',
    '/x/d.md',
  ])
})

test('any text is a valid command, and its paths are absolute', () => {
  const piece = fc.oneof(fc.constantFrom(...PIECES), fc.constantFrom(' ', '\n', '\t', '\0'), anyString())
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      for (const path of reads(pieces.join(''))) expect(path).toMatch(/^\//)
      for (const path of reads(`cat ${pieces.join(' ')}`)) expect(path).toMatch(/^\//)
      for (const path of writes(`rm ${pieces.join(' ')}`)) expect(path).toMatch(/^\//)
    }),
    { numRuns: 1000 },
  )
})
