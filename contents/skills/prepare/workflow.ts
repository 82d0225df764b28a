import { forbidden, param, resource, step, workflow } from 'holdfast/workflow'

export default workflow(
  'prepare',
  [
    step({
      id: 'read',
      title: 'Read the findings',
      actions: [
        'Plan from: {{source}}',
        '',
        'If that names a file, read it in full; otherwise read {{task}}/research.md, if it is there.',
        'If there are no findings, read the guides of the project, the code that will change and its tests now; the plan needs their paths and lines.',
        'If a decision is open that only the user can take, ask all such decisions in one message, each with the answer that you suggest, and end your turn.',
        '',
        'Done when: you can name what the user will see when it works, each file that changes, and the commands that check the project; and each open decision has an answer of the user.',
      ],
      next: 'plan',
    }),
    step({
      id: 'plan',
      title: 'Write the plan',
      actions: [
        'Write {{task}}/plan.md. If it is there, keep the tasks that are done and their numbers. Its form:',
        resource('plan-format', 'The form of the plan'),
        'Put first what everything else needs, and the test that shows a behavior before the code that makes it pass. A phase ends where somebody can try the result. At most 20 tasks; if it needs more, plan the first part that is useful alone, and say so in the first line below the title.',
        forbidden('Changing any file but plan.md', 'A task whose check is to look at the code'),
        'Done when: `grep -c "^- \\[ \\] T" {{task}}/plan.md` counts your tasks, and each has Files, Change and Check.',
      ],
      next: 'probe',
    }),
    step({
      id: 'probe',
      title: 'Probe the plan',
      actions: [
        'Read {{task}}/plan.md as somebody who has not read the findings, and ask of each task:',
        '- Does each file exist, or does the task say that it is new? Run `ls` for them.',
        '- Does its check exist, or an earlier task make it? Run each check that can run now, and note what it shows today.',
        '- Could it be done without asking anything? Each name that it uses is written out there or in code that it names with path:line.',
        '- Which observation of "Done when" does it serve? One that no task serves is a missing task.',
        'Correct what you find. The command that ends this step says whether you found a fault (--set plan). After a fault this step comes again, three times at most.',
        '',
        'Done when: each task was asked all four questions in this round, and each fault is corrected in the file.',
      ],
      limit: 3,
      onLimit: 'tell',
      decides: [
        { when: { plan: 'sound' }, outcome: 'ok' },
        { when: { plan: 'faulty' }, outcome: 'again' },
      ],
      next: { ok: 'tell', again: 'probe' },
    }),
    step({
      id: 'tell',
      title: 'Tell the user',
      // The plan is the base of all changes, so none comes before it.
      writes: ['**', '!**/plan.md'],
      actions: [
        'Show the user the phases with their tasks, one line each, and the path {{task}}/plan.md. Change no file.',
        'Unless Holdfast names what comes next, name it: /implement {{task}}/plan.md',
        '',
        'Done when: the user has both.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Turns findings into phases and tasks, each with the command that checks it.',
    activate: 'first',
    format: 'text',
    params: {
      source: param.text({
        default: 'the findings of this task',
        description: 'The path of the findings, or what the user wants.',
      }),
    },
    state: { plan: param.choice(['sound', 'faulty'], { description: 'Whether the plan had a fault.' }) },
  },
)
