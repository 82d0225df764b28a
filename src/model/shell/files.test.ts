import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyString } from '../../../test/any-string.ts'
import { shellFiles } from './files.ts'

const CWD = '/p'
const HOME = '/home/u'
const reads = (command: string) => shellFiles(command, CWD, HOME).reads.paths
const writes = (command: string) => shellFiles(command, CWD, HOME).writes.paths

describe('a command reads', () => {
  test.each<[command: string, paths: readonly string[]]>([
    ['cat a.md', ['/p/a.md']],
    ['/bin/cat ./a.md ../b.md /c.md', ['/p/a.md', '/b.md', '/c.md']],
    ['cat -n -- -a.md', ['/p/-a.md']],
    ['cat', []],
    ['cat -', []],
    [`cat 'a b.md' "c d.md" e\\ f.md`, ['/p/a b.md', '/p/c d.md', '/p/e f.md']],
    [`c'a't "a"'.'md`, ['/p/a.md']],
    ['head -5 a.md', ['/p/a.md']],
    ['head -n 5 a.md', ['/p/a.md']],
    ['head -n5 a.md', ['/p/a.md']],
    ['tail -n +3 a.md', ['/p/a.md']],
    ['tail +3 a.md', ['/p/a.md']],
    ['less a.md; more b.md', ['/p/a.md', '/p/b.md']],
    ['bat -l md a.md', ['/p/a.md']],
    [`sed -n '1,5p' a.md`, ['/p/a.md']],
    ['sed -n -e 1p -e 2p a.md b.md', ['/p/a.md', '/p/b.md']],
    [`sed -i 's/a/b/' a.md`, []],
    [`awk -F: '{print $1}' a.md`, ['/p/a.md']],
    ['grep -n pattern a.md', ['/p/a.md']],
    ['grep -A 3 -e one -e two a.md', ['/p/a.md']],
    ['grep "$unknown" a.md', ['/p/a.md']],
    ['grep -rn pattern src', ['/p/src']],
    ['grep -r pattern', ['/p']],
    ['grep pattern', []],
    ['rg pattern', ['/p']],
    ['git log | rg pattern', []],
    ['jq .name package.json', ['/p/package.json']],
    ['cp a.md b.md /tmp/', ['/p/a.md', '/p/b.md']],
    ['dd if=a.md of=b.md', ['/p/a.md']],
    ['wc -l < a.md', ['/p/a.md']],
    ['< a.md cat', ['/p/a.md']],
    ['echo "$(cat a.md)"', ['/p/a.md']],
    ['echo `cat a.md`', ['/p/a.md']],
    ['echo $(<a.md)', ['/p/a.md']],
    ['diff <(cat a.md) <(sort b.md)', ['/p/a.md', '/p/b.md']],
    ['echo "$(echo "$(cat a.md)")"', ['/p/a.md']],
    [
      'true && cat a.md || cat b.md; cat c.md & cat d.md\ncat e.md',
      'abcde'.split('').map((x) => `/p/${x}.md`),
    ],
    ['cat a.md | head -3 | grep x', ['/p/a.md']],
    ['cd sub && cat a.md', ['/p/sub/a.md']],
    ['(cd sub; cat a.md); cat a.md', ['/p/sub/a.md', '/p/a.md']],
    ['cd; cat a.md', ['/home/u/a.md']],
    ['cd - && cat a.md /b.md', ['/b.md']],
    ['cat ~/a.md $HOME/b.md "${HOME}/c.md"', ['/home/u/a.md', '/home/u/b.md', '/home/u/c.md']],
    ['cat "~/a.md"', ['/p/~/a.md']],
    ['cat "$PWD/a.md" $(pwd)/b.md', ['/p/a.md', '/p/b.md']],
    ['f=a.md; cat "$f"', ['/p/a.md']],
    ['f="a.md b.md"; cat $f', ['/p/a.md', '/p/b.md']],
    ['cat $unknown/a.md ${x:-y} $1', []],
    ['for f in a.md b.md; do cat "sub/$f"; done', ['/p/sub/a.md', '/p/sub/b.md']],
    ['if [ -f a.md ]; then cat a.md; fi', ['/p/a.md']],
    ['while read -r line; do echo "$line"; done < a.md', ['/p/a.md']],
    ['cat steps/*.md', ['/p/steps/*.md']],
    ['cat steps/{01,02}.md s{1..3}.md', ['/p/steps/01.md', '/p/steps/02.md', '/p/s*.md']],
    ['sudo -u root cat a.md', ['/p/a.md']],
    ['timeout 5 env A=1 nice -n 3 cat a.md', ['/p/a.md']],
    ['A=1 cat a.md', ['/p/a.md']],
    ['echo x | xargs -n 1 cat a.md', ['/p/a.md', '/p/x']],
    [`bash -lc 'cd sub && cat a.md'`, ['/p/sub/a.md']],
    ['eval "cat a.md"', ['/p/a.md']],
    ['find steps -name "*.md" -exec cat {} +', ['/p/steps/**/*.md']],
    ['find steps -name "*.md"', []],
    ['cat > out.md <<EOF\ncat a.md\nEOF\ncat b.md', ['/p/b.md']],
    ['cat <<EOF\n$(cat a.md)\nEOF', ['/p/a.md']],
    [`cat <<'EOF'\n$(cat a.md)\nEOF`, []],
    ['cat <<-EOF\n\tx\n\tEOF\ncat b.md', ['/p/b.md']],
    ['cat <<< a.md', []],
    ['cat a.md 2>/dev/null >b.md 2>&1 &>c.md', ['/p/a.md']],
    ['echo hi # cat a.md', []],
    ['cat a#b.md', ['/p/a#b.md']],
    ['cat \\\n  a.md', ['/p/a.md']],
    [`cat $'a\\'b.md'`, [`/p/a'b.md`]],
    ['[[ a < b ]] && (( i < n )) && echo $((x < y))', []],
    ["grep '[[' x; cat < a.md", ['/p/x', '/p/a.md']],
    ['echo "cat a.md"', []],
    ['git add a.md && rm b.md && ls c', []],
    ['touch a.md', []],
    ['echo a.md b.md | xargs cat', ['/p/a.md', '/p/b.md']],
    ['printf "%s\\n" a.md | xargs -n1 cat', ['/p/a.md']],
    [`echo a.md | xargs -I{} sh -c 'cat {}'`, ['/p/a.md']],
    ['echo a.md | xargs -I% head sub/%', ['/p/sub/a.md']],
    ['ls steps | xargs cat', ['/p/*']],
    ['ls steps/*.md | head -1 | xargs cat', ['/p/steps/*.md']],
    ['cd steps && cat $(ls)', ['/p/steps/*']],
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
    [`sh -c 'cat "$1" "$2"' _ a.md b.md`, ['/p/a.md', '/p/b.md']],
    [`bash -c 'for f in "$@"; do cat "$f"; done' _ a.md b.md`, ['/p/a.md', '/p/b.md']],
    ['bash <<EOF\ncat a.md\nEOF', ['/p/a.md']],
    [`sh -s <<'EOF'\ncat a.md\nEOF\ncat b.md`, ['/p/a.md', '/p/b.md']],
    ['cat <<EOF | bash\ncat a.md\nEOF', ['/p/a.md']],
    ['echo "cat a.md" | bash', ['/p/a.md']],
    ['bash script.sh <<EOF\ncat a.md\nEOF', []],
    ['cat $(cd sub && pwd)/a.md', ['/p/sub/a.md']],
    ['pushd sub; cat a.md; popd; cat b.md', ['/p/sub/a.md']],
    ['case x in x) cat a.md;; esac', ['/p/a.md']],
    ['cp -r skill /tmp/', ['/p/skill']],
    ['Get-Content -Path a.md', ['/p/a.md']],
    ['cat $(printf a.md)', ['/p/a.md']],
    [`cat $(printf '%s/%s.md' sub a) "$(printf 'b\\x2emd')"`, ['/p/sub/a.md', '/p/b.md']],
    [`cat $'\\x2e/a.md' $'b\\056md' $'c\\u002emd'`, ['/p/a.md', '/p/b.md', '/p/c.md']],
    ['export F=a.md; cat $F', ['/p/a.md']],
    ['declare -x F=a.md G="b.md"; cat "$F" "$G"', ['/p/a.md', '/p/b.md']],
    ['export "F=a.md"; cat $F', ['/p/a.md']],
    ['F=sub/; F+=a.md; cat $F', ['/p/sub/a.md']],
    ['F=(a.md b.md); cat "${F[@]}"', ['/p/a.md', '/p/b.md']],
    ['F=a.md; cat "${F:-b.md}"', ['/p/a.md']],
    [`F=a.md sh -c 'cat $F'`, ['/p/a.md']],
    ['printf -v F %s a.md; cat $F', ['/p/a.md']],
    ['set -- a.md; cat "$1"', ['/p/a.md']],
    ['read F <<< a.md; cat $F', ['/p/a.md']],
    ['if x; then F=a.md; else F=b.md; fi; cat $F', ['/p/a.md', '/p/b.md']],
    ['x && F=a.md || F=b.md; cat $F', ['/p/a.md', '/p/b.md']],
    ['c=cat; $c a.md', ['/p/a.md']],
    ['c=; $c cat a.md', ['/p/a.md']],
    ['cat $(true; echo a.md)', ['/p/a.md']],
    ['cat `echo a.md`', ['/p/a.md']],
    [`cat $(echo -e 'a\\x2emd')`, ['/p/a.md']],
    ['cat sub/{a,{b,c}}.md', ['/p/sub/a.md', '/p/sub/b.md', '/p/sub/c.md']],
    ['cat sub/?(a|b).md', ['/p/sub/*.md']],
    ['xargs cat <<EOF\na.md b.md\nEOF', ['/p/a.md', '/p/b.md']],
    [`while read f; do cat "$f"; done <<'EOF'\na.md\nb c.md\nEOF`, ['/p/a.md', '/p/b c.md']],
    ['f=a.md; bash <<EOF\ncat $f\nEOF', ['/p/a.md']],
    ['find sub -name a.md | (cd x; xargs cat)', ['/p/x/sub/**/a.md']],
    ['echo ${x:-$(cat a.md)} $(( $(wc -l < b.md) )) ', ['/p/a.md', '/p/b.md']],
    ['[[ -n $(cat a.md) ]] && (( $(cat b.md) > 1 ))', ['/p/a.md', '/p/b.md']],
    ['A=$(cat a.md) make', ['/p/a.md']],
    ['cd sub | cat a.md', ['/p/a.md']],
    ['f() { F=a.md; }; f; cat $F', ['/p/a.md']],
    ['coproc cat a.md', ['/p/a.md']],
    ['select x in a; do cat a.md; done', ['/p/a.md']],
    ['for ((i = 0; i < 3; i++)); do cat a.md; done', ['/p/a.md']],
    ['! time cat a.md', ['/p/a.md']],
    ['echo cat a.md | sh', ['/p/a.md']],
    ['echo cat a.md | sudo bash -s', ['/p/a.md']],
    ['echo cat a.md | tee /dev/null | sh', ['/p/a.md']],
    ['echo -n cat a.md | sh', ['/p/a.md']],
    ["printf '%s\\n' 'cat a.md' 'cat b.md' | sh", ['/p/a.md', '/p/b.md']],
    ['echo $x a.md | xargs cat', ['/p/a.md']],
    ['a[$(cat a.md)]=1', ['/p/a.md']],
    ["cat $(printf '%-1s' a.md)", ['/p/a.md']],
    ["printf '%5s' a.md | xargs cat", ['/p/a.md']],
    ["cat $(printf '%.100s' a.md)", ['/p/a.md']],
    ['declare -A m=([b]=a.md [c]=b.md); cat "${m[b]}"', ['/p/a.md']],
    ['IFS=, read -ra a <<< "x,a.md"; cat ${a[1]}', ['/p/x', '/p/a.md']],
    ['IFS=: read a b <<< "x:a.md"; cat $b', ['/p/a.md']],
    ['f=a.md; if true; then f=b.md; cat $f; fi', ['/p/b.md']],
    ['f=a.md; if true; then f=b.md; fi; cat $f', ['/p/a.md', '/p/b.md']],
    ['f=a.md; if x; then f=b.md; elif y; then cat $f; fi', ['/p/a.md']],
    ['f=a.md; case x in a) f=b.md;; b) cat $f;; esac', ['/p/a.md']],
    ['f=a.md; true && { f=b.md; cat $f; }', ['/p/b.md']],
    ['f=a.md && ls $f && f=b.md && cat $f', ['/p/b.md']],
    ['f=a.md; x && f=b.md; cat $f', ['/p/b.md', '/p/a.md']],
    ['for i in 1; do f=a.md; echo $f; f=b.md; cat $f; done', ['/p/b.md']],
    ['while x; do f=a.md; f=b.md; cat $f; done', ['/p/b.md']],
    ['a=(a.md b.md); cat "${a[0]}"', ['/p/a.md']],
    ['a=(a.md b.md); a[0]=c.md; cat "${a[0]}" "${a[1]}"', ['/p/c.md', '/p/b.md']],
    ['a=(a.md b.md); a[$i]=c.md; cat "${a[0]}"', ['/p/a.md', '/p/b.md', '/p/c.md']],
    ['a=(a.md b.md); if x; then a[0]=c.md; fi; cat "${a[0]}"', ['/p/a.md', '/p/c.md']],
    ['a=(a.md b.md); cat "${a[$i]}"', ['/p/a.md', '/p/b.md']],
    ['a=($x a.md); cat "${a[1]}"', ['/p/a.md']],
    ['m[x]=a.md; m[y]=b.md; cat "${m[y]}"', ['/p/b.md']],
    ['read a b <<< "a.md b.md"; cat $a', ['/p/a.md']],
    ['read a b <<< "a.md b.md c.md"; cat $b', ['/p/b.md', '/p/c.md']],
    ['read -p name f <<< a.md; cat $f', ['/p/a.md']],
    ['mapfile -t f < <(ls); mapfile -t g <<< "a.md"; cat "${g[@]}"', ['/p/a.md']],
    ['cat sub/@(a).md', ['/p/sub/a.md']],
    ['cat sub/@(a|b).md', ['/p/sub/a.md', '/p/sub/b.md']],
    ['cat sub/!(a|b).md', []],
    ['function show { cat a.md; }; echo hi', []],
    ['show() { cat a.md; }; show', ['/p/a.md']],
    ['function show { cat a.md; }; echo "$(show)"', ['/p/a.md']],
    ['if x; then f() { cat a.md; }; else f() { cat b.md; }; fi; f', ['/p/a.md', '/p/b.md']],
    ['f() { cat a.md; }; trap f EXIT', ['/p/a.md']],
    ['set -- a.md; f() { cat $1; }; f; cat $1', ['/p/a.md']],
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
    ['for f in a.md b.md; do bash -c "cat $f"; done', ['/p/a.md', '/p/b.md']],
    [`for f in a.md b.md; do bash -c 'cat "$1"' _ "$f"; done`, ['/p/a.md', '/p/b.md']],
    ['a=(a.md b.md); cat "$(echo ${a[-1]})"', ['/p/a.md b.md', '/p/a.md', '/p/b.md']],
    ['echo a.md | xargs cat 3<<< b.md', ['/p/a.md']],
    ['echo a.md | xargs cat 3< b.md', ['/p/b.md', '/p/a.md']],
    ['echo a.md | while read f; do cat $f; done 3< b.md', ['/p/b.md', '/p/a.md']],
    ['echo a.md | xargs cat 4<&- {fd}< b.md', ['/p/b.md', '/p/a.md']],
    ['echo a.md | xargs cat <&0', ['/p/a.md']],
    ['echo [$(cat a.md)]', ['/p/a.md']],
    ['x=ab; cat [$x]c.md', ['/p/?c.md']],
    ['case x in a) f=a.md ;& b) cat $f;; esac', ['/p/a.md']],
    ['case x in a) f=a.md ;;& *) cat $f;; esac', ['/p/a.md']],
    ['f=a.md; g() { local f=b.md; }; g; cat $f', ['/p/a.md']],
    ['f=a.md; g() { declare f=b.md; cat $f; }; g; cat $f', ['/p/b.md', '/p/a.md']],
    ['f=a.md; g() { local f; f=b.md; }; g; cat $f', ['/p/a.md']],
    ['f=a.md; g() { declare -g f=b.md; }; g; cat $f', ['/p/b.md']],
    ['set -- a.md b.md c.md; shift; cat $1; shift 1; cat $1', ['/p/b.md', '/p/c.md']],
    ['x=; cat ${x:-a.md}', ['/p/a.md']],
    ['x=b.md; unset x; cat ${x:-a.md}', ['/p/a.md']],
    ['read -d: f <<< a.md:b.md; cat $f', ['/p/a.md', '/p/b.md']],
    ['mapfile -d, f <<< a.md,b.md; cat "${f[0]}"', ['/p/a.md', '/p/b.md']],
    ['a=(a.md b.md); i=0; a[i]=c.md; cat ${a[0]}', ['/p/a.md', '/p/b.md', '/p/c.md']],
    ['a=(a.md b.md); a[0+1]=c.md; cat ${a[1]}', ['/p/a.md', '/p/b.md', '/p/c.md']],
    ['a=(a.md b.md); a[-1]=c.md; cat ${a[1]}', ['/p/a.md', '/p/b.md', '/p/c.md']],
    [`cat "$(echo a.md b.md | cut -d' ' -f2)"`, ['/p/a.md b.md', '/p/a.md', '/p/b.md']],
    [`echo a.md b.md | awk '{print $2}' | xargs -I{} cat {}`, ['/p/a.md b.md', '/p/a.md', '/p/b.md']],
    [`eval cat sub/{'a',"b"}.md`, ['/p/sub/a.md', '/p/sub/b.md']],
    ['cat sub/{\\a,b}.md', ['/p/sub/a.md', '/p/sub/b.md']],
    [`IFS=$'\\n'; for f in $(find "a b" -name c.md); do cat "$f"; done`, ['/p/a b/**/c.md']],
    ['IFS=,; f=a.md,b.md; cat $f', ['/p/a.md', '/p/b.md']],
    ['find "a b" -print0 | xargs -r0 cat', ['/p/a b/**/*']],
    ['find "a b" -print0 | xargs -0n1 cat', ['/p/a b/**/*']],
    ['cat $(date > /dev/null; echo a.md)', ['/p/a.md']],
    ['f() { cat a.md; }; if x; then c=g; else c=f; fi; $c', ['/p/a.md']],
    ['f=a.md; unset -f f; cat $f', ['/p/a.md']],
    ['a=(a.md b.md); a=c.md; cat ${a[1]}', ['/p/b.md']],
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
    ['cd nowhere || true; cat a.md', ['/p/nowhere/a.md', '/p/a.md']],
    ['[ -d x ] && cd x; cat a.md', ['/p/x/a.md', '/p/a.md']],
    ['if x; then cd sub; fi; cat a.md', ['/p/a.md', '/p/sub/a.md']],
    ['cd x && ls; cat a.md', ['/p/x/a.md']],
    [`cat 'unclosed`, ['/p/unclosed']],
    ['cat "$(cat a.md', ['/p/a.md']],
    ['', []],
  ])('%s', (command, paths) => {
    expect(reads(command)).toEqual(paths)
  })
})

