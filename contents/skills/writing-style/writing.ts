import { forbidden, step } from 'holdfast/workflow'
import { SHEET } from './learning.ts'

const UNDERSTANDING = 'UNDERSTANDING'
export const DRAFT = '{{task}}/draft-{{effort}}.md'
export const NOTES = '{{task}}/notes-{{effort}}.md'

/** From the style sheet to a draft. */
export const writing = [
  step({
    id: 'classify',
    title: 'Content classification',
    phase: UNDERSTANDING,
    actions: [
      'The text: {{text}}',
      '',
      `Read ${SHEET}. Then write ${NOTES}:`,
      '- the kind of the text (manual, letter, post ...), its length in words, and whether it is new or a revision. Read what is to be revised in full.',
      '- the sample that is nearest to it in kind and audience, and the traits that hold for that kind, by id',
      '- the traits that this content cannot have (no jokes in an incident report), by id, with the reason',
      '- F1, F2 ...: each fact, number, name, quotation and claim that the text must contain. For a revision: all that are in it.',
      '',
      'Done when: each trait of the sheet is in one of the two lists, and each F has its source.',
    ],
    next: 'purpose',
  }),
  step({
    id: 'purpose',
    title: 'Purpose and audience',
    phase: UNDERSTANDING,
    actions: [
      `Add to ${NOTES}, one line each: who reads it and where; what they know already; what they do or believe afterwards that they did not before; the one sentence that must stay with them; what they would object to.`,
      'The command that ends this step says whether something is missing that only the user knows: a fact, the audience, the aim (--set facts).',
      '',
      'Done when: all five lines have an answer with its source: the request, a sample, the text, or "open".',
    ],
    decides: [
      { when: { facts: 'known' }, outcome: 'ok' },
      { when: { facts: 'open' }, outcome: 'ask' },
    ],
    next: { ok: 'draft', ask: 'ask' },
  }),
  step({
    id: 'ask',
    title: 'Ask the user',
    phase: UNDERSTANDING,
    actions: [
      'Ask for what is open, at most three questions in one message, each with the answer that you suggest. Then end your turn.',
      '',
      `Done when: each "open" in ${NOTES} has the answer of the user.`,
    ],
    next: 'draft',
  }),
  step({
    id: 'draft',
    title: 'Draft by the style sheet',
    phase: 'DRAFTING',
    actions: [
      `Write the text to ${DRAFT}, also if it is a revision; the original stays as it is until the end.`,
      'Begin and end as the nearest sample does. Keep each trait that holds for this kind within its range, and each N of the sheet out.',
      'The order of the thoughts follows from the purpose, not from the samples.',
      forbidden(
        'A fact, number or quotation that is no F',
        'More than six words in a row from a sample',
        'Using the most striking trait more often than its range says; that makes a parody',
      ),
      `Done when: ${DRAFT} has each F once, and its length is within a tenth of the one in ${NOTES}.`,
    ],
    next: 'tells',
  }),
] as const
