import { CONFIDENCE, dispatch, forbidden, param, step, workflow } from 'holdfast/workflow'
import { inquiry } from './inquiry.ts'

const UNDERSTANDING = 'UNDERSTANDING'
const INQUIRY = 'INQUIRY'
const ANSWER = 'ANSWER'

const FULL = { mode: 'full' }
/** Sub-agents take part unless the call says quick, by its param or by the mode of the effort. */
const INCLUDED = { when: FULL, only: 'full' } as const

/** The ways from a step that may find that sub-agents would not help. */
const divided = [
  { when: { inquiry: 'divided' }, outcome: 'ok' },
  { when: { inquiry: 'whole' }, outcome: 'skip' },
] as const

const understanding = [
  step({
    id: 'context-clarification',
    title: 'Context Clarification',
    phase: UNDERSTANDING,
    actions: [
      'The question: {{question}}',
      '',
      'Begin the notes: a new file {{task}}/deepthink-{{effort}}.md. Each step adds one section to it. Section "Context":',
      '- Asked: the question in one sentence that suggests no answer.',
      '- Decides: who does what differently, depending on the answer.',
      '- Given: each fact that the question contains, with its source (the user, a path with line, an output).',
      '- Outside: what nobody asked, though an answer might drift there.',
      '- Missing: what you need and do not have. Look it up where you can. Ask the user, in one message, only for what would change the answer.',
      forbidden('Answering the question, or naming a favorite'),
      'Done when: the section has all five points, and every missing fact is found, answered by the user, or marked as unknown.',
    ],
    next: 'abstraction',
  }),
  step({
    id: 'abstraction',
    title: 'Abstraction',
    phase: UNDERSTANDING,
    actions: [
      'Section "Abstraction" of {{task}}/deepthink-{{effort}}.md. Leave out the particulars, and write:',
      '- Kind: one sentence about the kind of problem that would be just as true in another field.',
      '- Principles P1 to P4 that hold for problems of this kind, each with the condition under which it stops holding.',
      '- Table: each particular of "Given", and what it is an instance of.',
      '- Lost: the two particulars that the abstraction loses and that could change the answer.',
      '',
      'Done when: "Kind" contains no name from the question, each principle has its condition, and every given fact is in the table.',
    ],
    next: 'characterization',
  }),
  step({
    id: 'characterization',
    title: 'Characterization',
    phase: UNDERSTANDING,
    actions: [
      'Section "Characterization" of {{task}}/deepthink-{{effort}}.md. Answer each point in one or two lines, with the reason:',
      '- Form: is it to find one right answer, to choose among known ones, to explain, to predict, or to weigh values?',
      '- Test: what would show that an answer is wrong?',
      '- Parts: which parts does it have, and which of them depends on the answer to another?',
      '- Unknown: what has nobody looked up yet, and what can nobody know now?',
      '- Stakes: what does a wrong answer cost, and can it be taken back?',
      '- Trap: the answer that comes to mind first, and what it takes for granted.',
      '',
      'Done when: all six points have an answer, and "Test" names something that one could see or measure.',
    ],
    next: 'analogical-recall',
  }),
  step({
    id: 'analogical-recall',
    title: 'Analogical Recall',
    phase: UNDERSTANDING,
    actions: [
      'Section "Analogies" of {{task}}/deepthink-{{effort}}.md, with three problems that others have had:',
      '- N1 from the same field.',
      '- N2 from another field.',
      '- N3 that looked the same, and in which the obvious answer failed.',
      'For each: what happened in two sentences, at least three pairs of what corresponds to what, where the correspondence breaks, and what it suggests here.',
      'If you do not know that a case happened, mark it "constructed".',
      '',
      'Done when: each of the three has its pairs, its break and its suggestion.',
    ],
    next: 'planning',
  }),
  step({
    id: 'planning',
    title: 'Planning',
    phase: UNDERSTANDING,
    actions: [
      'Section "Plan" of {{task}}/deepthink-{{effort}}.md:',
      '- Questions Q1, Q2 ...: three to seven smaller questions that together answer the whole one. For each: what would answer it (a source, a calculation, an argument), and which others it depends on.',
      '- Conditions D1, D2 ...: what a finished answer must fulfil, so that somebody else could check it.',
      '- Weakest: the question whose wrong answer would do the most harm, and why.',
      forbidden('Answering one of the questions yet'),
      'Done when: each question has what would answer it, and each point of "Decides" in "Context" is served by a question.',
    ],
    // The mode was given at the start, so nobody is asked which way to go.
    decides: [{ when: FULL, outcome: 'ok' }, { outcome: 'skip' }],
    next: { ok: 'sub-agent-design', skip: 'initial-synthesis' },
  }),
] as const