/** Thirty kilobytes. */
const CODE = 'function a() { return { b: [1] } }\n'.repeat(900)

describe('a command writes', () => {
  test.each<[command: string, paths: readonly string[]]>([
    ['echo x > a', ['/p/a']],
    ['echo x >> sub/a 2>b', ['/p/sub/a', '/p/b']],
    ['echo x>|a', ['/p/a']],
    ['make &> log; make &>>log2', ['/p/log', '/p/log2']],
    ['make >& log', ['/p/log']],
    ['make > /dev/null 2>&1 3>&-', ['/dev/null']],
    ['> a', ['/p/a']],
    ["grep '[[' a > b; echo x > c", ['/p/b', '/p/c']],
    ['if ! [[ $a > $b && $c > $d ]]; then echo x > a; fi', ['/p/a']],
    ['cat > a.md <<EOF\nx > y\nEOF', ['/p/a.md']],
    ['{ echo x; echo y; } > a', ['/p/a']],
    ['for f in a b; do echo x > "sub/$f"; done', ['/p/sub/a', '/p/sub/b']],
    ['(cd sub && echo x > a); echo y > b', ['/p/sub/a', '/p/b']],
    ['echo "$(echo x > a)"', ['/p/a']],
    [`bash -c 'echo x > a'`, ['/p/a']],
    ['make | tee -a log sub/log2 | tail', ['/p/log', '/p/sub/log2']],
    ['make > >(tee log) 2> >(cat)', ['/p/log']],
    [`sed -i 's/a/b/' a b`, ['/p/a', '/p/b']],
    [`sed -i.bak -e 's/a/b/' a`, ['/p/a']],
    [`sed --in-place=.bak s/a/b/ a`, ['/p/a']],
    [`sed 's/a/b/' a`, []],
    [`perl -pi -e 's/a/b/' a b`, ['/p/a', '/p/b']],
    [`perl -i.bak -pe 's/a/b/' a`, ['/p/a']],
    [`perl -ne 'print' a`, []],
    ['cp a b sub', ['/p/sub']],
    ['cp -r -t sub a b', ['/p/sub']],
    ['cp --target-directory=sub a b', ['/p/sub']],
    ['cp -tsub a', ['/p/sub']],
    ['mv a b', ['/p/a', '/p/b']],
    ['mv -t sub a', ['/p/a', '/p/sub']],
    ['ln -sf ../a b', ['/p/b']],
    ['install -m 755 a bin/a', ['/p/bin/a']],
    ['rm -rf a "b c" -- -d', ['/p/a', '/p/b c', '/p/-d']],
    ['rmdir a; unlink b', ['/p/a', '/p/b']],
    ['touch -d yesterday a', ['/p/a']],
    ['mkdir -p -m 700 a/b ~/c', ['/p/a/b', '/home/u/c']],
    ['truncate -s 0 a', ['/p/a']],
    ['dd if=a of=b bs=1k', ['/p/b']],
    ['patch a < a.diff', ['/p/a']],
    ['sudo -u root rm a', ['/p/a']],
    ['find sub -name "*.o" -delete', ['/p/sub/**/*.o']],
    ['find sub -name "*.o" -exec rm {} +', ['/p/sub/**/*.o']],
    ['ls *.o | xargs rm -f', ['/p/*.o']],
    ['rm src/*.ts', ['/p/src/*.ts']],
    ['mkdir -p a/{b/{c,d},e}', ['/p/a/b/c', '/p/a/b/d', '/p/a/e']],
    ['echo x > 1', ['/p/1']],
    ['[[ a > b && c > d ]] && echo x > e', ['/p/e']],
    ['if [[ $n > 5 ]]; then echo x > a; fi', ['/p/a']],
    ['(( a > b )) && echo $(( c > d ))', []],
    ['echo "a > b" # > c', []],
    [`node -e 'const f = (x) => x' && awk '$1 > 2' a`, []],
    ['echo touch src/a.ts | sh', ['/p/src/a.ts']],
    ['function make_it { touch a; }; echo hi', []],
    ['function make_it { touch a; }; make_it', ['/p/a']],
    ['o=src/a; if true; then o=b; echo y > $o; fi', ['/p/b']],
    ['o=src/a && ls $o && o=b && echo y > $o', ['/p/b']],
    ['cat < a; wc -l <<< b', []],
    ['git status; npm test; ls; cd a; cat b', []],
  ])('%s', (command, paths) => {
    expect(shellFiles(command, CWD, HOME).writes).toEqual({ paths, isUnresolved: false })
  })

  test.each<[what: string, command: string, paths: readonly string[]]>([
    [
      'code',
      `cat > a.ts <<'EOF' && echo x > b\n${'if (x) { y = {} }\n'.repeat(9000)}EOF`,
      ['/p/a.ts', '/p/b'],
    ],
    [
      'several',
      `cat > a <<'E'\n${'{'.repeat(9000)}\nE\ncat > b <<\\F\n${'{'.repeat(9000)}\nF\n`,
      ['/p/a', '/p/b'],
    ],
    [
      'a script beside another',
      `cat > a <<"E"\n${'{'.repeat(9000)}\nE\nbash <<'F'\necho x > b\nF`,
      ['/p/a', '/p/b'],
    ],
    ['code that is not quoted', `cat > a.ts <<EOF && echo x > b\n${CODE}EOF`, ['/p/a.ts', '/p/b']],
    ['an indented end', `cat > a <<-EOF\n${CODE}\tEOF\necho x > b`, ['/p/a', '/p/b']],
    [
      'two of one line',
      `cat > a <<'E' && cat > b <<F\n${CODE}E\n${CODE}F\necho x > c`,
      ['/p/a', '/p/b', '/p/c'],
    ],
    ['Windows line ends', `cat > a <<'E'\r\n${CODE.replaceAll('\n', '\r\n')}E\r\n`, ['/p/a']],
    ['in a function', `f() {\ncat > a <<'E'\n${CODE}E\n}\nf; echo x > b`, ['/p/a', '/p/b']],
    ['with a short one', `cat > a <<'E'; cat <<< x\n${CODE}E\necho x > b`, ['/p/a', '/p/b']],
    ['a quoted text', `echo '${CODE}' > a`, ['/p/a']],
    ['a text in double quotes', `echo "${CODE} it's" > a`, ['/p/a']],
    ['a text with a variable', `x=1; echo "$x ${CODE} $(date) ${CODE}" > a`, ['/p/a']],
    ['a comment', `echo x > a # ${'{'.repeat(9000)}`, ['/p/a']],
  ])('long here-documents: %s', (_, command, paths) => {
    expect(shellFiles(command, CWD, HOME).writes).toEqual({ paths, isUnresolved: false })
  })

  test.each(['echo x > $f', 'rm "$1"', 'cd $x && touch a', 'patch -p1 < a.diff', 'git ls-files | xargs rm'])(
    'what only running it would tell: %s',
    (command) => {
      expect(shellFiles(command, CWD, HOME).writes).toEqual({ paths: [], isUnresolved: true })
    },
  )

  test('without a current folder, only absolute paths are known', () => {
    expect(shellFiles('touch a /b', undefined).writes).toEqual({ paths: ['/b'], isUnresolved: true })
  })
})

describe('a command reads files that are known only at run time', () => {
  test.each([
    'cat $f',
    'cat "$1"',
    'cat ${x:-a.md}',
    'cat "$(git ls-files)"',
    'cd $x && cat a.md',
    'f() { cat "$1"; }; f a.md',
    'git ls-files | xargs cat',
    'wc -l < "$f"',
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

const PIECES =
  'cat head cd for in do done if then fi case esac eval bash xargs find -exec read ls echo printf %s export set -- -c {} < > << <<- <<< <( ( ) (( )) [[ ]] $( $(( $[ ` \' " $\' $" \\ $ ${ :- [@] { } , .. | & ; ;; # ~ * ! = f() coproc a.md f= F=( $f EOF'.split(
    ' ',
  )

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

/** Processor time, because other programs share the machine. */
function costOf(command: string, runs: number): number {
  const before = process.cpuUsage()
  for (let run = 0; run < runs; run++) shellFiles(command, CWD, HOME)
  return process.cpuUsage(before).user
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
      { numRuns: 30 },
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
