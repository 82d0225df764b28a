import { dispatch, forbidden, gate, param, resource, step, workflow } from 'holdfast/workflow'
import { review } from './review.ts'

const problem = [
  step({
    id: 'understand',
    title: 'Understand the problem',
    phase: 'PROBLEM',
    actions: [
      'The request: {{request}}',
      '',
      'Find out what is so today, before you think about a solution. Read the guides of the project, the session file if there is one, and the code that the request is about. If that is more than ten files, let an explore agent read them, and open yourself only the places that it names.',
      'Write down, in at most one page:',
      '- the problem: who has it, what happens, what it costs',
      '- the requirements, R1, R2 ..., each with how one sees that it is met, and its source: request, code, or your own guess',
      '- what this change will not do',
      '- what only the user can answer: goals, priorities, limits of money and time, tastes',
      forbidden('Naming a solution', 'Stating a fact about the code that you did not open'),
      'The command that ends this step says whether something is left that only the user can answer (--set questions).',
      '',
      'Done when: each fact has path:line, each requirement has a source, and each guess stands among the questions.',
    ],
    decides: [
      { when: { questions: 'open' }, outcome: 'ask' },
      { when: { questions: 'none' }, outcome: 'ok' },
    ],
    next: { ok: 'options', ask: 'ask' },
  }),
  step({
    id: 'ask',
    title: 'Ask the user',
    phase: 'PROBLEM',
    actions: [
      'Put all open questions into one message, at most four. For each: the answer that you suggest, and what of the design depends on it.',
      'End your turn, so that the user can answer. If the user leaves a question to you, write down your answer with the source "left to us".',
      '',
      'Done when: every question has an answer in the words of the user, and the requirements say so.',
    ],
    next: 'options',
  }),
] as const

const solution = [
  step({
    id: 'options',
    title: 'Options',
    phase: 'SOLUTION',
    actions: [
      'Work out two or three options that differ in kind: in where a decision lives, in how data flows, or in who does the work. One of them is the smallest change that could meet the requirements. If leaving things as they are is defensible, it is an option too.',
      'For each: the idea in two sentences, what it touches, which requirements it meets by id, what it costs and whom, its worst failure, and the way back.',
      forbidden('Choosing one yet', 'Adding an option that nobody would take, to make another look good'),
      '',
      'Done when: each option has all six points, and every file, table or service that it names was opened.',
    ],
    next: 'decide',
  }),
  step({
    id: 'decide',
    title: 'Decide',
    phase: 'SOLUTION',
    actions: [
      'Compare the options: one line per requirement and per cost that matters, one column per option, a fact in each cell.',
      'Choose the one that meets all requirements at the lowest cost. If two are equal, take the one with the easier way back.',
      'Ask the user before you write if the choice gives up something that was asked for, adds a dependency or a service, changes a public format, or cannot be undone.',
      'Test the choice: look for the one fact in code or documents that would refute it, and check it.',
      '',
      'Done when: you can name the lines of the comparison that decide, what would make each other option better, and the check that could have refuted the choice with what it showed.',
    ],
    next: 'write',
  }),
  step({
    id: 'write',
    title: 'Write the document',
    phase: 'SOLUTION',
    actions: [
      'If a review has failed, its report is named above: read it, and change the document where it says so. If a finding is wrong, say why in the section Decision.',
      '',
      'Write the document to plans/NAME/design.md in the project, where NAME has two to four words in kebab-case. If the request names a design that exists, revise that one. Its form:',
      resource('design-format', 'The form of the document'),
      'Write for a planner who has only this file. Keep it below 200 lines: what a reader finds in the code needs a place, not a copy.',
      'The command that ends this step takes the path of the document (--set design).',
      '',
      'Done when: the file has every section of the form, each requirement is met by the decision or listed as given up with the consent of the user, and nothing in it is marked TODO.',
    ],
    decides: [{ when: { design: '' }, outcome: 'iterate' }, { outcome: 'ok' }],
    next: { ok: 'design-vet', iterate: 'write' },
  }),
] as const

const vetting = [
  ...gate({
    id: 'design-vet',
    name: 'Design-Vet',
    phase: 'REVIEW',
    work: 'write',
    pass: 'present',
    review: dispatch('design-vet', {
      workflow: 'review',
      model: 'opus',
      vars: { request: '{{request}}', design: '{{design}}' },
    }),
    message: 'The design has passed its review.',
  }),
  step({
    id: 'present',
    title: 'Present the design',
    phase: 'REVIEW',
    actions: [
      'Tell the user in at most ten lines: the decision, the option that came second and why it lost, the greatest risk with its sign, what is out of scope, and the path {{design}}.',
      'The design is a proposal. If the user objects, keep the objection for the next session instead of arguing.',
      'This skill ends with a result: the path of the document. The command stands below, or Holdfast names it once this step is done.',
      '',
      'Done when: the user has these five points, and the effort is finished with its result.',
    ],
    next: null,
  }),
] as const

export default workflow('design', [...problem, ...solution, ...vetting], {
  description: 'Turns a request into a design document that has passed a review.',
  activate: 'first',
  params: { request: param.text({ required: true, description: 'What the user asked for, in full.' }) },
  state: {
    questions: param.choice(['none', 'open'], { description: 'What only the user can answer.' }),
    design: param.text({ description: 'The path of the document.' }),
  },
  workflows: { review },
})