const inquiries = [
  step({
    id: 'sub-agent-design',
    title: 'Sub-Agent Design',
    phase: INQUIRY,
    ...INCLUDED,
    actions: [
      'Four thinker sub-agents will each work on one inquiry, at the same time. None of them sees this conversation, your notes or another inquiry.',
      'Write them to a new file {{task}}/inquiries-{{effort}}.md, with the sections 1, 2, 3 and 4. Each has:',
      '- Question: one that can be answered without the answers of the other three.',
      '- Angle: the method or the assumption that only this one uses.',
      '- Given: the facts and paths that it needs, and nothing else.',
      '- Not: what the others do, and what it must not take for granted.',
      '- Report: what its report must contain, so that you can compare the four.',
      'If you have fewer than four such questions, add one that argues that the answer of "Trap" is right, one that argues that it is wrong, and one that takes the whole question from N2.',
      'The command that ends this step says whether the question is divided. It is whole if each question of the plan needs the answer of another first; then you go on without sub-agents.',
      '',
      'Done when: the file has four sections with five points each, or the notes say which questions depend on each other and make it whole.',
    ],
    decides: divided,
    next: { ok: 'design-critique', skip: 'initial-synthesis' },
  }),
  step({
    id: 'design-critique',
    title: 'Design Critique',
    phase: INQUIRY,
    ...INCLUDED,
    actions: [
      'Read {{task}}/inquiries-{{effort}}.md as somebody who has one section of it and nothing else. Section "Critique" of {{task}}/deepthink-{{effort}}.md, with findings F1, F2 ...:',
      '- Overlap: which two sections would lead to the same report?',
      '- Gap: which question of the plan does no section serve?',
      '- Leak: which words tell the answer that you expect?',
      '- Hole: which fact or path does a section need and not contain?',
      '- Size: which section has more than one question?',
      'The command that ends this step says whether the question is still divided: it is whole if fewer than two sections stay once you have taken out what overlaps.',
      forbidden('Changing the inquiries in this step'),
      'Done when: each of the five points has a finding with the words that it quotes, or "none" for each of the four sections.',
    ],
    decides: divided,
    next: { ok: 'design-revision', skip: 'initial-synthesis' },
  }),
  step({
    id: 'design-revision',
    title: 'Design Revision',
    phase: INQUIRY,
    ...INCLUDED,
    actions: [
      'Change {{task}}/inquiries-{{effort}}.md by the findings F1, F2 ... of "Critique". Beside each finding write what you changed, or why you did not.',
      'Then read each section once more, from its first word, and look for a fact that only this conversation contains.',
      'The command that ends this step says whether the question is divided. It is whole if a finding of this step has shown that its parts depend on each other.',
      '',
      'Done when: each finding has a change or a reason, and the file has four sections with all five points (or is whole, with the reason in the notes).',
    ],
    decides: divided,
    next: { ok: 'dispatch', skip: 'initial-synthesis' },
  }),
  step({
    id: 'dispatch',
    title: 'Dispatch',
    phase: INQUIRY,
    ...INCLUDED,
    actions: [
      'Four thinker sub-agents carry out the inquiries of {{task}}/inquiries-{{effort}}.md. Do not work on any of them yourself.',
      'The step ends with the third that succeeds, or with the second that fails. In both cases you go on with the reports that there are.',
      '',
      'Done when: all four were started in one message, and the command below prints the next step.',
    ],
    dispatch: dispatch('thinker', {
      workflow: 'inquiry',
      instruction: 'Each carries out the inquiry of its own number.',
      vars: {
        inquiries: '{{task}}/inquiries-{{effort}}.md',
        reports: '{{task}}/inquiry-{{effort}}',
      },
      each: ['1', '2', '3', '4'].map((id) => ({ id, title: `Inquiry ${id}`, task: `section ${id}` })),
      join: 3,
      returns: ['report'],
    }),
    next: { ok: 'quality-gate', fail: 'quality-gate' },
  }),
  step({
    id: 'quality-gate',
    title: 'Quality Gate',
    phase: INQUIRY,
    ...INCLUDED,
    actions: [
      'The reports are {{task}}/inquiry-{{effort}}-1.md to {{task}}/inquiry-{{effort}}-4.md, unless a result below names another path. One of a sub-agent that is still at work or came late counts if its file is there now; any other is missing. Do not write it yourself.',
      'Judge each report by its text alone. It is usable if all three hold:',
      '- it answers the question of its section;',
      '- each claim in it has a source, or the word "guess" or "recalled";',
      '- it names what speaks against its own answer.',
      'Section "Quality" of {{task}}/deepthink-{{effort}}.md: each of the four with "usable", "missing", or the line that fails a test, quoted.',
      'The command that ends this step takes the number of usable reports. From two on, you compare them; below that, you go on with your notes.',
      forbidden('Calling a report unusable because you disagree with it'),
      'Done when: each of the four numbers has its line in the section.',
    ],
    decides: [{ when: { usable: [2, 3, 4] }, outcome: 'ok' }, { outcome: 'skip' }],
    next: { ok: 'aggregation', skip: 'initial-synthesis' },
  }),
  step({
    id: 'aggregation',
    title: 'Aggregation',
    phase: INQUIRY,
    ...INCLUDED,
    actions: [
      'Section "Aggregation" of {{task}}/deepthink-{{effort}}.md, from the usable reports only, each claim with the numbers of its reports:',
      '- Agreed: claims of several reports. Say for each whether their sources differ; the same source counts once.',
      '- Disputed: claims that contradict each other. Open the sources of both, and say what decides between them, or that nothing does.',
      '- Single: claims of one report that an answer could rest on. Open the source of each, and drop the claim if the source does not say it.',
      '- Unanswered: questions of the plan that no report answers.',
      '',
      'Done when: every claim that a report marks as its answer is under one of the first three points, and each disputed or single one says which source you opened.',
    ],
    next: 'initial-synthesis',
  }),
] as const

