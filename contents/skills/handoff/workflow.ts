import { forbidden, param, step, workflow } from 'holdfast/workflow'

export default workflow(
  'handoff',
  [
    step({
      id: 'gather',
      title: 'Gather what happened',
      actions: [
        'Run `holdfast handoff` to see what the session file says, and `git status --porcelain` and `git log --oneline -10` to see what changed.',
        'From these and from this conversation, write down in short lines:',
        '- done: what works now that did not before, each with its evidence (a commit, a check, a file)',
        '- open: what was begun or asked for and is not done, each with where it stands and the next action',
        '- blocked: what cannot go on, with the reason and who can help',
        '- decided: what the user or you decided, with the reason',
        '- learned: what cost you time and would cost the next session time too',
        forbidden('Listing as done what no check or commit shows', 'Leaving out what failed'),
        'Done when: each request of the user in this session is in one of the lines, and each line can be understood without this conversation.',
      ],
      next: 'tasks',
    }),
    step({
      id: 'tasks',
      title: 'Bring the tasks up to date',
      actions: [
        'For each task of the session file that is done: `holdfast todo done` with its name. For one that cannot go on: `holdfast todo block` with its name.',
        'For each open line without a task: `holdfast todo add` with a name of two to six words that nobody has used. Give it the skill that begins it (`--command`), the model if it is not sonnet, and `--restart` if it needs a new session.',
        'Leave all other tasks as they are, also those that you would do differently.',
        '',
        'Done when: `holdfast todo` lists each open line exactly once, and nothing that is done.',
      ],
      next: 'write',
    }),
    step({
      id: 'write',
      title: 'Write the handoff',
      actions: [
        'Run `holdfast handoff write` with --status (one line: what works now, and what comes next), --completed (the done lines), --next (the first open task, with its next action), a --blocker for each blocked line, and a --learn for each learned line as "TITLE: TEXT", with a title of at most seven words.',
        'It replaces what the last session completed and its next steps, and keeps the rest. Run it once more if it was interrupted; that does no harm.',
        '',
        'Done when: it exits with 0, and `holdfast handoff` shows your status and the task that comes next.',
      ],
      next: 'check',
    }),
    step({
      id: 'check',
      title: 'Check the session file',
      actions: [
        'Run `holdfast todo check`. It gives each new task its token, and finds names that are used twice. Correct what it finds with `holdfast todo` commands.',
        'Then read the session file once as somebody who was not here. Would you know what to do first, and how to see that it worked? If not, run `holdfast handoff write` again with better words.',
        '',
        'Done when: the check exits with 0, and the first open task says how to begin it.',
      ],
      next: 'commit',
    }),
    step({
      id: 'commit',
      title: 'Let the commit follow',
      when: { commit: 'yes' },
      actions: [
        'The call asked for a commit. If Holdfast has not named /commit as the next skill, run: `holdfast chain push /commit`',
        '',
        'Done when: /commit is the next skill of the chain.',
      ],
      next: 'next',
    }),
    step({
      id: 'next',
      title: 'Show what comes next',
      actions: [
        'Run `holdfast handoff next --copy`. It prints the command of the next task, says whether a new session is needed and with which model, and puts the command on the clipboard. Without a clipboard or a task it exits with 1; that is no failure of the handoff.',
        'Show the user what it printed. Do not begin the task.',
        '',
        'Done when: the user has seen the next command, or that nothing is pending.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Brings the session file up to date for the next session.',
    activate: 'first',
    format: 'text',
    params: {
      commit: param.choice(['no', 'yes'], { default: 'no', description: 'Whether a commit follows.' }),
    },
  },
)
