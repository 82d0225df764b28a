import { forbidden, param, step, workflow } from 'holdfast/workflow'

export default workflow(
  'exec-opt',
  [
    step({
      id: 'probe',
      title: 'Probe the depth',
      actions: [
        'The request: {{request}}',
        '',
        'Find out how deep this must go, before you think about an answer. Answer each in one line, from a look at the code or the facts and not from the wording:',
        '- What would be wrong if the obvious answer were wrong, and who would notice?',
        '- How many places must agree for the result to be right?',
        '- Which word of the request can mean two things here?',
        '- What does the user know that you do not?',
        'If an answer changes what is to be done, ask the user now, at most two questions.',
        'The command that ends this step takes the depth (--set depth): shallow if a mistake is cheap and one place decides, else deep.',
        '',
        'Done when: all four lines have an answer with its source, and you have one word for the depth.',
      ],
      // Both go on in the same way: this makes the command ask for the value.
      decides: [{ when: { depth: 'shallow' }, outcome: 'ok' }, { outcome: 'ok' }],
      next: 'prompt',
    }),
    step({
      id: 'prompt',
      title: 'Write the prompt',
      actions: [
        'Write the request as a prompt for somebody who knows nothing of this conversation:',
        '- Goal: one sentence, with the result and not the activity',
        '- Context: the facts that decide, each with its place',
        '- Limits: what must stay as it is, what is out of scope',
        '- Modes: for each mode that is set, what it means for this work in one sentence',
        '- Skills: for each skill that was asked for, its part, in the order of the words',
        '- Criteria: E1, E2 ..., each with what shows it; at least one that a lazy answer would miss. Depth {{depth}}: shallow needs two to three, deep needs four to eight',
        'Show the prompt to the user and go on. Stop only if a mode that is set asks for answers first.',
        '',
        'Done when: the prompt has all six parts, and each criterion could fail.',
      ],
      next: 'execute',
    }),
    step({
      id: 'execute',
      title: 'Execute the prompt',
      actions: [
        'If an audit found gaps, close these gaps and nothing else.',
        'Otherwise carry out the prompt as it stands. Call each skill that was asked for with the Skill tool, with its part as its words, and follow it to its end before you call the next one.',
        'Where the prompt turns out to be wrong, correct it in writing, then go on.',
        '',
        'Done when: each part of the goal is there, and each skill that was asked for has ended.',
      ],
      limit: 3,
      onLimit: 'answer',
      next: 'audit',
    }),
    step({
      id: 'audit',
      title: 'Audit the result',
      only: 'full',
      actions: [
        'Take the criteria one by one. For each, produce the evidence now: run the command, open the place, read the text. Then write MET or GAP, with the evidence.',
        'Ask once more of the request itself, not of the prompt: what would its author miss?',
        'Check each mode that is set: where does the result show it?',
        forbidden('Marking a criterion MET from memory', 'Changing a criterion so that it is met'),
        'The command that ends this step takes the verdict (--set verdict): gaps if one criterion is a GAP that you can close, else met.',
        '',
        'Done when: each criterion has MET or GAP with evidence of this step.',
      ],
      decides: [
        { when: { verdict: 'met' }, outcome: 'ok' },
        { when: { verdict: 'gaps' }, outcome: 'again' },
      ],
      next: { ok: 'answer', again: 'execute' },
    }),
    step({
      id: 'answer',
      title: 'Answer',
      actions: [
        'Give the user the result first. Then, in a table, each criterion with its evidence, and each GAP with the reason why it stays.',
        'If the prompt said something else than the request, say what and why.',
        '',
        'Done when: the user can check each criterion without asking you.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Turns a rough request into a precise one, carries it out, and audits the result.',
    activate: 'first',
    format: 'text',
    params: { request: param.text({ required: true, description: 'What the user asked for.' }) },
    state: {
      depth: param.choice(['shallow', 'deep'], { required: true, description: 'How deep the work must go.' }),
      verdict: param.choice(['met', 'gaps'], { description: 'Whether a criterion is not met.' }),
    },
  },
)
