import { forbidden, resource, step } from 'holdfast/workflow'

/** How a case is run, in every line of the work. */
export const RUN =
  'To run a case, use the command that the project has for it. If there is none, start a fresh sub-agent whose prompt is the prompt with the case filled in, and nothing else; never answer a case yourself. Append each answer, word for word, to {{task}}/answers-{{effort}}.md, under the number of the case and "before", "after" or the name of the trial.'

/** The last steps of every line: a proposal, the agreement of the user, the edits and the report. */
export const tail = <const Line extends string>(line: Line, phase: string, propose: readonly string[]) =>
  [...proposal(line, phase, propose), ...edits(line, phase)] as const

const proposal = <const Line extends string>(line: Line, phase: string, propose: readonly string[]) =>
  [
    step({
      id: `${line}-propose`,
      title: 'Propose the changes',
      phase,
      actions: [
        ...propose,
        RUN,
        'Write the proposal to {{task}}/proposal-{{effort}}.md in this form; after a round with the user, change it as the user said, and raise the number of the round:',
        resource('proposal-format', 'The form of the proposal'),
        'A change that no case shows to be better is dropped, or names the risk that it removes. A case that passed before and fails now is fixed, or stands in the proposal as a risk.',
        forbidden('Changing a file of the project', 'Changing a case so that it passes'),
        'Done when: each change has all six points, and the table has both counts for every case.',
      ],
      limit: 4,
      onLimit: `${line}-report`,
      next: `${line}-agree`,
    }),
    step({
      id: `${line}-agree`,
      title: 'Ask for agreement',
      phase,
      actions: [
        'Show the user each change of {{task}}/proposal-{{effort}}.md: now, then, evidence and risk, and the two sums of the cases. Ask which of them to make, by number. Then end your turn. Do not end this step before the user has answered.',
        'Write the answer, word for word, under "Answer of the user" into the proposal, and mark each change AGREED or REFUSED. Silence, or an answer to another question, is no agreement.',
        'The command that ends this step takes the answer of the user, word for word (--proof), and what it means (--set agreement):',
        '- agreed: the user wants at least one change as it stands, and no other version of the rest',
        '- changes: the user wants something different first; the proposal comes again, four times at most',
        '- declined: the user wants none of it',
        '',
        'Done when: the answer stands in the proposal, and each change is AGREED or REFUSED, or has what the user wants instead.',
      ],
      proof: ['answer'],
      decides: [
        { when: { agreement: 'agreed' }, outcome: 'ok' },
        { when: { agreement: 'changes' }, outcome: 'changes' },
        { when: { agreement: 'declined' }, outcome: 'declined' },
      ],
      next: { ok: `${line}-apply`, changes: `${line}-propose`, declined: `${line}-report` },
    }),
  ] as const

const edits = <const Line extends string>(line: Line, phase: string) =>
  [
    step({
      id: `${line}-apply`,
      title: 'Apply what was agreed',
      phase,
      actions: [
        'Make the changes that are marked AGREED in {{task}}/proposal-{{effort}}.md, word for word, and no other.',
        'Then run each case twice with the files as they are; if only some changes were agreed, another prompt was measured before.',
        RUN,
        'If a case fails that passed in the proposal, show the user both answers before you go on.',
        forbidden('Improving a passage that the proposal does not name', 'Committing'),
        'Done when: `git diff` (or the new file) shows each AGREED change and nothing else, and the cases have run with the files as they are.',
      ],
      // Nothing changes before the user has agreed.
      writes: ['**', '.*', '.*/**'],
      next: `${line}-report`,
    }),
    step({
      id: `${line}-report`,
      title: 'Report',
      phase,
      actions: [
        'The last answer of the user: {{agreement}}. If it is not "agreed", no file has changed; say so first.',
        'Tell the user in at most 12 lines: the changes that were made with their places, the cases before and after (passed of all), each case that still fails, each change that was refused, and the paths of {{task}}/cases-{{effort}}.md and {{task}}/proposal-{{effort}}.md. Say that nothing is committed.',
        '',
        'Done when: the user has these five points, and each number is one that stands in {{task}}/answers-{{effort}}.md.',
      ],
      next: null,
    }),
  ] as const
