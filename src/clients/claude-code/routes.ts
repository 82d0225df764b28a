import type { Claim, Route, Routes, Target } from '../../model/coverage.ts'

type Options = Pick<Route, 'why' | 'whole' | 'strict'>

/** A route of shell commands; uppercase names are placeholders for the files of a step. */
export const shell = (
  what: string,
  claim: Claim,
  commands: readonly string[],
  more: Options = {},
): Route => ({
  what,
  claim,
  examples: commands,
  ...more,
  payloads: (target) =>
    commands.map((command) => ({ tool_name: 'Bash', tool_input: { command: filled(command, target) } })),
})

const filled = (text: string, { file, relative, name, steps, skills, skill }: Target): string =>
  text
    .replaceAll('FILE', file)
    .replaceAll('RELATIVE', relative)
    .replaceAll('NAME', name)
    .replaceAll('STEPS', steps)
    .replaceAll('FOLDER', steps)
    .replaceAll('SKILLS', skills)
    .replaceAll('SKILL', skill)

/** A route of other tool calls, each with its name and input. */
export const tools = (
  what: string,
  claim: Claim,
  calls: readonly (readonly [name: string, input: (target: Target) => object])[],
  more: Options = {},
): Route => ({
  what,
  claim,
  examples: calls.map(([name]) => name),
  ...more,
  payloads: (target) => calls.map(([tool_name, input]) => ({ tool_name, tool_input: input(target) })),
})

/** An event of a sub-agent, and its call of a skill. */
export const subagent: Required<Routes>['subagent'] = {
  id: 'a1',
  fields: { agent_id: 'a1', agent_type: 'helper' },
  calls: (skill) => ({ tool_name: 'Skill', tool_input: { skill } }),
}

const NAMES = Array.from({ length: 2001 }, (_, at) => `none-${at}.md`)

/** Commands at each limit, with their short forms. */
const LIMITS: readonly (readonly [example: string, command: string])[] = [
  ['cat 2000-OTHERS FILE', `cat FILE ${NAMES.join(' ')}`],
  ['cat {64-OTHERS,FILE}', `cat {${NAMES.join(',')},FILE}`],
  ['for f in 64-OTHERS FILE; do cat "$f"; done', `for f in ${NAMES.join(' ')} FILE; do cat "$f"; done`],
  ['eval 30-EVALS cat FILE', `${'eval '.repeat(35)}cat FILE`],
  ['cat FILE # 131072-CHARACTERS', `cat FILE # ${'x'.repeat(140_000)}`],
]

