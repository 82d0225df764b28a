import { checklist, dispatch, forbidden, param, step, workflow } from 'holdfast/workflow'
import { perspective, PERSPECTIVES } from './perspective.ts'

const PREPARATION = 'PREPARATION'
const PERSPECTIVE = 'PERSPECTIVES'
const DECISION = 'DECISION'

const preparation = [
  step({
    id: 'context',
    title: 'Context',
    phase: PREPARATION,
    actions: [
      'The problem: {{problem}}',
      '',
      'Begin a new file {{task}}/solution-{{effort}}.md. Each step adds one section to it. Section "Context":',
      '- Problem: what happens and what should happen, one sentence each, without a solution.',
      '- Cause: why it happens, with the evidence (path and line, an output, a sentence of the user).',
      '- Constraints K1, K2 ...: what a solution must respect, each with who says so or where it stands.',
      '- Concerned: who notices the problem, who would carry out a solution, who must live with it.',
      '- Tried: what was tried or decided before, and what came of it.',
      'Open the code and the documents that the problem names. If nobody knows the cause, tell the user that /problem-analysis finds it, and ask whether to go on with a guess.',
      '',
      'Done when: the section has all five points, and the cause has evidence or the words "guess, as the user agreed".',
    ],
    next: 'calibrate',
  }),
  step({
    id: 'calibrate',
    title: 'Calibrate',
    phase: PREPARATION,
    actions: [
      'Section "Criteria" of {{task}}/solution-{{effort}}.md, before there is any solution:',
      '- Size: what the problem costs as it is (time, money, errors; per week or per case), with the source of each number or the word "estimate". A solution that costs more than that is too large.',
      '- Return: how hard a wrong solution is to take back, and what stays behind.',
      '- Out: two to four conditions that rule a solution out at once.',
      '- Criteria S1 to S5: what makes one solution better than another, most important first, each with how to tell from a description which of two is better.',
      'If the user has to weigh something (cost against time, for example), ask now, in one message.',
      '',
      'Done when: all four points are there, each "Out" can be answered by yes or no, and each criterion says how to compare.',
    ],
    next: 'reflect',
  }),
  step({
    id: 'reflect',
    title: 'Reflect',
    phase: PREPARATION,
    actions: [
      'Section "Bias" of {{task}}/solution-{{effort}}.md: the solution that you think of first, why it comes to mind, and what would have to be true for it to be wrong.',
      'Then write {{task}}/brief-{{effort}}.md, which the sub-agents read instead of this conversation: problem, cause with its evidence, constraints, "Out", and the paths to open.',
      forbidden(
        'A solution, your first idea or the criteria in the brief',
        'A word in the brief that already names a technique',
      ),
      'Done when: the section has its three points, and you have read the brief once more without finding in it what you would do.',
    ],
    next: 'dispatch',
  }),
] as const

const perspectives = [
  step({
    id: 'dispatch',
    title: 'Dispatch',
    phase: PERSPECTIVE,
    actions: [
      'Seven thinker sub-agents look at {{task}}/brief-{{effort}}.md, each from its own perspective. Do not work on a solution meanwhile.',
      'The step ends with the fifth that succeeds, or with the third that fails. In both cases you go on with the reports that there are.',
      '',
      'Done when: all seven were started in one message, and the command below prints the next step.',
    ],
    dispatch: dispatch('thinker', {
      workflow: 'perspective',
      instruction: 'Each takes its own perspective and no other.',
      vars: { brief: '{{task}}/brief-{{effort}}.md', reports: '{{task}}/perspective-{{effort}}' },
      each: PERSPECTIVES,
      join: 5,
      returns: ['report'],
    }),
    next: { ok: 'aggregate', fail: 'aggregate' },
  }),
  step({
    id: 'aggregate',
    title: 'Aggregate',
    phase: PERSPECTIVE,
    actions: [
      `The reports are {{task}}/perspective-{{effort}}-NAME.md, with these names: ${PERSPECTIVES.map(({ id }) => id).join(', ')}; a result below may name another path. One that is still at work or came late counts if its file is there now.`,
      'Section "Proposals" of {{task}}/solution-{{effort}}.md, a line for each proposal: its name, its perspectives, the idea in one sentence, what it needs to be true, what it costs.',
      '- Two proposals with the same mechanism are one line with both perspectives; different words are no difference.',
      '- A proposal that meets an "Out" stays, marked with it.',
      'If a report is missing, take that perspective yourself now, in at most five lines, and mark its proposal "own".',
      forbidden('Ranking, combining or dropping proposals'),
      'Done when: each of the seven names has at least one line, and each line has all five parts.',
    ],
    next: 'synthesize',
  }),
] as const

