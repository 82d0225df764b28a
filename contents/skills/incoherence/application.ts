import { dispatch, forbidden, step } from 'holdfast/workflow'

const APPLICATION = 'APPLICATION'

/** The last part: the decisions become changes. */
export const application = [
  step({
    id: 'plan-dispatch',
    title: 'Plan dispatch',
    phase: APPLICATION,
    actions: [
      'Turn the decisions of {{task}}/incoherence-{{effort}}.md into changes. An issue with the decision to leave it gets the status LEFT; one without a decision stays OPEN.',
      'Write {{task}}/changes-{{effort}}.md with the parts A, B and C. No file occurs in two parts; a part may be empty. Each change has the id of its issue, the path, what stands there (quoted), what shall stand there, and the check that shows it (a command, or a search for the old words).',
      'For each issue, search the whole scope for its statement, and add a change for each further place.',
      'Write for an agent that sees only its part. A change of code names the function, the behavior before and after, and the test.',
      'The command that ends this step says whether there is a change (--set changes).',
      '',
      'Done when: each decision has its changes or a status, and each quotation was copied from its file in this step.',
    ],
    decides: [
      { when: { changes: 'some' }, outcome: 'ok' },
      { when: { changes: 'none' }, outcome: 'none' },
    ],
    next: { ok: 'reconcile-dispatch', none: 'present-report' },
  }),
  step({
    id: 'reconcile-dispatch',
    title: 'Reconcile dispatch',
    phase: APPLICATION,
    actions: [
      'Three developer sub-agents apply the changes, one for each part. Do not edit the files yourself.',
      '',
      'Done when: the step has ended. It waits for all three, and ends once one has failed; then wait until the others have stopped too.',
    ],
    dispatch: dispatch('developer', {
      workflow: 'reconcile',
      vars: { changes: '{{task}}/changes-{{effort}}.md', run: '{{effort}}' },
      each: ['A', 'B', 'C'].map((id) => ({ id, title: `Part ${id}`, task: `The changes of part ${id}` })),
      returns: ['applied'],
    }),
    // Nothing changes before the user has decided.
    writes: ['**', '.*', '.*/**'],
    next: { ok: 'reconcile-collect', fail: 'reconcile-collect' },
  }),
  step({
    id: 'reconcile-collect',
    title: 'Reconcile collect',
    phase: APPLICATION,
    actions: [
      'Read all that exist of {{task}}/applied-{{effort}}-A.md, -B.md and -C.md, then `git diff`. Believe the diff.',
      'For each change of {{task}}/changes-{{effort}}.md, open the place and compare it with what shall stand there. Search for the old words once more.',
      'Write the status of each issue into {{task}}/incoherence-{{effort}}.md: RESOLVED with the places, or OPEN with what is left and why. Take the contradictions that the sub-agents noticed as new issues with the status OPEN.',
      'If the diff has a change that no part asked for, show it to the user; do not take it back yourself.',
      forbidden('Making a change that a part left out'),
      'Done when: each issue has a status, and each RESOLVED has a place that you opened in this step.',
    ],
    next: 'present-report',
  }),
  step({
    id: 'present-report',
    title: 'Present report',
    phase: APPLICATION,
    actions: [
      'Complete {{task}}/incoherence-{{effort}}.md; if it does not exist, write it with these parts: a title with the scope, the line of numbers (issues, resolved, left, open), a section for each issue with its decision and status, "Not contradictions" and "Not searched". The last one has the dimensions that were not chosen, the sources that were not compared, and the sub-agents that failed.',
      'Tell the user in at most 15 lines: the numbers, each resolved issue with its place, each open one with what is missing, what was not searched, and the path of the report. Say that nothing is committed.',
      '',
      'Done when: the numbers in the report are those of its sections, and the user has all five points.',
    ],
    next: null,
  }),
] as const
