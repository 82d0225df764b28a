import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

const AUDIT = 'AUDIT'
const UPDATE = 'UPDATE'
const VERIFICATION = 'VERIFICATION'

/** Where the audit is kept, so that a new session can go on with it. */
const FILE = '{{task}}/doc-sync-{{effort}}.md'

const audit = [
  step({
    id: 'audit',
    title: 'List folders and index files',
    phase: AUDIT,
    actions: [
      'What to bring in step: {{scope}}',
      '',
      'An index file is a CLAUDE.md, AGENTS.md or README.md that says what a folder holds. Find out:',
      '- the folders below the scope: `git ls-files -co --exclude-standard -- "{{scope}}" | sed "s|[^/]*$||" | sort | uniq -c`; the one without a name is the root. Leave out generated, vendored and fixture folders, and say which.',
      '- their index files: `git ls-files -co --exclude-standard -- "{{scope}}" | grep -E "(^|/)(CLAUDE|AGENTS|README)[.]md$"`, and for each `ls -l`: one that is a link or only includes another file is never edited, its target is.',
      '- the rules of the project for them: what the index in the root says about indexes, and their form in two folders.',
      `Write ${FILE} with a table, the deepest folder first: folder, files, index files, last commit of the index (\`git log -1 --format="%h %cs" -- INDEX\`), last commit of its folder.`,
      'The command that ends this step says whether the scope has an index file at all (--set indexes).',
      '',
      'Done when: each folder below the scope is in the table, or in the list of those that you left out.',
    ],
    decides: [
      { when: { indexes: 'some' }, outcome: 'ok' },
      { when: { indexes: 'none' }, outcome: 'none' },
    ],
    next: { ok: 'compare', none: 'create' },
  }),
  step({
    id: 'create',
    title: 'Ask whether to create indexes',
    phase: AUDIT,
    actions: [
      'No folder of the scope has an index file. Show the user the folders with more than five files, and suggest which of them get one and under which name: the one that the client reads (CLAUDE.md for Claude Code, AGENTS.md for most others). Then end your turn.',
      `Write the answer into ${FILE}. The command that ends this step takes it (--set create).`,
      '',
      'Done when: the user has named the folders and the file name, or has said no.',
    ],
    decides: [
      { when: { create: 'yes' }, outcome: 'ok' },
      { when: { create: 'no' }, outcome: 'stop' },
    ],
    next: { ok: 'compare', stop: 'report' },
  }),
  step({
    id: 'compare',
    title: 'Compare indexes with the code',
    phase: AUDIT,
    actions: [
      `Take the next folders of ${FILE} without a result, at most ten, the deepest first. For each, open its index and list its entries with \`git ls-files -co --exclude-standard\`. Compare in both directions and write a line for each difference, D1, D2 ...:`,
      '- GONE: the index names a path, command or name that is not there (`ls`, or the command with its output)',
      '- MISSING: an entry that an agent would look for has no line',
      '- WRONG: the line says what the file does not hold. Read the file first, write what it holds, then compare',
      '- STALE: a count, date, version, or a text about a change',
      '- MISPLACED: an explanation in an index, or an entry of a subfolder that has its own index',
      '- NO INDEX: a folder with more than five files whose neighbors have one',
      'Each line has: id, kind, path:line, a quotation, and the evidence (command and output, or path:line of the code). A folder without a difference gets "in step".',
      forbidden('Judging a line by the name of the file', 'Changing an index in this step'),
      'The command that ends this step says whether folders are left (--set folders). If so, this step comes again.',
      '',
      'Done when: each folder of this round has a result, and each difference has evidence of this step.',
    ],
    limit: 20,
    onLimit: 'decide',
    decides: [
      { when: { folders: 'left' }, outcome: 'iterate' },
      { when: { folders: 'none-left' }, outcome: 'ok' },
    ],
    next: { ok: 'decide', iterate: 'compare' },
  }),
] as const

