import { forbidden, param, step, workflow } from 'holdfast/workflow'

const work = [
  step({
    id: 'find',
    title: 'Find the plan',
    actions: [
      'The plan: {{plan}}',
      '',
      'The first of these that is a file with a line that begins with "- [ ]" or "- [x]" is the plan:',
      '- the path that is named above',
      '- {{task}}/plan.md',
      '- the newest plan.md of `ls -t .holdfast/tasks/*/plan.md` that has a line "- [ ]"',
      'Read it in full, with the findings that it names. Compare its ticked tasks with `git status` and `git log`: untick one that is not in the tree.',
      'The command that ends this step takes its path (--set file), or the word none.',
      '',
      'Done when: you have the path of the plan and the number of its first open task, or none of the three places has one.',
    ],
    decides: [{ when: { file: 'none' }, outcome: 'none' }, { outcome: 'ok' }],
    next: { ok: 'task', none: 'tell' },
  }),
  step({
    id: 'task',
    title: 'Do the next task',
    actions: [
      'The plan: {{file}}',
      'Take the first task that is open ("- [ ]") and whose tasks behind "After" are done. If none is open, end this step at once, with --set tasks=none-left.',
      'Read its files, make its change, and run its check. Read the end of the output. Only if it shows what the task says, change "- [ ]" to "- [x]" in the plan.',
      'If the check fails, find the cause and correct it. The same cause twice, or three different ones: stop, and end this step with --set tasks=stuck.',
      'If the plan is wrong or lacks something, correct the text of the task first. A fault that you find elsewhere becomes a new task at the end of the plan.',
      forbidden(
        'Ticking a task whose check did not pass in this step',
        'Weakening, skipping or deleting a test',
        'git commit, git stash, git checkout and git reset',
        'Work on a second task',
      ),
      'The command that ends this step says what is left (--set tasks). This step comes once for each task, 40 times at most.',
      '',
      'Done when: the plan shows the task as done and its check has passed after your last change, or you can name the cause that stops you.',
    ],
    limit: 40,
    onLimit: 'ask',
    decides: [
      { when: { tasks: 'none-left' }, outcome: 'ok' },
      { when: { tasks: 'next' }, outcome: 'next' },
      { when: { tasks: 'stuck' }, outcome: 'stuck' },
    ],
    next: { ok: 'checks', next: 'task', stuck: 'ask' },
  }),
] as const

const end = [
  step({
    id: 'checks',
    title: 'Run the checks of the project',
    actions: [
      'The plan: {{file}}',
      'Run the checks that the plan names, else those of the guide or the configuration of the project: types, linter, all tests. Write their output into checks.log beside the plan, so that its last line is the exit code. With CHECKS for the commands, joined by "&&", and FOLDER for the folder of the plan:',
      '`( CHECKS ) >FOLDER/checks.log 2>&1; echo "exit $?" >>FOLDER/checks.log; tail -n 20 FOLDER/checks.log`',
      'If the project has no checks, run those of the tasks this way.',
      'The command that ends this step says how they ended (--set checks).',
      '',
      'Done when: the last line of checks.log is "exit 0" or another exit code, and no file of the change is newer than checks.log.',
    ],
    limit: 3,
    onLimit: 'ask',
    decides: [
      { when: { checks: 'passed' }, outcome: 'ok' },
      { when: { checks: 'failed' }, outcome: 'failed' },
    ],
    next: { ok: 'tell', failed: 'fix' },
  }),
  step({
    id: 'fix',
    title: 'Fix what the change broke',
    actions: [
      'Read checks.log beside the plan {{file}}. Find the cause of each failure, and whether it was there before: read the code that it names, and compare with `git diff HEAD`.',
      'Fix what this work broke, with the smallest change. What failed before becomes a line "Known: ..." at the end of the plan.',
      forbidden('Weakening, skipping or deleting a test', 'Silencing a warning', 'Turning off a check'),
      'Done when: you know the cause of each failure, and each one of this work is fixed.',
    ],
    next: 'checks',
  }),
  step({
    id: 'ask',
    title: 'Ask the user',
    actions: [
      'The work is stuck: {{file}}. Tell the user which task or check, the lines of output that decide, the causes that you found, and what you tried.',
      'Ask: try again, with what the user says (again), or stop here, with the task open (stop). Then end your turn.',
      'The command that ends this step takes the answer (--set answer).',
      '',
      'Done when: the user has answered.',
    ],
    limit: 3,
    onLimit: 'tell',
    decides: [
      { when: { answer: 'stop' }, outcome: 'stop' },
      { when: { answer: 'again' }, outcome: 'ok' },
    ],
    next: { ok: 'task', stop: 'tell' },
  }),
  step({
    id: 'tell',
    title: 'Tell the user',
    actions: [
      'Tell the user in at most eight lines: the tasks that are done, those that are open and why, what the checks showed, and what differs from the plan. If there was no plan, say so, and name /explore and /prepare.',
      'Unless Holdfast names what comes next, name it: /commit, or /implement again if a task is open.',
      '',
      'Done when: the user has these points, and they agree with the plan on the disk.',
    ],
    next: null,
  }),
] as const

export default workflow('implement', [...work, ...end], {
  description: 'Carries out a plan task by task, with the check of each.',
  activate: 'first',
  format: 'text',
  params: {
    plan: param.text({
      default: 'that of this task',
      description: 'The path of the plan, or the words of the call.',
    }),
  },
  state: {
    file: param.text({ description: 'The path of the plan, or none.' }),
    tasks: param.choice(['none-left', 'next', 'stuck'], { description: 'What is left of the plan.' }),
    checks: param.choice(['passed', 'failed'], { description: 'How the checks of the project ended.' }),
    answer: param.choice(['again', 'stop'], { description: 'What the user decided.' }),
  },
})
