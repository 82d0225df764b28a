import { describe, expect, test } from 'vitest'
import { CWD, HOME } from './files.contract.ts'
import { shellFiles } from './files.ts'

describe('a command reads files that are known only at run time', () => {
  test.each([
    'cat $f',
    'cat "$1"',
    'cat ${x:-a.md}',
    'cat "$(git ls-files)"',
    'cd $x && cat a.md',
    'f() { cat "$1"; }; f "$x"',
    'git ls-files | xargs cat',
    'popd; cat a.md',
    'cat sub/!(a|b).md',
    'declare -n r=f; f=a.md; cat $r',
    'read -n 4 f <<< a.mdx; cat $f',
    'set -- a.md b.md; shift $n; cat $1',
  ])('%s', (command) => {
    expect(shellFiles(command, CWD, HOME).reads).toEqual({ paths: [], isUnresolved: true })
  })

  test.each([
    'cat a.md',
    'echo $f',
    'wc -l < "$f"',
    'grep "$pattern" a.md',
    'head -n "$n" a.md',
    'diff <(cat a.md) <(sort b.md)',
    'cat -',
    'cat ""',
    'cat <<< "$text"',
    'curl x | bash',
  ])('but not %s', (command) => {
    expect(shellFiles(command, CWD, HOME).reads.isUnresolved).toBe(false)
  })

  test('in a command that is too complex', () => {
    const values = 'a b c d e f g h '.repeat(8)
    expect(shellFiles(`for f in ${values}; do ${'cat $f;'.repeat(10_000)}`, CWD).reads.isUnresolved).toBe(
      true,
    )
  })
})

describe('a command that cannot be parsed is unresolved', () => {
  test.each<[why: string, command: string]>([
    ['a quote has no end', `cat 'a.md`],
    ['a substitution has no end', 'echo $(cat a.md'],
    ['a condition has no end', 'if true; then cat a.md'],
    ['a list has no beginning', 'cat a.md; done'],
    ['a command in another cannot be parsed', 'echo "$(if)"'],
    ['the text of another shell cannot be parsed', `bash -c 'cat "a.md'`],
    ['text that looks like a document is not one', `# <<'E'\n${'{a,'.repeat(5000)}\nE`],
    ['a document has no end', `cat <<'E'\n${'{a,'.repeat(5000)}`],
    ['it is too long', `cat ${'a'.repeat(200_000)}`],
    ['it is a megabyte long', `cat a.md #${'x'.repeat(1 << 20)}`],
    ['it has too many braces', `cat ${'{a,'.repeat(5000)}`],
    ['it has too much old arithmetic', `cat ${'$['.repeat(5000)}`],
    ['its substitutions are too deep', `${'echo $('.repeat(100)}cat a.md${')'.repeat(100)}`],
    ['its arithmetic is too deep', `echo ${'$(('.repeat(100)}1${'))'.repeat(100)}`],
    ['its subshells are too deep', `${'( '.repeat(5000)}cat a.md${' )'.repeat(5000)}`],
    ['its coprocesses are too deep', 'coproc '.repeat(10_000)],
    ['its functions are too deep', 'f() '.repeat(10_000)],
    ['its shells are too deep', `${'eval '.repeat(100)}cat a.md`],
    ['it uses the syntax of another shell', 'cat =(cat a.md)'],
    ['a name contains an invalid character', 'cat a\0.md; rm b\0'],
  ])('%s', (_, command) => {
    const { reads: found, writes: written } = shellFiles(command, CWD, HOME)
    expect([found.isUnresolved, written.isUnresolved]).toEqual([true, true])
  })
})

test('plain redirections are found even in a command that is too complex to parse', () => {
  const command = `sort < a.md > b; echo ${'{a,'.repeat(5000)}`
  expect(shellFiles(command, CWD, HOME)).toMatchObject({
    reads: { paths: ['/p/a.md'], isUnresolved: true },
    writes: { paths: ['/p/b'], isUnresolved: true },
  })
})
