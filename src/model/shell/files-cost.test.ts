import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CWD, HOME, PIECES } from './files.contract.ts'
import { shellFiles } from './files.ts'

/** Processor time, because other programs share the machine. */
function costOf(command: string, runs: number): number {
  const before = process.threadCpuUsage()
  for (let run = 0; run < runs; run++) shellFiles(command, CWD, HOME)
  const { user, system } = process.threadCpuUsage(before)
  // The kernel only guesses which part of short work was the user's.
  return user + system
}

describe('the time for a command grows linearly with its length', () => {
  const [short, times] = [4000, 16]
  const sized = (text: string, size: number) => text.repeat(Math.ceil(size / text.length))
  const usual = sized('cat a.md; ', short)
  /** Compares two long commands with the same amount of text in short ones. */
  const expectLinear = (text: string) => {
    const cost = costOf(sized(text, times * short), 2)
    const runs = 2 * times
    expect(cost).toBeLessThan(4 * (costOf(sized(text, short), runs) + costOf(usual, runs)))
  }

  test.each([
    '{a,',
    '{$a',
    '$[',
    'a<<',
    '<<-=',
    '$(',
    '$((',
    '${x:-',
    '"$(',
    '<(',
    '`',
    'a=$a$a;',
    "<<'E'\n",
    'cat $f;',
  ])('for %j', (text) => {
    expect.hasAssertions()
    expectLinear(text)
  })

  test('for any text', () => {
    expect.hasAssertions()
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES, ' ', '\n'), { minLength: 1, maxLength: 4 }), (pieces) =>
        expectLinear(pieces.join('')),
      ),
      { numRuns: Math.ceil(Number(process.env['HOLDFAST_RUNS'] ?? 1) * 10) },
    )
  })
})

test.each([
  '$(',
  '`',
  '"$(',
  '(',
  '((',
  '${',
  '{a,b}',
  '$((',
  "$'",
  '<(',
  '<<E\n',
  'env ',
  'eval ',
  'bash -c "',
  '\\`',
  'a=$a$a;',
  'for f in $f a b;',
  'cat $f $f;',
  'cd a;',
  '(cd a;',
  '\\',
  "'",
  '#',
  '|',
  'x=1;(',
  'cat {a,b}{c,d}{e,f} ',
  'xargs ',
  'echo $f|xargs -I{} ',
  'xargs -I{} cat {}{}{}{}',
  'find $f -exec cat {} {}{} ;',
  'find | xargs ',
  'ls|',
  'read f;',
  'bash<<E\nE\n',
  'bash -c "$0" ',
  '>',
  '>a',
  '> $f ',
  '>&1',
  '&>',
  '>(',
  '[[ ',
  '[[ a > b ]] ',
  'if [[ ',
  'a > [[ ',
  'rm ',
  'rm $f ',
  'rm -',
  'tee -a $f|',
  'cp -t a b ',
  'mv {a,b}{c,d} ',
  'sed -i -e ',
  'find -delete ',
  'dd of=$f ',
  '-',
])('60 KB and 500 KB of %j finish', (piece) => {
  const setup = `a=${'x'.repeat(1000)}; for f in ${'a b c d e f g h '.repeat(8)}; do `
  for (const size of [60_000, 500_000]) {
    const { reads: found, writes: written } = shellFiles(setup + piece.repeat(size / piece.length), CWD, HOME)
    expect([Array.isArray(found.paths), Array.isArray(written.paths)]).toEqual([true, true])
  }
})
