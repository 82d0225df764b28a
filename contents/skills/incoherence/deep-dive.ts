import { factoredVerification, forbidden, param, step, workflow } from 'holdfast/workflow'

/** What each of the sub-agents of the second round does: it tries to refute a group of candidates. */
export const deepDive = workflow(
  'deep-dive',
  [
    step({
      id: 'deep-dive',
      title: 'Deep-dive',
      actions: [
        'Your candidates are group {{id}} of {{candidates}}. If the group is empty, end this step.',
        '',
        factoredVerification(),
        'For each candidate:',
        '1. Open both places. Write what each says, for whom and under which condition, without the words of the candidate.',
        '2. Find a third source that shows what holds today: code that runs, a test, the output of a command, the history (`git log -S "WORDS"`).',
        '3. Look for a reading in which both statements are true at the same time for the same reader.',
        '4. Give the verdict:',
        '- CONTRADICTION: there is no such reading',
        '- AMBIGUITY: one statement can be read in two ways, and one of them contradicts the other statement',
        '- GAP: one side is silent about something that its reader needs, and the other side decides it',
        '- NONE: there is such a reading, and a reader would find it',
        forbidden(
          'Changing a file of the project',
          'A verdict other than NONE without a third source or the words "no third source"',
        ),
        'Done when: each candidate of the group has a verdict, and what holds today has path:line or an output.',
      ],
      next: 'format-results',
    }),
    step({
      id: 'format-results',
      title: 'Format results',
      actions: [
        'Write a new file {{task}}/verdicts-{{run}}-{{id}}.md, with a section for each candidate by its id:',
        '- the verdict',
        '- A and B: place and quotation, as they stand now',
        '- Holds today: A, B, neither or unknown, with the place or output that shows it',
        '- Reading: for NONE, in which both are true; for AMBIGUITY, the two readings',
        '- Harm: who does something wrong because of it, and what it costs them',
        '- Options: what would have to change if A is right, and if B is right, with all places that state it',
        'An empty group has the single line "No candidates.".',
        'The command that ends this step takes the path (--set verdicts). Your last message is that path and the number of each verdict.',
        '',
        'Done when: the file has a section for each candidate of the group, with all six points.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Tries to refute a group of candidates.',
    format: 'text',
    params: {
      id: param.text({ required: true, description: 'The letter of the group.' }),
      candidates: param.text({ required: true, description: 'The path of the candidates.' }),
      run: param.text({ required: true, description: 'The number of the effort that waits for it.' }),
    },
    state: { verdicts: param.text({ required: true, description: 'The path of the verdicts.' }) },
  },
)
