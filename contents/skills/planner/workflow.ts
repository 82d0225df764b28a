import { convention, dispatch, forbidden, gate, param, resource, step, workflow } from 'holdfast/workflow'
import { context } from './context.ts'
import { fillDiffs } from './diffs.ts'
import { reviewCode } from './review-code.ts'
import { reviewDocs } from './review-docs.ts'
import { reviewPlan } from './review-plan.ts'
import { scrubDocs } from './scrub.ts'

const PLANNING = 'PLANNING'
const CODE = 'CODE'
const DOCUMENTATION = 'DOCUMENTATION'

/** What every sub-agent that works on the plan must know. */
const ABOUT = { plan: '{{plan}}', context: '{{context}}' }

const discovery = [
  step({
    id: 'context',
    title: 'Context discovery',
    phase: PLANNING,
    actions: [
      'The request: {{request}}',
      '',
      'An explore sub-agent finds out what the plan must know about the code. Do not explore yourself, and do not think about solutions yet.',
      '',
      'Done when: the sub-agent has ended and its findings are in a file.',
    ],
    dispatch: dispatch('explore', {
      workflow: 'context',
      vars: { request: '{{request}}' },
      returns: ['context'],
    }),
    next: 'testing-strategy',
  }),
  step({
    id: 'testing-strategy',
    title: 'Testing strategy',
    phase: PLANNING,
    actions: [
      'Read the findings: {{context}}',
      '',
      'Decide how one will know that the change works, before you decide how to make it:',
      '- the kinds of tests for it (unit, property, integration, end to end), and for each: what it covers, and where such tests are now',
      '- what is real in them and what is replaced, and why',
      '- the command that runs them, and that you have seen it in the findings',
      '- what no test covers, and who checks that instead',
      'Follow what the project does. Where it does nothing, or where you would depart from it, ask the user.',
      '',
      'Done when: you have these four points in writing, and the user has answered what was open.',
    ],
    next: 'approaches',
  }),
  step({
    id: 'approaches',
    title: 'Approach generation',
    phase: PLANNING,
    actions: [
      'Write two or three approaches that would each meet the request. One of them is the smallest change that could work.',
      'For each: the idea in two sentences, the files it touches, what it makes easy later, what it makes hard, its worst failure, and how to take it back.',
      'They differ in where a decision lives or how data flows. Two ways to write the same thing are one approach.',
      forbidden('Choosing one yet', 'Adding an approach that nobody would take, to make another look good'),
      'Done when: each approach has all six points, and every file that it names occurs in the findings.',
    ],
    next: 'assumptions',
  }),
  step({
    id: 'assumptions',
    title: 'Assumption surfacing',
    phase: PLANNING,
    actions: [
      'List what the approaches take for granted about the request, the users, the data, the environment and the libraries. Number them A1, A2 ...',
      'Settle each in one of these ways:',
      '- checked: look it up, and note path and line, or the output of a command',
      '- answered: ask the user. Put all questions into one message, each with the answers that you expect and what depends on them.',
      '- risk: nobody can say now. Note what happens if it is wrong, and how one would notice.',
      'A limit, size, timeout or default is an assumption until somebody states its source.',
      '',
      'Done when: every assumption is checked, answered or a risk, and none is settled by your own opinion.',
    ],
    next: 'milestones',
  }),
] as const

const selection = step({
  id: 'milestones',
  title: 'Approach selection and milestones',
  phase: PLANNING,
  actions: [
    'If a review has failed, its report is named above: read it, change the plan where it says so and nowhere else, then end this step.',
    '',
    'Choose the approach. If the user has a preference or the choice costs something that is not yours to give, ask first.',
    'Write the plan to the file {{task}}/plan-{{effort}}.md, in this form:',
    resource('plan-format', 'The form of the plan'),
    '- Each decision between real alternatives goes into the decision log, with its reason.',
    '- A milestone can be built, tested and reviewed alone. The first one already shows that the approach works.',
    '- The section Diffs of each milestone stays empty; a developer fills it.',
    'The command that ends this step takes the path of the plan (--set plan).',
    '',
    'Done when: every part of the request is met by a milestone with an acceptance criterion, and the file has all sections of the form.',
  ],
  decides: [{ when: { plan: '' }, outcome: 'iterate' }, { outcome: 'ok' }],
  next: { ok: 'qr-completeness', iterate: 'milestones' },
})

const completeness = gate({
  id: 'qr-completeness',
  name: 'QR-Completeness',
  phase: PLANNING,
  work: 'milestones',
  pass: 'diffs',
  review: dispatch('quality-reviewer', {
    workflow: 'review-plan',
    vars: { ...ABOUT, request: '{{request}}' },
  }),
  message: 'The plan is complete. A developer writes its diffs.',
})

const code = [
  step({
    id: 'diffs',
    title: 'Developer fills the diffs',
    phase: CODE,
    actions: [
      'A developer sub-agent writes the exact changes of every milestone into the plan at {{plan}}. Code of the project is not changed.',
      '',
      'Done when: the sub-agent has ended. If it reports a decision that is missing or impossible, ask the user, write the answer into the decision log, and start it again.',
    ],
    dispatch: dispatch('developer', { workflow: 'fill-diffs', vars: ABOUT }),
    next: 'qr-code',
  }),
  ...gate({
    id: 'qr-code',
    name: 'QR-Code',
    phase: CODE,
    work: 'diffs',
    pass: 'scrub',
    review: dispatch('quality-reviewer', { workflow: 'review-code', vars: ABOUT }),
    message: 'The diffs hold. A technical writer goes over the texts.',
    fix: 'developer',
  }),
] as const

const documentation = [
  step({
    id: 'scrub',
    title: 'Documentation scrub',
    phase: DOCUMENTATION,
    actions: [
      'A technical-writer sub-agent puts the knowledge of this plan where a later reader will look for it, and cleans the comments in the diffs of {{plan}}.',
      convention('documentation'),
      'Done when: the sub-agent has ended.',
    ],
    dispatch: dispatch('technical-writer', { workflow: 'scrub-docs', vars: ABOUT }),
    next: 'qr-docs',
  }),
  ...gate({
    id: 'qr-docs',
    name: 'QR-Docs',
    phase: DOCUMENTATION,
    work: 'scrub',
    pass: null,
    review: dispatch('quality-reviewer', { workflow: 'review-docs', vars: ABOUT }),
    message:
      'The plan has passed all three reviews. Tell the user where it is, its milestones in one line each, and the risks that are open.',
    fix: 'technical-writer',
  }),
] as const

export default workflow('planner', [...discovery, selection, ...completeness, ...code, ...documentation], {
  description: 'Plans a change: context, tests, approach, milestones and diffs, with three reviews.',
  activate: 'first',
  params: { request: param.text({ required: true, description: 'What the user asked for, in full.' }) },
  state: {
    context: param.text({ description: 'The path of the findings about the code.' }),
    plan: param.text({ description: 'The path of the plan.' }),
  },
  workflows: {
    context,
    'review-plan': reviewPlan,
    'fill-diffs': fillDiffs,
    'review-code': reviewCode,
    'scrub-docs': scrubDocs,
    'review-docs': reviewDocs,
  },
})
