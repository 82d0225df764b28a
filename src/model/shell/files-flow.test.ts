import { describe, expect, test } from 'vitest'
import { reads } from './files.contract.ts'

describe('a list, branch or loop reads', () => {
  test.each<[command: string, paths: readonly string[]]>([
    [
      'true && cat a.md || cat b.md; cat c.md & cat d.md\ncat e.md',
      'abcde'.split('').map((x) => `/p/${x}.md`),
    ],
    ['cd sub && cat a.md', ['/p/sub/a.md']],
    ['(cd sub; cat a.md); cat a.md', ['/p/sub/a.md', '/p/a.md']],
    ['cd; cat a.md', ['/home/u/a.md']],
    ['cd - && cat a.md /b.md', ['/b.md']],
    ['for f in a.md b.md; do cat "sub/$f"; done', ['/p/sub/a.md', '/p/sub/b.md']],
    ['if [ -f a.md ]; then cat a.md; fi', ['/p/a.md']],
    ['while read -r line; do echo "$line"; done < a.md', ['/p/a.md']],
    ['[[ a < b ]] && (( i < n )) && echo $((x < y))', []],
    ["grep '[[' x; cat < a.md", ['/p/x', '/p/a.md']],
    ['git add a.md && rm b.md && ls c', []],
    ['cd steps && cat $(ls)', ['/p/steps/*']],
    ['cat $(cd sub && pwd)/a.md', ['/p/sub/a.md']],
    ['pushd sub; cat a.md; popd; cat b.md', ['/p/sub/a.md']],
    ['case x in x) cat a.md;; esac', ['/p/a.md']],
    ['cat $(true; echo a.md)', ['/p/a.md']],
    [`while read f; do cat "$f"; done <<'EOF'\na.md\nb c.md\nEOF`, ['/p/a.md', '/p/b c.md']],
    ['[[ -n $(cat a.md) ]] && (( $(cat b.md) > 1 ))', ['/p/a.md', '/p/b.md']],
    ['cd sub | cat a.md', ['/p/a.md']],
    ['coproc cat a.md', ['/p/a.md']],
    ['select x in a; do cat a.md; done', ['/p/a.md']],
    ['for ((i = 0; i < 3; i++)); do cat a.md; done', ['/p/a.md']],
    ['! time cat a.md', ['/p/a.md']],
    [
      'for f in a.md b.md; do cat "$(echo "sub/$f")"; done',
      ['/p/sub/a.md sub/b.md', '/p/sub/a.md', '/p/sub/b.md'],
    ],
    ['for f in a b; do cat "$(printf %s.md "$f")"; done', ['/p/a.mdb.md', '/p/a.md', '/p/b.md']],
    ['for f in a b; do printf -v g %s.md "$f"; cat $g; done', ['/p/a.mdb.md', '/p/a.md', '/p/b.md']],
    [
      'for f in a.md b.md; do echo "$f" | while read -r g; do cat "$g"; done; done',
      ['/p/a.md b.md', '/p/a.md', '/p/b.md'],
    ],
    ['for f in a.md b.md; do set -- "$f"; cat "$1"; done', ['/p/a.md', '/p/b.md']],
    ['echo a.md | while read f; do cat $f; done 3< b.md', ['/p/b.md', '/p/a.md']],
    ['cat $(date > /dev/null; echo a.md)', ['/p/a.md']],
    ['cd nowhere || true; cat a.md', ['/p/nowhere/a.md', '/p/a.md']],
    ['[ -d x ] && cd x; cat a.md', ['/p/x/a.md', '/p/a.md']],
    ['if x; then cd sub; fi; cat a.md', ['/p/a.md', '/p/sub/a.md']],
    ['cd x && ls; cat a.md', ['/p/x/a.md']],
  ])('%s', (command, paths) => {
    expect(reads(command)).toEqual(paths)
  })
})

describe('a function reads', () => {
  test.each<[command: string, paths: readonly string[]]>([
    ['f() { F=a.md; }; f; cat $F', ['/p/a.md']],
    ['function show { cat a.md; }; echo hi', []],
    ['show() { cat a.md; }; show', ['/p/a.md']],
    ['function show { cat a.md; }; echo "$(show)"', ['/p/a.md']],
    ['if x; then f() { cat a.md; }; else f() { cat b.md; }; fi; f', ['/p/a.md', '/p/b.md']],
    ['f() { cat a.md; }; trap f EXIT', ['/p/a.md']],
    ['set -- a.md; f() { cat $1; }; f; cat $1', ['/p/a.md']],
    ['f=a.md; g() { local f=b.md; }; g; cat $f', ['/p/a.md']],
    ['f=a.md; g() { declare f=b.md; cat $f; }; g; cat $f', ['/p/b.md', '/p/a.md']],
    ['f=a.md; g() { local f; f=b.md; }; g; cat $f', ['/p/a.md']],
    ['f=a.md; g() { declare -g f=b.md; }; g; cat $f', ['/p/b.md']],
    ['f() { cat a.md; }; if x; then c=g; else c=f; fi; $c', ['/p/a.md']],
    ['f() { cat a.md; }; ${x:-f}', ['/p/a.md']],
    ['f() { cat a.md; }; run() { "$@"; }; run f', ['/p/a.md']],
    ['f() { cat a.md; }; source <(echo f)', ['/p/a.md']],
    ['f() { cat a.md; }; . lib.sh', ['/p/a.md']],
    ['f() { cat a.md; }; eval "${x:-f}"', ['/p/a.md']],
    ['f() { cat a.md; }; mapfile -c 1 -C f x <<< x', ['/p/a.md']],
    ['f() { cat a.md; }; export -f f; ./run.sh', ['/p/a.md']],
    ['f() { cat a.md; }; bash -c "$(declare -f f); f"', ['/p/a.md']],
    ['(cd sub; f() { cat a.md; }; $x)', ['/p/sub/a.md']],
    ['command_not_found_handle() { cat a.md; }; nothing', ['/p/a.md']],
    ['trap f EXIT; f() { cat a.md; }', ['/p/a.md']],
    ['f() { cat a.md }; f', ['/p/a.md', '/p/}']],
  ])('%s', (command, paths) => {
    expect(reads(command)).toEqual(paths)
  })
})
