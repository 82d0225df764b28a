import { forbidden, resource, step } from 'holdfast/workflow'

const LEARNING = 'LEARNING'
export const SHEET = 'styles/{{author}}.md'
/** The same program counts samples and draft, so that their numbers can be compared. */
export const COUNTER = '{{task}}/count-style-{{effort}}'

/** From samples to a style sheet. */
export const learning = [
  step({
    id: 'samples',
    title: 'Read the samples',
    phase: LEARNING,
    actions: [
      'The author: {{author}}. The samples: {{samples}}',
      '',
      `If ${SHEET} exists, read it, and compare its samples with these.`,
      'Otherwise open each sample in full. Sort it by kind (letter, manual, post, commit message ...) and audience, and run `wc -w` on it. Leave out what is not the words of the author: quotations, code, signatures, text of a template. Say which.',
      'The command that ends this step takes what you have (--set sheet):',
      '- current: the sheet exists and has these samples',
      '- enough: at least 1,000 words of the author in at least two samples',
      '- thin: less',
      '',
      'Done when: each sample has kind, audience and words, or the sheet lists the same samples.',
    ],
    decides: [
      { when: { sheet: 'current' }, outcome: 'known' },
      { when: { sheet: 'enough' }, outcome: 'ok' },
      { when: { sheet: 'thin' }, outcome: 'thin' },
    ],
    next: { ok: 'measure', thin: 'more', known: 'classify' },
  }),
  step({
    id: 'more',
    title: 'Ask for more samples',
    phase: LEARNING,
    actions: [
      'Tell the user how many words there are, and that traits from less than 1,000 words or from one text are guesses. Ask for more samples of the same kind as the text to write, or for a yes to go on with these. Then end your turn.',
      'If new samples come, read them as in the step before.',
      '',
      'Done when: the user has given samples, or has said to go on.',
    ],
    next: 'measure',
  }),
  step({
    id: 'measure',
    title: 'Measure the traits',
    phase: LEARNING,
    actions: [
      `Count with a program, never by eye. Write one to ${COUNTER} with an extension, in a language that runs here. It takes files and prints for each file, and for all together:`,
      '- sentences: number, mean and median length in words, share below 8 and above 25 words',
      '- paragraphs: number, mean number of sentences, share with one sentence',
      '- per 1,000 words: commas, semicolons, colons, dashes, parentheses, question marks, exclamation marks, quotation marks, contractions, I, we, you, headings, list items',
      '- the ten most frequent first words of sentences, with their counts',
      '- words and pairs of words that occur three times or more, in two samples or more, without function words',
      'Run it on all samples. Then read them once more for what a program does not see, and count it by hand with places: how texts begin and end, examples, figures of speech, humor, hedges, addresses to the reader, how claims are supported.',
      forbidden('An adjective without a count ("lively", "clear")', 'Counting what others wrote in a sample'),
      `Done when: the output is in {{task}}/style-{{effort}}.md with the command that made it, and each point counted by hand has its places.`,
    ],
    next: 'sheet',
  }),
  step({
    id: 'sheet',
    title: 'Write the style sheet',
    phase: LEARNING,
    actions: [
      `Write ${SHEET} from {{task}}/style-{{effort}}.md:`,
      resource('sheet-format', 'The form of the style sheet'),
      'Take eight to fifteen traits, those first that would tell this author from others: what is frequent here and rare elsewhere, or the other way round. A trait that all good prose has is none.',
      'A range is what the samples span. Do not make it narrower.',
      'Choose quotes of at most 20 words, without names of persons or numbers that are private.',
      '',
      'Done when: each trait has a count, a range, and three quotes that `grep -n` finds at their places, and "Never" has at least three entries.',
    ],
    next: 'classify',
  }),
] as const
