import { detectionQuestions, forbidden, step } from 'holdfast/workflow'
import { COUNTER, SHEET } from './learning.ts'
import { DRAFT, NOTES } from './writing.ts'

const VERIFICATION = 'VERIFICATION'
const REFINEMENT = 'REFINEMENT'

/** From a draft to a text that was checked against the sheet. */
export const checking = [
  step({
    id: 'tells',
    title: 'Detect signs of machine-made text',
    phase: VERIFICATION,
    actions: [
      `Search ${DRAFT} with \`grep -n\` and by reading. A hit that the sheet shows as a trait of the author is none.`,
      detectionQuestions('TELL', [
        { id: 'A1', text: 'Which sentence says that something is not X but Y, where nobody said X?' },
        {
          id: 'A2',
          text: 'Where do three words, clauses or items stand in a row because three sound round?',
        },
        { id: 'A3', text: 'Which paragraph ends with a sentence that only repeats it?' },
        { id: 'A4', text: 'Which adjective, adverb or abstract noun could go without loss?' },
        { id: 'A5', text: 'Which opening announces what follows instead of beginning with it?' },
        { id: 'A6', text: 'Where do neighboring sentences or paragraphs have the same length and build?' },
        { id: 'A7', text: 'Which dash, bold word, heading or list would the author not have set?' },
        { id: 'A8', text: 'Which claim has no owner ("experts say", "it is widely known")?' },
      ]),
      `Write each hit into ${NOTES} as A1.1, A1.2 ..., with line and quotation. Change nothing yet.`,
      '',
      'Done when: each question has its hits, or the word "none" with what you searched for.',
    ],
    next: 'markers',
  }),
  step({
    id: 'markers',
    title: 'Check for the marks of the author',
    phase: VERIFICATION,
    actions: [
      `Run the counter of the samples (${COUNTER}) on ${DRAFT}. If the sheet is from an earlier effort, write it anew from what the sheet counts.`,
      `Write a table into ${NOTES}: trait, range of the sheet, value of the draft, IN or OUT, and a line of the draft that shows it. A text below 300 words cannot have a rate of a rare sign: write the number instead of the rate, and judge whether one more or less would be IN.`,
      'Then each N of the sheet: `grep -c` and its number.',
      '',
      'Done when: each trait that holds for this kind has a value from a command or from a list of places, and each N has its number.',
    ],
    next: 'alignment',
  }),
  step({
    id: 'alignment',
    title: 'Compare voice and content',
    phase: VERIFICATION,
    actions: [
      `Compare ${DRAFT} with ${NOTES}, sentence by sentence:`,
      '- each F is there, once, with the same numbers, names and certainty. A "may" that became "is" is an error, and so is the reverse.',
      '- each statement of the draft is an F, or follows from one',
      '- where a trait works against the purpose (a joke in the sentence that must stay, an aside between two steps), the purpose wins',
      `Write each finding into ${NOTES} as V1, V2 ..., with line and quotation.`,
      '',
      'Done when: each F has its line in the draft, and each statement of the draft has its F.',
    ],
    next: 'consolidate',
  }),
  step({
    id: 'consolidate',
    title: 'Consolidate the checks',
    phase: VERIFICATION,
    actions: [
      `Put all hits, OUTs and findings of ${NOTES} into one list in the order of the draft. Where two ask for opposite things, decide: content before traits, traits before signs.`,
      'Give each one: change (and how, in at most ten words) or keep (and why).',
      'The command that ends this step says whether a change is needed (--set changes).',
      '',
      'Done when: each A, each OUT and each V is in the list with change or keep.',
    ],
    decides: [
      { when: { changes: 'needed' }, outcome: 'ok' },
      { when: { changes: 'none' }, outcome: 'none' },
    ],
    next: { ok: 'refine', none: 'final' },
  }),
  step({
    id: 'refine',
    title: 'Refine the text',
    phase: REFINEMENT,
    actions: [
      `Carry out the changes of the list in ${NOTES}; after a failed check, only the points that failed. Rewrite the sentence, not the word: a swapped synonym keeps the build that gave it away.`,
      forbidden('Touching a sentence that is in no point of the list', 'Adding a fact'),
      `Done when: each change is marked done with its line in ${DRAFT}.`,
    ],
    limit: 3,
    onLimit: 'deliver',
    next: 'final',
  }),
  step({
    id: 'final',
    title: 'Final quality check',
    phase: REFINEMENT,
    actions: [
      `Read ${DRAFT} once from its beginning, as its reader. Then check, with output:`,
      `1. The counter again: each trait that holds is IN, or is kept OUT by the list.`,
      '2. Each N is 0, and each hit A is gone or kept by the list.',
      '3. Each F is there, unchanged.',
      "4. No seven words in a row are from a sample: search the draft's most striking phrases in the samples with `grep -n`.",
      '5. Each sentence that was changed reads well with the one before and after it.',
      `Add what failed to the list in ${NOTES}. The command that ends this step takes the result (--set quality).`,
      '',
      'Done when: all five have their output or their lines, and the result agrees with them.',
    ],
    decides: [
      { when: { quality: 'passed' }, outcome: 'ok' },
      { when: { quality: 'failed' }, outcome: 'again' },
    ],
    next: { ok: 'deliver', again: 'refine' },
  }),
  step({
    id: 'deliver',
    title: 'Deliver the text',
    phase: REFINEMENT,
    actions: [
      `If the user named a file to revise or to write, put the text of ${DRAFT} there, and keep everything in it that was not to be revised. Otherwise show the text in full.`,
      'Below it, in at most ten lines: the five traits that shape it most, each with its range and its value; what is OUT and why; what was kept although a check named it; each F that the user should confirm.',
      `Say what is on disk: the text, the style sheet ${SHEET} for the next text, and the notes in {{task}}.`,
      '',
      'Done when: the user has the text and these lines, and each number is from the last run of the counter.',
    ],
    next: null,
  }),
] as const
