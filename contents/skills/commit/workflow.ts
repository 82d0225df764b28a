import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

const look = [
  step({
    id: 'look',
    title: 'Look at the changes',
    actions: [
      'What to commit: {{scope}}',
      '',
      'Run `git status --porcelain`, `git diff HEAD`, and read each new file. Sort the changes:',
      '- those that belong to this work, in groups that could each be taken back alone; usually that is one group',
      '- those that do not: changes of somebody else, notes, output of programs, credentials, large files',
      'If a file holds a credential or a personal path, tell the user, and leave the file out.',
      'The command that ends this step says whether there is something to commit (--set tree).',
      '',
      'Done when: each line of `git status --porcelain` is in a group or in the second list, and you read all of them.',
    ],
    decides: [
      { when: { tree: 'changed' }, outcome: 'ok' },
      { when: { tree: 'clean' }, outcome: 'clean' },
    ],
    next: { ok: 'check', clean: 'status' },
  }),
  step({
    id: 'check',
    title: 'Run the checks',
    actions: [
      'Run the checks of the project, as its guide or its configuration names them: format, types, linter, tests. If it has none, say so in your answer at the end.',
      'If the project has a session file, run `holdfast todo check --stage` too. It gives new tasks their tokens and finds names that are used twice.',
      'A check counts only if it ran after the last change.',
      'The command that ends this step says how they ended (--set checks).',
      '',
      'Done when: each check has ended, and you have read the end of its output.',
    ],
    limit: 3,
    onLimit: 'ask',
    decides: [
      { when: { checks: 'passed' }, outcome: 'ok' },
      { when: { checks: 'failed' }, outcome: 'failed' },
    ],
    next: { ok: 'commit', failed: 'fix' },
  }),
  step({
    id: 'fix',
    title: 'Fix what the change broke',
    actions: [
      'Find out whether each failure was there before: read what it names, and compare with `git diff HEAD`. Do not take the changes of the tree away for that.',
      'Fix what this work broke, with the smallest change. Leave what failed before, and write it down for the user.',
      forbidden(
        'Weakening, skipping or deleting a test',
        'Silencing a warning',
        'Turning off a check or a hook of git',
      ),
      'Done when: you know the cause of each failure, and each one of this work is fixed.',
    ],
    next: 'check',
  }),
  step({
    id: 'ask',
    title: 'Ask the user',
    actions: [
      'The checks have failed three times. Tell the user which ones, with the lines that decide, and what you tried.',
      'Ask whether to commit it as work in progress, with the failure in the message, or to stop here. Then end your turn.',
      'The command that ends this step takes the answer (--set answer).',
      '',
      'Done when: the user has answered.',
    ],
    decides: [
      { when: { answer: 'stop' }, outcome: 'stop' },
      { when: { answer: 'work-in-progress' }, outcome: 'ok' },
    ],
    next: { ok: 'commit', stop: 'status' },
  }),
] as const

const commit = [
  step({
    id: 'commit',
    title: 'Commit',
    actions: [
      'For each group: name its files in `git add`, look at `git diff --cached --stat`, then commit. Follow the guide of the project for messages, else the last ten subjects of `git log`, else this form:',
      resource('message-format', 'The form of the message'),
      forbidden(
        '`git add -A`, `git add .` and `git commit -a`',
        '`--no-verify`',
        'Changing a commit that was pushed',
        'A claim in the message that the diff does not show',
      ),
      'If a hook of git changes or refuses something, read what it says, correct the cause, and commit again.',
      '',
      'Done when: `git show --stat HEAD` names exactly the files of the last group, and `git status --porcelain` shows nothing but the second list.',
    ],
    next: 'status',
  }),
  step({
    id: 'status',
    title: 'Show where the work stands',
    actions: [
      'Tell the user: the commits with their subjects (or that there was nothing to commit, or why you stopped), the checks that ran, and the files that you left out with the reason.',
      'Then show, word for word, what `holdfast handoff` prints: the next task with its command, what is pending, and the plans. Do not begin anything.',
      '',
      'Done when: the user has seen all of it.',
    ],
    next: null,
  }),
] as const

export default workflow('commit', [...look, ...commit], {
  description: 'Commits finished work after the checks have passed, with an honest message.',
  activate: 'first',
  params: { scope: param.text({ default: 'all of it', description: 'What to commit.' }) },
  state: {
    tree: param.choice(['changed', 'clean'], { description: 'Whether there is something to commit.' }),
    checks: param.choice(['passed', 'failed'], { description: 'How the checks of the project ended.' }),
    answer: param.choice(['work-in-progress', 'stop'], { description: 'What the user decided.' }),
  },
})
