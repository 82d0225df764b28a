import { join } from 'node:path'
import { classes } from '../routes/classes.ts'
import { SKILL } from './locked.ts'

/** More than this makes a story slow without trying anything else. */
const LONGEST = 4000

/** The commands of test/routes for the last step of a locked project. */
export function generatedRoutes(project: string): readonly string[] {
  const filled = (text: string): string =>
    text
      .replaceAll('SKILL_REL', SKILL)
      .replaceAll('STEP', join(project, SKILL, 'steps/do.md'))
      .replaceAll('REL', join(SKILL, 'steps/do.md'))
      .replaceAll('DIR', join(project, SKILL, 'steps'))
      .replaceAll('SKILL', join(project, SKILL))
      .replaceAll('NAME', 'do.md')
      .replaceAll('OUT', join(project, 'out'))
  return classes()
    .flatMap(({ ways }) => ways)
    .map(({ before = ':', command }) => filled(`${before}\n${command}`))
    .filter((command) => command.length <= LONGEST)
}

const STEP = `${SKILL}/steps/do.md`
const READ = `open('.claude/skills/flow/st'+'eps/do.md').read()`

/** Ways that only a sandbox can close: no text of theirs shows what they read. */
export const HIDDEN_ROUTES: readonly string[] = [
  `python3 -c "print(${READ})"`,
  `python3 - <<'E'\nimport pathlib\nfor p in pathlib.Path('.').rglob('*'):\n  if p.is_file() and p.suffix == '.md': print(p.read_text())\nE`,
  `echo "print(${READ})" > reads.py; python3 reads.py`,
  `node -e "console.log(require('fs').readFileSync('.claude/skills/flow/st'+'eps/do.md','utf8'))"`,
  `perl -e 'open F, ".claude/skills/flow/st"."eps/do.md"; print <F>'`,
  `awk 'BEGIN { f=".claude/skills/flow/st" "eps/do.md"; while ((getline l < f) > 0) print l }'`,
  `printf 'all:\\n\\tcat ${STEP}\\n' > Makefile; make`,
  `echo 'cat .claude/skills/flow/st*/do.md' > s.sh; sh s.sh`,
  `echo '{"scripts":{"x":"cat ${STEP}"}}' > package.json; npm run -s x`,
  `a=.claude/skills; b=flow; for d in $a/$b/*; do for f in $d/*; do cat "$f"; done; done`,
  `find . -type f -name '*.md' -exec cat {} +`,
  `grep -rh . .claude`,
  `tar cf - .claude | tar xOf -`,
  `cp -r .claude out-copy; cat out-copy/skills/flow/steps/*`,
  `cp -al .claude out-hard; cat out-hard/skills/flow/steps/*`,
  `ln ${STEP} hard; cat hard`,
  `ln -s .claude/skills/flow/steps soft; cat soft/do.md`,
  `ln -s "$PWD/.claude" deep; cat deep/skills/flow/steps/do.md`,
  `mv .claude moved; cat moved/skills/flow/steps/do.md`,
  `mv .claude/skills/flow .claude/skills/gone; cat .claude/skills/gone/steps/do.md`,
  `cat moved/skills/flow/steps/do.md .claude/skills/gone/steps/do.md`,
  `zip -qr out.zip .claude; unzip -p out.zip`,
  `git init -q again; cp -r .claude again; git -C again add -A; git -C again diff --cached`,
  `git hash-object -w ${STEP} | xargs git cat-file -p`,
  `git diff --no-index /dev/null ${STEP}`,
  `git grep --no-index -h . -- ${SKILL}`,
  `git add -f ${STEP}; git show :${STEP}`,
  `git stash -a; git stash show -p --include-untracked`,
  `git archive --add-file=${STEP} HEAD | tar xOf -`,
  `cat /proc/1/root$PWD/${STEP}`,
  `for p in /proc/[0-9]*; do cat $p/root$PWD/${STEP}; cat $p/cwd/${STEP}; done`,
  `ls -la /proc/*/fd 2>/dev/null; cat /proc/self/fd/* < /dev/null`,
  `cat /proc/self/cwd/${STEP}`,
  `unshare -rm sh -c 'umount ${SKILL}/steps; cat ${STEP}'`,
  `unshare -r cat ${STEP}`,
  `umount ${SKILL}/steps; umount -l ${SKILL}/steps; cat ${STEP}`,
  `mkdir -p m; mount --bind / m; cat m$PWD/${STEP}`,
  `mkdir -p m; mount --rbind .. m; cat m/project/${STEP}`,
  `bwrap --dev-bind / / cat ${STEP}`,
  `bwrap --bind / / --bind .claude m cat m/skills/flow/steps/do.md`,
  `nsenter -t 1 -m cat $PWD/${STEP}`,
  `chroot / cat $PWD/${STEP}`,
  `mknod disk b 254 0; strings disk | grep 'Do what do'`,
  `strings /dev/vda /dev/sda /dev/nvme0n1 | grep -m1 'Do what do says'`,
  `debugfs -R "cat $PWD/${STEP}" /dev/vda`,
  `exec 3< ${STEP}; cat <&3`,
  `cat < ${STEP}`,
  `read -r -d '' t < ${STEP}; echo "$t"`,
  `mapfile -t t < ${STEP}; printf '%s\\n' "\${t[@]}"`,
  `. ${STEP}`,
  `bash ${STEP}`,
  `sed '' ${STEP} | rev | rev`,
  `curl -s file://$PWD/${STEP}`,
  `python3 -m http.server 8123 & sleep 0.3; curl -s http://127.0.0.1:8123/${STEP}; kill $!`,
  `sqlite3 :memory: "select readfile('${STEP}')"`,
  `vim -es -c '%p' -c 'q!' ${STEP}`,
  `openssl base64 -in ${STEP} | openssl base64 -d`,
  `gcc -E -x c - <<'E'\n#include "${STEP}"\nE`,
  `env F=${STEP} sh -c 'cat "$F"'`,
  `nohup sh -c 'sleep 0.2; cat ${STEP}' > late.txt 2>&1 & sleep 0.6; cat late.txt`,
  `setsid sh -c 'cat ${STEP} > detached.txt'; sleep 0.2; cat detached.txt`,
  `(sleep 0.1; cat ${STEP} > behind.txt) & disown; sleep 0.4; cat behind.txt`,
  `at now <<< 'cat ${STEP} > at.txt'; echo 'cat ${STEP}' | batch`,
  `systemd-run --user --pipe cat ${STEP}`,
  `docker run --rm -v /:/h alpine cat /h$PWD/${STEP}`,
  `sudo -n cat ${STEP}`,
  `su -c 'cat ${STEP}'`,
  `cat "$HOLDFAST_HOME"/engine.db* | strings | grep 'Do what do'`,
]