const answer = [
  step({
    id: 'initial-synthesis',
    title: 'Initial Synthesis',
    phase: ANSWER,
    actions: [
      'Section "Draft" of {{task}}/deepthink-{{effort}}.md. Answer Q1, Q2 ... first, each in one or two lines; from "Aggregation" if there is one. Then:',
      '- Answer: the whole question, in at most three sentences.',
      '- Reasons R1, R2 ...: each with what it rests on (a fact with its source, a principle, an analogy, a report).',
      '- Against: the best case against the answer, and what it gets right.',
      '- Changes: the fact that would make you give another answer.',
      '- Conditions: D1, D2 ..., each met or not met.',
      '',
      'Done when: the draft has all five points, no reason rests on nothing, and an unmet condition is called unmet.',
    ],
    next: 'iterative-refinement',
  }),
  step({
    id: 'iterative-refinement',
    title: 'Iterative Refinement',
    phase: ANSWER,
    actions: [
      'One round, in a new section "Round" of {{task}}/deepthink-{{effort}}.md:',
      '1. Object: write the strongest objection that is not in "Against" or an earlier round.',
      '2. Check: take the reason that carries most, and test it: open its source, calculate it again, or look for one case in which it is false.',
      '3. Change: correct the draft, and write what is different now, or "nothing".',
      'Then say how sure you are:',
      '- exploring: the answer itself changed in this round',
      '- low: a reason fell, and the answer stands on the others',
      '- medium: the answer became narrower, or a condition D is still unmet',
      '- high: only words changed, and all conditions are met',
      '- certain: high in an earlier round too, and this round found no objection that changes anything',
      'Below certain, this step comes again, five times at most.',
      forbidden('Repeating an objection or a check of an earlier round'),
      'Done when: the round has its objection, what was tested with the result, and the change.',
    ],
    limit: 5,
    onLimit: 'formatting-output',
    decides: [{ when: { confidence: 'certain' }, outcome: 'ok' }, { outcome: 'iterate' }],
    next: { ok: 'formatting-output', iterate: 'iterative-refinement' },
  }),
  step({
    id: 'formatting-output',
    title: 'Formatting & Output',
    phase: ANSWER,
    actions: [
      'Write for the user, in this order and in at most 40 lines:',
      '1. The answer, in at most three sentences.',
      '2. The reasons, each with its source.',
      '3. What speaks against it, and what would change it.',
      '4. Confidence: {{confidence}}, and what is missing to be surer.',
      '5. How it came about: whether sub-agents took part and how many reports were used, how many rounds, and the path of the notes.',
      'Add the same text as the section "Result" to {{task}}/deepthink-{{effort}}.md.',
      '',
      'Done when: the user has all five parts, the notes end with them, and no sentence of the answer says more than the draft of the last round.',
    ],
    next: null,
  }),
] as const

export default workflow('deepthink', [...understanding, ...inquiries, ...answer], {
  description: 'Thinks a hard question through: understanding, independent inquiries, refined answer.',
  activate: 'first',
  format: 'text',
  params: {
    question: param.text({ required: true, description: 'The question, in full.' }),
    mode: param.choice(['full', 'quick'], {
      default: 'full',
      description: 'Whether sub-agents work out parts of it.',
    }),
  },
  state: {
    inquiry: param.choice(['divided', 'whole'], {
      description: 'Whether sub-agents can answer parts of it on their own.',
    }),
    report: param.text({ description: 'The path of a report.' }),
    usable: param.number({ min: 0, max: 4, description: 'How many reports are usable.' }),
    confidence: param.choice(CONFIDENCE, {
      default: 'exploring',
      description: 'How sure you are of the answer.',
    }),
  },
  workflows: { inquiry },
})
