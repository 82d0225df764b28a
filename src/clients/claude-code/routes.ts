import type { Route, Routes } from '../../model/coverage.ts'
import { openReads } from './open-routes.ts'
import { shell, tools } from './route.ts'

/** An event of a sub-agent, and its call of a skill. */
export const subagent: Required<Routes>['subagent'] = {
  id: 'a1',
  fields: { agent_id: 'a1', agent_type: 'helper' },
  calls: (skill) => ({ tool_name: 'Skill', tool_input: { skill } }),
}

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
      [
        'Grep',
        ({ relative }) => ({ pattern: '.', glob: relative.replace(/^[^/]*/, '*'), output_mode: 'content' }),
      ],
    ],
    { whole: true },
  ),
  tools(
    'a file by the folder of a process',
    'enforced',
    [
      ['Read', ({ relative }) => ({ file_path: `/proc/self/cwd/${relative}` })],
      ['Read', ({ relative }) => ({ file_path: `/proc/thread-self/cwd/./${relative}` })],
      ['Read', ({ relative }) => ({ file_path: `/proc/1/task/1/cwd/${relative}` })],
      ['Read', ({ file }) => ({ file_path: `/proc/self/root${file}` })],
      ['Read', ({ relative }) => ({ file_path: `/dev/fd/5/${relative}` })],
      [
        'Grep',
        ({ relative }) => ({ pattern: '.', path: `/proc/self/cwd/${relative}`, output_mode: 'content' }),
      ],
    ],
    { whole: true },
  ),
  tools('a file that the call of a skill mentions with @', 'enforced', [
    ['Skill', ({ relative }) => ({ skill: 'other', args: `look at @${relative} first` })],
    ['Skill', ({ file }) => ({ skill: 'flow', args: `@${file}` })],
  ]),
  tools(
    'a memory file that is written and imports the step',
    'enforced',
    [
      [
        'Write',
        ({ project, file }) => ({ file_path: `${project}/sub/CLAUDE.md`, content: `See @${file}\n` }),
      ],
      [
        'Edit',
        ({ project, relative }) => ({
          file_path: `${project}/CLAUDE.local.md`,
          old_string: 'a',
          new_string: `@${relative}`,
        }),
      ],
    ],
    { whole: true, why: 'the client loads what a memory file imports, with the result of the write' },
  ),
  tools('a file tool of an MCP server', 'enforced', [
    ['mcp__filesystem__read_text_file', ({ file }) => ({ path: file })],
    ['mcp__filesystem__read_multiple_files', ({ relative }) => ({ paths: [relative] })],
    ['mcp__editor__getTextFileContents', ({ file }) => ({ files: [{ file_path: file }] })],
    ['mcp__serena__read_file', ({ relative }) => ({ relative_path: relative })],
    ['ReadMcpResourceTool', ({ file }) => ({ server: 'fs', uri: `file://${file}` })],
    ['mcp__code__find_symbol', ({ relative }) => ({ relative_path: relative, include_body: true })],
    ['mcp__files__append', ({ file }) => ({ path: 'notes.txt', file })],
  ]),
  tools('a shell of an MCP server', 'enforced', [
    ['mcp__desktop__start_process', ({ file }) => ({ command: `cat ${file}` })],
    ['mcp__shell__run_command', ({ name, steps }) => ({ command: `cat ${name}`, cwd: steps })],
    ['mcp__shell__exec', ({ file }) => ({ program: 'cat', args: [file] })],
    ['mcp__desktop__interact_with_process', ({ file }) => ({ pid: 1, input: `cat ${file}` })],
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
  shell('a copy of the steps', 'enforced', ['cp -r SKILL /elsewhere', 'cp STEPS/* /elsewhere'], {
    whole: true,
  }),
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
  tools(
    'a prompt that sends a sub-agent to a step',
    'enforced',
    [['Agent', ({ file }) => ({ prompt: `Read ${file} and do it.`, subagent_type: 'helper' })]],
    {
      whole: true,
      why: 'handing a step over starts it, and it counts once the sub-agent has stopped normally',
    },
  ),
  ...openReads,
]
