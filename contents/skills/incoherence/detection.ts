import { dispatch, forbidden, resource, step } from 'holdfast/workflow'

const DETECTION = 'DETECTION'

/** The first part: from the sources of the project to issues that somebody tried to refute. */
export const detection = [
  step({
    id: 'codebase-survey',
    title: 'Codebase survey',
    phase: DETECTION,
    actions: [
      'Compare within: {{scope}}',
      '',
      'List what says how the project behaves, or should: code (entry points, configuration, schemas), documents (README, guides, references), specifications (decision records, plans, API definitions), texts for users (help, messages, examples), and tests.',
      'Write {{task}}/sources-{{effort}}.md, a table with a line for each source, at most 60; a folder of similar files is one line: path, kind, subject, reader, and whether others must follow it (a norm), it follows others (a description), or nobody says.',
      'Look into each file before you list it. Below the table, "Not compared" names what you leave out, with the reason.',
      forbidden('Judging who is right', 'Changing a file of the project'),
      'Done when: each folder of the scope is in the table or below it, and each line has all five entries.',
    ],
    next: 'dimension-selection',
  }),
  step({
    id: 'dimension-selection',
    title: 'Dimension selection',
    phase: DETECTION,
    actions: [
      'Choose the four dimensions in which a contradiction would do most harm here:',
      '- behavior: what documents promise, and what the code does',
      '- specification: what was decided or specified, and what was built',
      '- repetition: the same subject in two documents',
      '- examples: commands and code in texts, and the interfaces of today',
      '- values: limits, defaults and versions that stand in several places',
      '- words: one word for two things, or two words for one',
      '- failures: messages and codes in documents, and those in the code',
      '- data: schemas and formats, and what is written and read',
      '- tests: what tests expect, and what texts say',
      '- rules: what the guides of the project demand, and what it does',
      'Write {{task}}/dimensions-{{effort}}.md with the sections 1 to 4. Each has the question in one sentence, the sources of each side (paths of the table), how one would notice a contradiction, and what would only look like one. A last section "Not searched" has a line for each dimension that is left, with the reason.',
      '',
      'Done when: each of the four sections names at least two sources, and each norm of the table stands in one of them or in the last one.',
    ],
    next: 'exploration-dispatch',
  }),
  step({
    id: 'exploration-dispatch',
    title: 'Exploration dispatch',
    phase: DETECTION,
    actions: [
      'Four explore sub-agents search, one for each dimension. Do not search yourself.',
      '',
      'Done when: the step has ended. It waits for three of the four, and ends without them once two have failed.',
    ],
    dispatch: dispatch('explore', {
      workflow: 'explore',
      vars: {
        dimensions: '{{task}}/dimensions-{{effort}}.md',
        sources: '{{task}}/sources-{{effort}}.md',
        scope: '{{scope}}',
        run: '{{effort}}',
      },
      each: ['1', '2', '3', '4'].map((id) => ({ id, title: `Dimension ${id}`, task: `Section ${id}` })),
      join: 3,
      returns: ['findings'],
    }),
    next: { ok: 'synthesize-candidates', fail: 'synthesize-candidates' },
  }),
  step({
    id: 'synthesize-candidates',
    title: 'Synthesize candidates',
    phase: DETECTION,
    actions: [
      'Read all that exist of {{task}}/findings-{{effort}}-1.md to {{task}}/findings-{{effort}}-4.md. Where one is missing, add its dimension to "Not searched" in {{task}}/dimensions-{{effort}}.md; do not search it yourself.',
      'Merge findings about the same two statements. Drop a finding if one quotation is not at its place.',
      'Write the 12 most harmful as candidates K1, K2 ... to {{task}}/candidates-{{effort}}.md: both places with quotations, who is hurt, and the question that decides it. Name the others in a last section, one line each.',
      'Sort them into the groups A, B and C, none with more than 4. Candidates that name the same file belong to one group; a group may be empty.',
      'The command that ends this step says whether there is a candidate (--set candidates).',
      '',
      'Done when: each finding is a candidate, a part of one, or a line with the reason why not.',
    ],
    decides: [
      { when: { candidates: 'some' }, outcome: 'ok' },
      { when: { candidates: 'none' }, outcome: 'none' },
    ],
    next: { ok: 'deep-dive-dispatch', none: 'present-report' },
  }),
  step({
    id: 'deep-dive-dispatch',
    title: 'Deep-dive dispatch',
    phase: DETECTION,
    actions: [
      'Three explore sub-agents try to refute the candidates, one for each group. Do not examine them yourself.',
      '',
      'Done when: the step has ended. It waits for two of the three, and ends without them once two have failed.',
    ],
    dispatch: dispatch('explore', {
      workflow: 'deep-dive',
      vars: { candidates: '{{task}}/candidates-{{effort}}.md', run: '{{effort}}' },
      each: ['A', 'B', 'C'].map((id) => ({
        id,
        title: `Group ${id}`,
        task: `The candidates of group ${id}`,
      })),
      join: 2,
      returns: ['verdicts'],
    }),
    next: { ok: 'verdict-analysis', fail: 'verdict-analysis' },
  }),
  step({
    id: 'verdict-analysis',
    title: 'Verdict analysis',
    phase: DETECTION,
    actions: [
      'Read all that exist of {{task}}/verdicts-{{effort}}-A.md, -B.md and -C.md. The candidates of a group without verdicts go to "Not searched".',
      'Write the report {{task}}/incoherence-{{effort}}.md in this form, with each CONTRADICTION, AMBIGUITY and GAP as an issue, the most harmful first:',
      resource('report-format', 'The form of the report'),
      'Options, batch and decision stay empty for now. If two issues have one cause, they are one issue with all its places.',
      'The command that ends this step says whether there is an issue (--set issues).',
      '',
      'Done when: each candidate is an issue, a part of one, or a line in one of the two last sections.',
    ],
    decides: [
      { when: { issues: 'some' }, outcome: 'ok' },
      { when: { issues: 'none' }, outcome: 'none' },
    ],
    next: { ok: 'prepare-batches', none: 'present-report' },
  }),
] as const
