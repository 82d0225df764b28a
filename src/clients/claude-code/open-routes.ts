import type { Route } from '../../model/coverage.ts'
import { filled, shell, tools } from './route.ts'

const namesOf = (length: number): readonly string[] => Array.from({ length }, (_, at) => `none-${at}.md`)

/** Commands at each limit, with their short forms. */
const LIMITS: readonly (readonly [example: string, command: string])[] = [
  ['cat {64-OTHERS,FILE}', `cat {${namesOf(64).join(',')},FILE}`],
  ['for f in 64-OTHERS FILE; do cat "$f"; done', `for f in ${namesOf(64).join(' ')} FILE; do cat "$f"; done`],
  ['eval 30-EVALS cat FILE', `${'eval '.repeat(35)}cat FILE`],
  ['cat FILE # 131072-CHARACTERS', `cat FILE # ${'x'.repeat(140_000)}`],
]

/** Ways to read a step that Holdfast does not refuse at every level. */
export const openReads: readonly Route[] = [
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
    [
      'cat "$STEP"',
      'cat "${STEP:-x}"',
      'cd "$WHERE" && cat NAME',
      'cat $(git ls-files | tail -1)',
      'grep -rl TODO . | xargs cat',
    ],
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
      `echo "print(open('FILE').read())" > show.py; python3 show.py`,
      `git for-each-ref --format='cat FILE' | sh`,
    ],
    {
      strict: 'refused',
      why: 'a program can do anything with a path; some programs are known to show no text, such as wc, ls and git add',
    },
  ),
  tools(
    'an unknown tool of an MCP server that is given the step',
    'observed',
    [
      ['mcp__papers__convert', ({ file }) => ({ input: file })],
      ['mcp__papers__read', ({ file }) => ({ target: file })],
      ['mcp__papers__summarize', ({ relative }) => ({ documents: [{ name: relative }] })],
      ['mcp__sqlite__query', ({ file }) => ({ sql: `select readfile('${file}')` })],
      ['mcp__notes__eval', ({ file }) => ({ content: `open('${file}').read()` })],
      ['ReadMcpResourceTool', ({ file }) => ({ server: 'notes', uri: `notes://${file}` })],
    ],
    { strict: 'refused', why: 'it can do anything with a path; fields of prose do not count' },
  ),
  tools(
    'a client tool that runs code or a prompt with the step',
    'observed',
    [
      ['REPL', ({ file }) => ({ code: `print(open('${file}').read())` })],
      ['Workflow', ({ file }) => ({ script: `await agent('read ${file}')` })],
      ['LSP', ({ file }) => ({ operation: 'hover', filePath: file, line: 1, character: 1 })],
      ['CronCreate', ({ relative }) => ({ cron: '7 * * * *', prompt: `look at @${relative}` })],
      ['ScheduleWakeup', ({ file }) => ({ delaySeconds: 60, prompt: `@${file}` })],
      ['SendMessage', ({ file }) => ({ to: 'helper', message: `Read ${file} and do it.` })],
    ],
    { strict: 'refused', why: 'what comes of it raises no event that names the step' },
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
  {
    what: 'a command or a call with more files than Holdfast looks at',
    claim: 'observed',
    examples: ['cat 2000-OTHERS FILE', 'mcp__filesystem__read_multiple_files'],
    why: 'after 2000 names, and after 200 files that exist, Holdfast stops looking',
    payloads: ({ file }) => [
      { tool_name: 'Bash', tool_input: { command: `cat ${namesOf(2000).join(' ')} ${file}` } },
      { tool_name: 'mcp__filesystem__read_multiple_files', tool_input: { paths: [...namesOf(2000), file] } },
    ],
  },
  shell(
    'a copy of a folder with many skills, and a move',
    'observed',
    [
      'cp -r . /elsewhere',
      'tar czf /elsewhere/a.tgz SKILLS',
      'git bundle create /elsewhere/all --all',
      'mv FILE /elsewhere/x.txt',
    ],
    { why: 'it is how people make backups and move files; the copy can be read freely' },
  ),
  shell(
    'a script or another program',
    'unseen',
    ['./show-steps.sh', 'make show', 'npm run show', 'some-program "$STEP"'],
    {
      why: 'the command does not show what they read',
    },
  ),
  shell(
    'a search through the whole project or its history',
    'unseen',
    ['grep -rn TODO .', 'rg TODO', 'git log -p', 'git diff HEAD~1'],
    { why: 'it targets the code, and refusing it would block normal work' },
  ),
  shell(
    'what was copied, moved or packed before, or a link that only a search finds',
    'unseen',
    [
      'cat /elsewhere/do.txt',
      'tar xOf /elsewhere/a.tgz',
      'git cat-file -p 8f3c2a1',
      'find links -type l -exec cat {} +',
    ],
    { why: 'Holdfast keeps no list of copies, and does not follow a search into folders' },
  ),
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
]
