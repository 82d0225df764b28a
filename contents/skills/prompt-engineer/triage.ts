import { step } from 'holdfast/workflow'

/** What kind of work it is; each kind has steps of its own. */
export const triage = step({
  id: 'triage',
  title: 'Triage',
  phase: 'TRIAGE',
  actions: [
    'The request: {{request}}',
    '',
    'Find the prompts that it means, also those inside of code, configuration, agents and skills. Open each once; do not judge it yet.',
    'Choose the scope by the first line that fits:',
    '- greenfield: no prompt for this exists',
    '- problem: the request names something that goes wrong (an answer, a format, a refusal), in one prompt or several',
    '- ecosystem: two or more prompts that hand results to each other or share rules',
    '- single: one prompt',
    'If the request names no prompt and you find several that could be meant, ask the user which one, and end your turn.',
    'The command that ends this step takes the scope (--set scope). Each scope has its own steps; their numbers are not consecutive.',
    '',
    'Done when: each prompt has a path (and lines, if it stands in other text), and you can name the words of the request that decide the scope.',
  ],
  decides: [
    { when: { scope: 'single' }, outcome: 'single' },
    { when: { scope: 'ecosystem' }, outcome: 'ecosystem' },
    { when: { scope: 'greenfield' }, outcome: 'greenfield' },
    { when: { scope: 'problem' }, outcome: 'problem' },
  ],
  next: {
    single: 'single-read',
    ecosystem: 'ecosystem-inventory',
    greenfield: 'greenfield-requirements',
    problem: 'problem-reproduce',
  },
})