const decision = [
  step({
    id: 'synthesize',
    title: 'Synthesize',
    phase: DECISION,
    actions: [
      'Section "Candidates" of {{task}}/solution-{{effort}}.md: three to five, V1, V2 ..., made from the proposals without an "Out".',
      '- One is the smallest that removes the cause, one leaves the problem and makes it harmless; at most two are combinations.',
      '- For each: how it works in at most ten lines, which proposals it comes from, what changes where (paths, people, data), its steps in order with the first one that shows whether it works, what it costs, how to take it back.',
      'A combination says what it gains over its parts. Otherwise it is only larger.',
      '',
      'Done when: each candidate has all six points, and each proposal is in a candidate or has one line that says why not.',
    ],
    next: 'challenge',
  }),
  step({
    id: 'challenge',
    title: 'Challenge',
    phase: DECISION,
    actions: [
      'Section "Challenge" of {{task}}/solution-{{effort}}.md. For each candidate:',
      checklist('Candidate', [
        {
          element: 'cause',
          criterion: 'the step of the cause that it interrupts is named',
          if_missing: 'it treats a symptom; say so',
        },
        {
          element: 'truth',
          criterion: 'what it needs to be true was checked (path and line, output) or is marked "open"',
          if_missing: 'check it now',
        },
        {
          element: 'failure',
          criterion: 'the story of how it failed after half a year: first sign, cost, what cannot be undone',
          if_missing: 'write it',
        },
        {
          element: 'new problem',
          criterion: 'what it makes harder afterwards, and for whom',
          if_missing: 'ask each of "Concerned" in your mind',
        },
        { element: 'out', criterion: 'no "Out" applies to it as it is now', if_missing: 'drop it' },
      ]),
      'Take the candidate that you like best first, and be hardest with it. Correct a candidate where that answers a point.',
      '',
      'Done when: each candidate has an entry for all five elements, and at least two candidates are left.',
    ],
    next: 'select',
  }),
  step({
    id: 'select',
    title: 'Select',
    phase: DECISION,
    actions: [
      'Section "Choice" of {{task}}/solution-{{effort}}.md:',
      '1. A table: candidates by criteria S1 to S5, each cell with a few words about what decides it, not a number.',
      '2. Compare in pairs, by the most important criterion on which the two differ.',
      '3. The winner, the runner-up, and the one fact that would turn them around. If that fact can be checked now, check it.',
      '4. If the winner is your first idea of "Bias": which perspective found it too, and what it now has that it did not have then.',
      'If two are equal by all criteria, or the choice spends what is not yours to give, ask the user before you end this step.',
      '',
      'Done when: every cell is filled, and the winner beats each other candidate by a criterion that you name.',
    ],
    next: 'output',
  }),
  step({
    id: 'output',
    title: 'Output',
    phase: DECISION,
    actions: [
      'Write for the user, in this order and in at most 50 lines:',
      '1. Problem and cause, one sentence each.',
      '2. The winner of "Choice": how it works, and what changes where.',
      '3. Its steps in order; the first shows whether it works, and says how one sees that.',
      '4. Why this one: the criterion by which it beats the runner-up, and what the runner-up does better.',
      '5. Risks: its failure story in two sentences, the early sign, and how to take it back.',
      '6. What is open, and which perspectives had no report of a sub-agent.',
      'Add the same text as the section "Solution" to {{task}}/solution-{{effort}}.md. The command that ends this step takes the path of that file (--set solution).',
      forbidden('Changing a file of the project'),
      'Done when: the user has all six parts, and each statement in them stands in the file.',
    ],
    next: null,
  }),
] as const

export default workflow('solution-design', [...preparation, ...perspectives, ...decision], {
  description: 'Finds a solution: criteria, seven perspectives, candidates, challenge, choice.',
  activate: 'first',
  format: 'text',
  params: {
    problem: param.text({ required: true, description: 'The problem and its cause, in full.' }),
  },
  state: {
    report: param.text({ description: 'The path of a report.' }),
    solution: param.text({ required: true, description: 'The path of the solution.' }),
  },
  workflows: { perspective },
})
