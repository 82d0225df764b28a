import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { CWD, HOME, PIECES, reads, writes } from './files.contract.ts'
import { shellFiles } from './files.ts'

test.each<[command: string, asked: readonly string[]]>([
  [`python3 -c "open('a.md')"`, ['/p/python3', "/p/open('a.md')", '/p/a.md']],
  ['/usr/bin/python3.12 sub/a.md', ['/usr/bin/python3.12', '/p/sub/a.md']],
  ['some --file=a.md -v', ['/p/some', '/p/a.md']],
  ['F=a.md some', ['/p/some', '/p/a.md']],
  ['export F=a.md; some', ['/p/some', '/p/a.md']],
  ['F=a.md; some', ['/p/some']],
  ['some <<< a.md', ['/p/some', '/p/a.md']],
  ['bash a.md', ['/p/a.md']],
  ['git config -f a.md -l', ['/p/config', '/p/a.md']],
  ['git add a.md && git commit -m "a.md"', []],
  ['wc -l a.md; ls a.md; chmod 600 a.md; code a.md', []],
  ['wc --files0-from=a.md', ['/p/wc', '/p/a.md']],
  ['prettier --write a.md', []],
  ['perl -pi -e "s/a/b/" a.md', []],
  ["sed -i s/a/b/ a.md; sed -i '/x/d' a.md", []],
  ["sed -i 'w /dev/stdout' a.md", ['/p/a.md', '/p/w /dev/stdout', '/dev/stdout']],
  ["sed -i '/x/,/y/{s/wet/dew/g;d}' a.md; sed -i '1i we see' a.md", []],
  ["sed -i -e 'w x' -e p a.md", ['/p/a.md', '/p/w x', '/p/p']],
  [
    "PS4='$(cat a.md)'; test -v 'a[$(cat b.md)]'",
    ['/p/$(cat a.md)', '/p/a.md', '/p/a[$(cat b.md)]', '/p/b.md'],
  ],
  ['./wc a.md', ['/p/wc', '/p/a.md']],
  ['hash -p /bin/cat wc; wc a.md', ['/p/wc', '/p/a.md']],
  ['GIT_PAGER="cat a.md" git log', ['/p/cat a.md', '/p/a.md']],
  ['git commit -qF a.md', ['/p/commit', '/p/a.md']],
  ["git commit -F- <<< 'See a.md'; git hash-object a.md", []],
  ['cd sub; some \'walk("x"); open\'', ['/p/sub/some', '/p/sub/walk("x"); open', '/p/sub', '/p/sub/x']],
  ["some 'print(os.listdir())'", ['/p/some', '/p/print(os.listdir())']],
  ["python3 -c 'print(os.listdir())'", ['/p/python3']],
  ["some 'map(open, os.listdir())'", ['/p/some', '/p/map(open, os.listdir())', '/p']],
  ['bash /dev/fd/3 3<<< "cat a.md"', ['/p/cat a.md', '/p/a.md', '/proc/self/fd/3']],
])('%s may show any file that it names: %j', (command, asked) => {
  expect(new Set(shellFiles(command, CWD, HOME).asked)).toEqual(new Set(asked))
})

test.each<[command: string, taken: readonly string[]]>([
  ['tar c sub/*', ['/p/sub/*/**/*']],
  ['tar c sub', ['/p/sub/**/*']],
  ['tar c sub/*.md', []],
])('%s takes along %j', (command, taken) => {
  expect(shellFiles(command, CWD, HOME).taken).toEqual(taken)
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
