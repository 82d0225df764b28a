import { describe, expect, test } from 'vitest'
import { CWD, HOME } from './files.contract.ts'
import { shellFiles } from './files.ts'

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
    ['cp a b sub', ['/p/sub', '/p/sub/a', '/p/sub/b']],
    ['cp -r -t sub a b', ['/p/sub', '/p/sub/a', '/p/sub/b']],
    ['cp --target-directory=sub a b', ['/p/sub', '/p/sub/a', '/p/sub/b']],
    ['cp -tsub a', ['/p/sub', '/p/sub/a']],
    ['cp -r new/.holdfast .', ['/p', '/p/.holdfast']],
    [`cp "$f" *.md . sub/`, ['/p/sub']],
    ['mv a b', ['/p/a', '/p/b', '/p/b/a']],
    ['mv -t sub a', ['/p/a', '/p/sub', '/p/sub/a']],
    ['ln -sf ../a b', ['/p/b', '/p/b/a']],
    ['install -m 755 a bin/a', ['/p/bin/a', '/p/bin/a/a']],
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