/** Every known way to read a step in Claude Code, with our claim; a test checks each. */
export const reads: readonly Route[] = [
  tools('a client tool that reads a file', 'enforced', [
    ['Read', ({ file }) => ({ file_path: file })],
    ['NotebookRead', ({ file }) => ({ notebook_path: file })],
  ]),
  tools(
    'a client search that shows lines of the skill',
    'enforced',
    [
      ['Grep', ({ skill }) => ({ pattern: '.', path: skill, output_mode: 'content' })],
      ['Grep', ({ name }) => ({ pattern: '.', glob: name, output_mode: 'content' })],
      ['Grep', ({ relative }) => ({ pattern: '.', glob: relative, output_mode: 'content' })],
      ['Grep', ({ name }) => ({ pattern: '.', glob: `**/steps/{x.md,${name}}`, output_mode: 'content' })],
    ],
    { whole: true },
  ),
  tools('a file tool of an MCP server', 'enforced', [
    ['mcp__filesystem__read_text_file', ({ file }) => ({ path: file })],
    ['mcp__filesystem__read_multiple_files', ({ relative }) => ({ paths: [relative] })],
    ['mcp__editor__getTextFileContents', ({ file }) => ({ files: [{ file_path: file }] })],
    ['mcp__serena__read_file', ({ relative }) => ({ relative_path: relative })],
    ['ReadMcpResourceTool', ({ file }) => ({ server: 'fs', uri: `file://${file}` })],
  ]),
  tools('a shell of an MCP server', 'enforced', [
    ['mcp__desktop__start_process', ({ file }) => ({ command: `cat ${file}` })],
    ['mcp__shell__run_command', ({ name, steps }) => ({ command: `cat ${name}`, cwd: steps })],
  ]),
  shell('a program that shows files', 'enforced', [
    'cat FILE',
    'head -n 5 FILE',
    'tail -n +1 RELATIVE',
    'less FILE',
    'more FILE',
    'bat -l md FILE',
    'nl FILE',
    `sed -n '1,20p' FILE`,
    `awk '{print $1}' FILE`,
    'grep -n . FILE',
    'rg . FILE',
    'cut -c1-80 FILE',
    'sort FILE',
    'tac FILE',
    'diff FILE /dev/null',
  ]),
  shell('quotes and escapes', 'enforced', [
    `cat 'FILE'`,
    `c'a't "FILE"`,
    `/bin/cat $'FILE'`,
    `cat $'\\x2e/RELATIVE'`,
    'cat "$PWD/RELATIVE"',
    'cat \\\n  FILE',
  ]),
  shell('pipes and redirections', 'enforced', [
    'cat FILE | head -3 | tee copy.txt',
    '< FILE sort',
    'nl < FILE 2>/dev/null',
    'while read -r line; do echo "$line"; done < FILE',
  ]),
  shell('a here-document or a here-string', 'enforced', [
    'bash <<END\ncat FILE\nEND',
    'bash <<< "cat FILE"',
    'cat <<< "$(<FILE)"',
    'xargs cat <<< FILE',
    'while read -r f; do cat "$f"; done <<< FILE',
  ]),
  shell('several commands, in other folders and in subshells', 'enforced', [
    'cd STEPS && cat NAME',
    '(cd STEPS; head NAME)',
    'false || cat FILE; true',
    'if [ -f FILE ]; then cat FILE; fi',
  ]),
  shell('a command inside another command', 'enforced', [
    'echo "$(cat FILE)"',
    'echo `cat FILE`',
    'echo "$(<FILE)"',
    'cat $(printf FILE)',
    `cat $(printf '%-1s' FILE)`,
    'a[$(cat FILE)]=1',
    'diff <(cat FILE) /dev/null',
    'cat <<END\n$(cat FILE)\nEND',
  ]),
  shell('another shell', 'enforced', [
    `bash -lc 'cat FILE'`,
    `sh -c 'cat "$1"' _ FILE`,
    'eval "cat FILE"',
    `bash <<'END'\ncat FILE\nEND`,
    'echo "cat FILE" | sh',
    'echo cat FILE | sudo bash -s',
  ]),
  shell('a program that runs another program', 'enforced', [
    'LC_ALL=C cat FILE',
    'sudo -u root cat FILE',
    'env A=1 timeout 5 nice -n 3 cat FILE',
    'echo FILE | xargs cat',
    `echo FILE | xargs -I% sh -c 'cat %'`,
  ]),
  shell('a variable that the command itself sets', 'enforced', [
    'f=FILE; cat "$f"',
    'export F=FILE; cat $F',
    'for f in NAME; do cat "STEPS/$f"; done',
    'a=(x FILE); cat "${a[1]}"',
    'read -r a b <<< "x FILE"; cat "$b"',
    'show() { cat FILE; }; show',
  ]),
  shell('files that another command finds', 'enforced', [
    'find STEPS -name NAME -exec cat {} +',
    `find . -name NAME -exec sh -c 'cat "$1"' _ {} \\;`,
    'find . -name NAME | sort | xargs cat',
    'cat $(find . -name NAME)',
    'ls STEPS/NAME | while read -r f; do cat "$f"; done',
  ]),
  shell(
    'a pattern, a loop or a search over the steps',
    'enforced',
    [
      'cat STEPS/*.md',
      'cd STEPS; cat {look,think,do}.md',
      'for f in STEPS/*; do cat "$f"; done',
      'cd STEPS; ls | xargs cat',
      'grep -rn . SKILL',
      'rg . STEPS',
      'grep -r . SKILLS',
      'find SKILL -type f | xargs cat',
    ],
    { whole: true },
  ),
  shell('a copy', 'enforced', [
    'cp FILE copy.md',
    'cp -t /elsewhere FILE',
    'rsync FILE /elsewhere/',
    'dd if=FILE of=copy.md',
    'split FILE part',
  ]),
  shell('a copy of the steps', 'enforced', ['cp -r SKILL /elsewhere', 'cp STEPS/* /elsewhere'], { whole: true }),
  shell('an archive', 'enforced', [
    'tar cf /elsewhere/a.tar FILE',
    'tar -C STEPS -cf /elsewhere/a.tar NAME',
    'gzip -c FILE',
    'zip /elsewhere/a.zip FILE',
  ]),
  shell('an archive of the steps', 'enforced', ['tar czf /elsewhere/a.tgz SKILL', 'git archive HEAD SKILL'], {
    whole: true,
  }),
  shell('a version of the step in git', 'enforced', [
    'git show HEAD:RELATIVE',
    'git -C STEPS show HEAD:./NAME',
    'git cat-file -p HEAD:RELATIVE',
    'git log -p -- RELATIVE',
    'git diff HEAD~1 -- RELATIVE',
    'git blame RELATIVE',
    'git grep -n . -- RELATIVE',
  ]),
  shell('a link to the step', 'enforced', [
    'ln -s FILE link.txt && cat link.txt',
    'ln FILE link.txt && cat link.txt',
    'ln -s STEPS folder; cat folder/NAME',
    'mv FILE other.txt; cat other.txt',
  ]),
  {
    what: 'a file that the user mentions with @',
    claim: 'advised',
    examples: ['@FILE', 'look at @RELATIVE'],
    why: 'the client attaches the file without a tool call, and Holdfast does not drop prompts for it',
    isPrompt: true,
    payloads: ({ file, relative }) => [
      { prompt: `@${file}` },
      { prompt: `look at @${relative}, then go on` },
    ],
  },
  shell(
    'a path that is known only when the command runs',
    'observed',
    ['cat "$STEP"', 'cat "${STEP:-x}"', 'cd "$WHERE" && cat NAME', 'cat $(git ls-files | tail -1)'],
    { why: 'only the shell knows the value of the variable' },
  ),
  shell(
    'a program that opens files itself and names the step',
    'observed',
    [
      `python3 -c "print(open('FILE').read())"`,
      `python3 - <<'END'\nprint(open('RELATIVE').read())\nEND`,
      `node -e "console.log(fs.readFileSync('FILE', 'utf8'))"`,
      `perl -pe '' FILE`,
      'some-program FILE',
      'some-program --file=FILE',
      'F=FILE some-program',
      'bash FILE',
      `awk 'BEGIN { while ((getline line < "FILE") > 0) print line }'`,
    ],
    {
      strict: 'refused',
      why: 'a program can do anything with a path; some programs are known to show no text, such as wc, ls and git add',
    },
  ),
  {
    what: 'a command that names the step and is more than Holdfast works out',
    claim: 'observed',
    strict: 'refused',
    examples: LIMITS.map(([example]) => example),
    why: 'each limit that is reached makes a command unresolved',
    payloads: (target) =>
      LIMITS.map(([, command]) => ({ tool_name: 'Bash', tool_input: { command: filled(command, target) } })),
  },
  shell(
    'a copy of a folder with many skills, and a move',
    'observed',
    ['cp -r . /elsewhere', 'tar czf /elsewhere/a.tgz SKILLS', 'git bundle create /elsewhere/all --all', 'mv FILE /elsewhere/x.txt'],
    { why: 'it is how people make backups and move files; the copy can be read freely' },
  ),
  shell('a script or another program', 'unseen', ['./show-steps.sh', 'make show', 'npm run show'], {
    why: 'the command does not show what they read',
  }),
  shell('a search through the whole project', 'unseen', ['grep -rn TODO .', 'rg TODO'], {
    why: 'it targets the code, and refusing it would block normal work',
  }),
  shell(
    'a search that shows only file names',
    'unseen',
    ['grep -rl TODO SKILL', 'find STEPS -name NAME', 'ls STEPS'],
    {
      why: 'it shows none of the text',
    },
  ),
  tools(
    'a client tool that shows only file names',
    'unseen',
    [
      ['Glob', ({ steps }) => ({ pattern: '*.md', path: steps })],
      ['Grep', ({ steps }) => ({ pattern: '.', path: steps })],
      ['LS', ({ steps }) => ({ path: steps })],
    ],
    { why: 'it shows none of the text' },
  ),
  tools(
    'an edit',
    'unseen',
    [
      ['Edit', ({ file }) => ({ file_path: file, old_string: 'a', new_string: 'b' })],
      ['Bash', ({ file }) => ({ command: `sed -i s/a/b/ ${file}` })],
    ],
    { why: 'authors may edit their skills' },
  ),
  tools(
    'a prompt that sends a sub-agent to a step',
    'enforced',
    [['Agent', ({ file }) => ({ prompt: `Read ${file} and do it.`, subagent_type: 'helper' })]],
    {
      whole: true,
      why: 'handing a step over starts it, and it counts once the sub-agent has stopped normally',
    },
  ),
]
