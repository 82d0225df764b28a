import { forbidden, param, step, workflow } from 'holdfast/workflow'

/** What each of the sub-agents of the last round does: it applies one part of what the user decided. */
export const reconcile = workflow(
  'reconcile',
  [
    step({
      id: 'reconcile-apply',
      title: 'Reconcile apply',
      actions: [
        'Your changes are part {{id}} of {{changes}}. If the part is empty, end this step.',
        '',
        'For each change, in order:',
        '1. Open the file. If the quoted text is not there, skip the change and note what is there instead.',
        '2. Change it as the part says, in the tone and form of the text around it. A document says what is so, not that it was changed.',
        '3. Search the file for the old statement in other words, and correct these places too.',
        '4. Run the check that the part names. If it fails because of the change, take the change back and note the output.',
        forbidden(
          'Changing a file that the part does not name',
          'Deciding anew who is right, or improving what you pass',
          'Committing',
        ),
        'Done when: each change of the part is done or skipped with a reason, and each check has run after the last edit.',
      ],
      next: 'reconcile-format',
    }),
    step({
      id: 'reconcile-format',
      title: 'Reconcile format',
      actions: [
        'Write a new file {{task}}/applied-{{run}}-{{id}}.md, with a line for each change: the id of the issue, DONE with path:line or SKIPPED with the reason.',
        'Below: each check with its command, its exit code and the last line of its output, and each contradiction that you noticed and did not touch.',
        'An empty part has the single line "No changes.".',
        'The command that ends this step takes the path (--set applied). Your last message is that path and the numbers of DONE and SKIPPED.',
        '',
        'Done when: the file has a line for each change of the part, and `git diff --stat` names only files of the part for your work.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Applies one part of what the user decided.',
    format: 'text',
    params: {
      id: param.text({ required: true, description: 'The letter of the part.' }),
      changes: param.text({ required: true, description: 'The path of the planned changes.' }),
      run: param.text({ required: true, description: 'The number of the effort that waits for it.' }),
    },
    state: { applied: param.text({ required: true, description: 'The path of the result.' }) },
  },
)
