import { describe, expect, test } from 'vitest'
import { reads } from './files.contract.ts'

describe('another shell or a here-document reads', () => {
  test.each<[command: string, paths: readonly string[]]>([
    [`bash -lc 'cd sub && cat a.md'`, ['/p/sub/a.md']],
    ['eval "cat a.md"', ['/p/a.md']],
    ['cat > out.md <<EOF\ncat a.md\nEOF\ncat b.md', ['/p/b.md']],
    ['cat <<EOF\n$(cat a.md)\nEOF', ['/p/a.md']],
    [`cat <<'EOF'\n$(cat a.md)\nEOF`, []],
    ['cat <<-EOF\n\tx\n\tEOF\ncat b.md', ['/p/b.md']],
    ['cat <<< a.md', []],
    [`sh -c 'cat "$1" "$2"' _ a.md b.md`, ['/p/a.md', '/p/b.md']],
    [`bash -c 'for f in "$@"; do cat "$f"; done' _ a.md b.md`, ['/p/a.md', '/p/b.md']],
    ['bash <<EOF\ncat a.md\nEOF', ['/p/a.md']],
    [`sh -s <<'EOF'\ncat a.md\nEOF\ncat b.md`, ['/p/a.md', '/p/b.md']],
    ['cat <<EOF | bash\ncat a.md\nEOF', ['/p/a.md']],
    ['echo "cat a.md" | bash', ['/p/a.md']],
    ['bash script.sh <<EOF\ncat a.md\nEOF', []],
    [`F=a.md sh -c 'cat $F'`, ['/p/a.md']],
    ['f=a.md; bash <<EOF\ncat $f\nEOF', ['/p/a.md']],
    ['echo cat a.md | sh', ['/p/a.md']],
    ['echo cat a.md | sudo bash -s', ['/p/a.md']],
    ['echo cat a.md | tee /dev/null | sh', ['/p/a.md']],
    ['echo -n cat a.md | sh', ['/p/a.md']],
    ["printf '%s\\n' 'cat a.md' 'cat b.md' | sh", ['/p/a.md', '/p/b.md']],
    ['for f in a.md b.md; do bash -c "cat $f"; done', ['/p/a.md', '/p/b.md']],
    [`for f in a.md b.md; do bash -c 'cat "$1"' _ "$f"; done`, ['/p/a.md', '/p/b.md']],
    [`eval cat sub/{'a',"b"}.md`, ['/p/sub/a.md', '/p/sub/b.md']],
  ])('%s', (command, paths) => {
    expect(reads(command)).toEqual(paths)
  })
})

describe('a list of files leads to reads', () => {
  test.each<[command: string, paths: readonly string[]]>([
    ['echo x | xargs -n 1 cat a.md', ['/p/a.md', '/p/x']],
    ['find steps -name "*.md" -exec cat {} +', ['/p/steps/**/*.md']],
    ['find steps -name "*.md"', []],
    ['echo a.md b.md | xargs cat', ['/p/a.md', '/p/b.md']],
    ['printf "%s\\n" a.md | xargs -n1 cat', ['/p/a.md']],
    [`echo a.md | xargs -I{} sh -c 'cat {}'`, ['/p/a.md']],
    ['echo a.md | xargs -I% head sub/%', ['/p/sub/a.md']],
    ['ls steps | xargs cat', ['/p/*']],
    ['ls steps/*.md | head -1 | xargs cat', ['/p/steps/*.md']],
    ['cat $(find steps -name a.md)', ['/p/steps/**/a.md']],
    ['find a b -type f | sort | tee list | xargs cat', ['/p/a/**/*', '/p/b/**/*']],
    ['find | xargs cat', ['/p/**/*']],
    ['find a.md -exec cat {} \\;', ['/p/a.md', '/p/a.md/**/*']],
    ['find . -name "*.md" | xargs grep x', ['/p']],
    ['find . -name "*.md" -exec grep -l x {} +', []],
    [`find . -name a.md -exec sh -c 'cat "$1"' _ {} \\;`, ['/p/**/a.md']],
    ['find s -name a.md | while IFS= read -r f; do cat "$f"; done', ['/p/s/**/a.md']],
    ['grep -l x a.md b.md | xargs cat', ['/p/a.md', '/p/b.md']],
    ['grep -rl x src', []],
    ['rg --files src', []],
    ['rg -L x src', ['/p/src']],
    ['xargs cat <<EOF\na.md b.md\nEOF', ['/p/a.md', '/p/b.md']],
    ['find sub -name a.md | (cd x; xargs cat)', ['/p/x/sub/**/a.md']],
    ['echo $x a.md | xargs cat', ['/p/a.md']],
    ["printf '%5s' a.md | xargs cat", ['/p/a.md']],
    ['echo a.md | xargs cat 3<<< b.md', ['/p/a.md']],
    ['echo a.md | xargs cat 3< b.md', ['/p/b.md', '/p/a.md']],
    ['echo a.md | xargs cat 4<&- {fd}< b.md', ['/p/b.md', '/p/a.md']],
    ['echo a.md | xargs cat <&0', ['/p/a.md']],
    [`echo a.md b.md | awk '{print $2}' | xargs -I{} cat {}`, ['/p/a.md b.md', '/p/a.md', '/p/b.md']],
    [`IFS=$'\\n'; for f in $(find "a b" -name c.md); do cat "$f"; done`, ['/p/a b/**/c.md']],
    ['find "a b" -print0 | xargs -r0 cat', ['/p/a b/**/*']],
    ['find "a b" -print0 | xargs -0n1 cat', ['/p/a b/**/*']],
  ])('%s', (command, paths) => {
    expect(reads(command)).toEqual(paths)
  })
})