const update = [
  step({
    id: 'decide',
    title: 'Decide what changes',
    phase: UPDATE,
    actions: [
      `Give each difference of ${FILE} one decision: edit, add, remove, move to README, create, or leave (with the reason). Folders that have no result yet are listed as "not compared".`,
      'These need the user: text that states a rule or a reason and would be removed; a WRONG line where the code may be what is wrong; a new file.',
      'Folders and a name that the user has just confirmed need no second question.',
      "The command that ends this step says what follows (--set work): none if nothing is to change, ask if a decision is the user's, else clear.",
      '',
      "Done when: each difference has a decision, and each one of the user's is marked ASK.",
    ],
    decides: [
      { when: { work: 'none' }, outcome: 'none' },
      { when: { work: 'ask' }, outcome: 'ask' },
      { when: { work: 'clear' }, outcome: 'ok' },
    ],
    next: { ok: 'update', ask: 'ask', none: 'report' },
  }),
  step({
    id: 'ask',
    title: 'Ask the user',
    phase: UPDATE,
    actions: [
      'Ask everything that is marked ASK in one message: the line as it is, what the code shows, the decision that you suggest. Then end your turn.',
      '',
      `Done when: each ASK in ${FILE} has the answer of the user, in their words.`,
    ],
    next: 'update',
  }),
  step({
    id: 'update',
    title: 'Update the index files',
    phase: UPDATE,
    actions: [
      `If a verification has found differences, they stand at the end of ${FILE}: change these and nothing else.`,
      '',
      'Carry out the decisions, the deepest folder first, so that the line in the folder above can be checked against the index below it. Keep the form that the project has. Where it has none:',
      resource('index-format', 'The form of an index'),
      forbidden(
        'Changing a file that is no index file',
        'Writing about a file that you have not opened',
        'Rewording lines that are true',
        'Committing',
      ),
      `Done when: each decision in ${FILE} is marked done with path:line, and \`git status --porcelain\` names only index files besides what was changed before.`,
    ],
    limit: 3,
    onLimit: 'report',
    next: 'verify',
  }),
] as const

const verification = [
  step({
    id: 'verify',
    title: 'Verify with commands',
    phase: VERIFICATION,
    actions: [
      'Check the files as they are now, not your memory of them. For each index file that was changed:',
      '1. Paths: print each code span that is no file, seen from the folder of the index or from the root. In the root of the project:',
      '```sh',
      'for f in INDEX_FILES; do grep -oE \'`[^` ]+`\' "$f" | tr -d \'`\' | sort -u | while read -r p; do ls -d -- "$(dirname "$f")"/$p >/dev/null 2>&1 || ls -d -- $p >/dev/null 2>&1 || echo "$f: $p"; done; done',
      '```',
      '   Explain each line that it prints (a command, a name in the code), or it is a difference.',
      '2. Entries: compare the entries of the folder with the lines. Each entry has a line, shares one, or was left out by a decision.',
      '3. Truth: take every line that was written in this effort. Open the file, and quote what makes the line true.',
      '4. Commands: run each one that an index tells, if it changes nothing; else name the file that defines it.',
      '5. Scope: `git status --porcelain` names no new change but index files, and `git diff` of them has no line without a decision.',
      `Write the output of 1, 2 and 5, and the quotations of 3, at the end of ${FILE}.`,
      'The command that ends this step takes the result (--set result): differences if one is left that you can correct, else in-step.',
      '',
      'Done when: all five checks have their output in the file, and each line of the first is explained.',
    ],
    decides: [
      { when: { result: 'in-step' }, outcome: 'ok' },
      { when: { result: 'differences' }, outcome: 'again' },
    ],
    next: { ok: 'report', again: 'update' },
  }),
  step({
    id: 'report',
    title: 'Report',
    phase: VERIFICATION,
    actions: [
      'Tell the user in at most fifteen lines:',
      '- folders looked at, left out, and not compared; differences by kind, found and corrected',
      '- the index files that were changed or created, and that they are not committed',
      '- what is left, with the reason: answers of the user, code that seems to be wrong, differences that a third round left',
      `- what is on disk: these files, and the audit ${FILE} with the evidence`,
      '',
      `Done when: the numbers are those of ${FILE}, and each difference is corrected or named as left.`,
    ],
    next: null,
  }),
] as const

export default workflow('doc-sync', [...audit, ...update, ...verification], {
  description: 'Brings index files in step with the code: audit, comparison, update, verification.',
  activate: 'first',
  format: 'text',
  params: { scope: param.text({ default: '.', description: 'The folder to bring in step.' }) },
  state: {
    indexes: param.choice(['some', 'none'], { description: 'Whether the scope has an index file.' }),
    create: param.choice(['yes', 'no'], { description: 'Whether the user wants new indexes.' }),
    folders: param.choice(['none-left', 'left'], { description: 'Whether folders are left to compare.' }),
    work: param.choice(['none', 'ask', 'clear'], { description: 'What the differences ask for.' }),
    result: param.choice(['in-step', 'differences'], { description: 'What the verification showed.' }),
  },
})
