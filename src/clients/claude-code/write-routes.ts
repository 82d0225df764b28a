import type { Route } from '../../model/coverage.ts'
import { shell, tools } from './route.ts'

/** Every known way to write a file in Claude Code, with our claim; a test checks each. */
export const writes: readonly Route[] = [
  tools('a client tool that writes a file', 'enforced', [
    ['Write', ({ file }) => ({ file_path: file, content: 'x' })],
    ['Edit', ({ file }) => ({ file_path: file, old_string: 'a', new_string: 'b' })],
    ['NotebookEdit', ({ file }) => ({ notebook_path: file, new_source: 'x' })],
  ]),
  tools('a file tool of an MCP server', 'enforced', [
    ['mcp__filesystem__write_file', ({ file }) => ({ path: file, content: 'x' })],
  ]),
  tools('a shell of an MCP server', 'enforced', [
    ['mcp__desktop__start_process', ({ file }) => ({ command: `echo x > ${file}` })],
  ]),
  shell('a redirection', 'enforced', [
    'echo x > FILE',
    'echo x >> RELATIVE',
    'make &> FILE',
    'make 2>FILE',
    `cat > FILE <<'END'\nx\nEND`,
    'cd FOLDER && echo x >| NAME',
    '{ echo x; echo y; } > FILE',
    'echo "$(echo x > FILE)"',
    `bash -c 'echo x > FILE'`,
    'echo touch FILE | sh',
    'for f in NAME; do echo x > "FOLDER/$f"; done',
    'echo x > FILE && holdfast log done',
  ]),
  shell('a program whose arguments name what it writes', 'enforced', [
    'echo x | tee -a FILE',
    `sed -i 's/a/b/' FILE`,
    `perl -pi -e 's/a/b/' FILE`,
    'cp package.json FILE',
    'cp package.json FOLDER/',
    'mv FILE elsewhere.txt',
    'mv -t FOLDER package.json',
    'ln -s ../x FILE',
    'install -m 644 package.json FILE',
    'rm -f FILE',
    'rm FOLDER/*',
    'touch FILE',
    'mkdir -p FOLDER/new',
    'truncate -s 0 FILE',
    'dd if=/dev/zero of=FILE count=1',
    'patch FILE < change.diff',
    'sudo rm FILE',
    'find FOLDER -type f -delete',
    'find FOLDER -name NAME -exec rm {} +',
    'ls FOLDER/* | xargs rm',
  ]),
  shell(
    'a path that is known only when the command runs',
    'observed',
    ['echo x > "$OUT"', 'cd "$WHERE" && touch NAME', 'git ls-files | xargs rm', 'patch -p1 < change.diff'],
    { why: 'only the shell knows the value of the variable' },
  ),
  shell(
    'a program that opens files itself',
    'unseen',
    [
      `python3 -c "open('FILE', 'w').write('x')"`,
      `node -e "fs.writeFileSync('FILE', 'x')"`,
      `awk '{ print > "FILE" }' package.json`,
      'git checkout -- FILE',
      'git apply change.diff',
      'tar xf archive.tar -C FOLDER',
      'curl -o FILE https://example.org',
      'rsync -a other/ FOLDER/',
      'make',
      './generate.sh',
    ],
    { why: 'the command does not show what they write' },
  ),
  shell('a path outside the project', 'unseen', ['echo x > /elsewhere/out.txt', 'make > /dev/null 2>&1'], {
    why: 'nothing is enforced there',
  }),
  shell('a holdfast command', 'unseen', ['holdfast status > FILE'], {
    why: 'commands that unblock an agent must always work',
  }),
]
