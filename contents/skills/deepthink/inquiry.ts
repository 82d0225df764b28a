import { factoredVerification, forbidden, openQuestions, param, step, workflow } from 'holdfast/workflow'

/** What each sub-agent does: one inquiry, without the others. */
export const inquiry = workflow(
  'inquiry',
  [
    step({
      id: 'read',
      title: 'Read the inquiry',
      actions: [
        'Your inquiry is section {{id}} of {{inquiries}}. Do not read the other sections, or other files of that folder.',
        'Write down: the question in your own words, your angle, what you must not take for granted, and what your report must contain.',
        'You cannot ask anybody. What is missing and cannot be looked up becomes an assumption, with its consequence if it is wrong.',
        '',
        'Done when: you have all four points, and each comes from a line of the section.',
      ],
      next: 'ground',
    }),
    step({
      id: 'ground',
      title: 'Ground it in facts',
      actions: [
        'Collect the facts G1, G2 ... that an answer depends on. Each has its source: path and line, the output of a command, a document with the sentence, or the word "recalled".',
        'Look for a fact that would surprise somebody who expects the usual answer.',
        '',
        'Done when: you have at least five facts, at most half of them are recalled, and you have noted what you looked for and did not find. If no source is within reach, say so; then all may be recalled.',
      ],
      next: 'recall',
    }),
    step({
      id: 'recall',
      title: 'Recall similar cases',
      actions: [
        'Write two cases in which somebody had this question: one that ended well, one that did not. Mark a case that you only made up as "constructed".',
        'For each: what corresponds, where it breaks, and what it says about your question.',
        '',
        'Done when: both cases have all three points.',
      ],
      next: 'plan',
    }),
    step({
      id: 'plan',
      title: 'Plan the way to an answer',
      actions: [
        'List what must be shown for an answer, in order, at most six points. For each, name what would show it, and what would show the opposite.',
        'Use your angle. If a point does without it, it belongs to another inquiry; leave it out.',
        '',
        'Done when: each point has both, and the first one could already end the inquiry.',
      ],
      next: 'work',
    }),
    step({
      id: 'work',
      title: 'Work it out',
      actions: [
        'Go through the points in order. For each: what you did, what you found (with its source), what follows.',
        'If a point shows the opposite, change the rest of the plan, and note it.',
        'Then write your answer in at most three sentences, with the points that it rests on.',
        forbidden('Leaving out a point because the answer is clear already', 'Changing a file'),
        'Done when: each point has a result or the words "not decided", and the answer names its points.',
      ],
      next: 'verify',
    }),
    step({
      id: 'verify',
      title: 'Verify the answer',
      actions: [
        openQuestions(),
        factoredVerification(),
        'Write three questions about the facts under your answer, the first about the one that carries most. Answer each from its source again, without your notes. Then compare.',
        '',
        'Done when: the three questions have answers with sources, and each is marked as confirmed, refuted or undecided.',
      ],
      next: 'oppose',
    }),
    step({
      id: 'oppose',
      title: 'Argue against it',
      actions: [
        'Write the best case for another answer than yours, in at most ten lines, as somebody who believes in it. Use what was refuted or undecided.',
        'Then decide: keep your answer, narrow it, or change it. A part that rests on a refuted fact must change.',
        '',
        'Done when: the case is written, and the decision names what it changes.',
      ],
      next: 'report',
    }),
    step({
      id: 'report',
      title: 'Write the report',
      actions: [
        'Write the file {{reports}}-{{id}}.md, at most 80 lines:',
        '1. Question and angle, one line each.',
        '2. Answer, in at most three sentences, and how sure you are: low, medium or high.',
        '3. Grounds: each fact or conclusion with its source, or "recalled" or "guess".',
        '4. Against: the best case for another answer, and what of it you could not refute.',
        '5. Assumptions, and what you looked for and did not find.',
        '6. What section {{id}} asks for besides.',
        'The command that ends this step takes the path of the file (--set report). Your last message is that path and your answer, nothing else.',
        '',
        'Done when: the file has all six parts, and nothing in it lacks a source, "recalled" or "guess".',
      ],
      next: null,
    }),
  ],
  {
    description: 'Works out one inquiry without the others.',
    format: 'text',
    params: {
      id: param.text({ required: true, description: 'The number of the inquiry.' }),
      inquiries: param.text({ required: true, description: 'The path of all inquiries.' }),
      reports: param.text({ required: true, description: 'The beginning of the path of each report.' }),
    },
    state: { report: param.text({ required: true, description: 'The path of the report.' }) },
  },
)
