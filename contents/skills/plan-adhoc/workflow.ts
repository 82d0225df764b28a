import { dispatch, forbidden, gate, param, resource, step, workflow } from 'holdfast/workflow'
import { reviewChange } from './review-change.ts'
import { reviewRunbook } from './review-runbook.ts'

const SIZE = 'SIZE'
const WORK = 'WORK'
const RUNBOOK = 'RUNBOOK'

const size = [
  step({
    id: 'read',
    title: 'Read what is settled',
    phase: SIZE,
    actions: [
      'The request: {{request}}',
      '',
      'If it names a design, or a skill before this one returned the path of one, read that document in full. Read the guides of the project and the code that will change.',
      'Write down what is done when the work is done: criteria C1, C2 ..., each with the command or observation that shows it.',
      'Then list each decision that the work needs and nobody has taken: a public name, a format, a dependency, a removal, a behavior at an edge.',
      'The command that ends this step says whether such a decision is open (--set decisions).',
      '',
      'Done when: each criterion has what shows it, and each decision is settled with its source or stands in the list.',
    ],
    decides: [
      { when: { decisions: 'settled' }, outcome: 'ok' },
      { when: { decisions: 'open' }, outcome: 'ask' },
    ],
    next: { ok: 'measure', ask: 'settle' },
  }),
  step({
    id: 'settle',
    title: 'Settle the open decisions',
    phase: SIZE,
    actions: [
      'Ask the user all open decisions in one message, each with the answer that you suggest and what it costs to change it later. Then end your turn.',
      'If the answers show that the design itself is open, say so and suggest /design; the user decides whether to go on here.',
      '',
      'Done when: each decision of the list has an answer of the user, in their words.',
    ],
    next: 'measure',
  }),
  step({
    id: 'measure',
    title: 'Measure the change',
    phase: SIZE,
    actions: [
      'Write {{task}}/scope-{{effort}}.md: the criteria, the decisions, and a table with a line for each file that will change, tests and documents included: path, what changes, lines that change, component. A component is what could be tested and released alone.',
      'Open each file before you list it. Estimate lines from what is there; if you cannot, double your guess.',
      'The command that ends this step takes the sums: files, lines and components. They decide what follows:',
      '- at most 5 files, fewer than 100 lines, 1 component: you implement it directly',
      '- at most 15 files, at most 4 components: sub-agents implement the parts',
      '- more: it becomes a runbook',
      forbidden('Leaving out tests or documents to get below a limit', 'Implementing anything yet'),
      'Done when: the table exists, each criterion is met by at least one of its lines, and the three sums are those of the table.',
    ],
    decides: [
      { when: { files: 'up-to-5', lines: 'under-100', components: '1' }, outcome: 'direct' },
      { when: { files: ['up-to-5', '6-to-15'], components: ['1', '2-to-4'] }, outcome: 'delegated' },
      { outcome: 'runbook' },
    ],
    next: { direct: 'implement', delegated: 'split', runbook: 'runbook' },
  }),
] as const

const work = [
  step({
    id: 'implement',
    title: 'Implement the change',
    phase: WORK,
    actions: [
      'Carry out the table of {{task}}/scope-{{effort}}.md, file by file. Begin with the test that shows the first criterion, and see it fail.',
      'If you need a file or a decision that the table does not have, add it there first. If that takes the change past 5 files or 100 lines, finish what you began, and tell the user.',
      '',
      'Done when: each line of the table is carried out, and each criterion was shown once by its command or observation.',
    ],
    next: 'check',
  }),
  step({
    id: 'split',
    title: 'Split the change into parts',
    phase: WORK,
    actions: [
      'Write {{task}}/parts-{{effort}}.md with a section for each part, 2 to 12 parts, in the order of the work. A part changes at most 5 files, leaves the project working, and says:',
      '- the result in one sentence, and the criteria that it serves',
      '- its files, and for each what changes; names, signatures and formats are written out',
      '- what it builds on: facts with path:line, decisions, conventions with an example to follow',
      '- the command that checks it, and what that prints afterwards',
      'Write for an agent that knows nothing of this conversation and cannot ask.',
      'The command that ends this step takes the title of the first part (--set part), or none if the change cannot be split so: then it becomes a runbook.',
      '',
      'Done when: each line of the scope table is in exactly one part, and each part has all four points.',
    ],
    decides: [{ when: { part: 'none' }, outcome: 'runbook' }, { outcome: 'ok' }],
    next: { ok: 'part', runbook: 'runbook' },
  }),
  step({
    id: 'part',
    title: 'Hand over a part',
    phase: WORK,
    actions: [
      'A quiet-task sub-agent carries out this part: {{part}}. Do not do its work yourself.',
      '',
      'Done when: the sub-agent has ended with one line, done or error.',
    ],
    dispatch: dispatch('quiet-task', {
      model: 'haiku',
      instruction:
        'Carry out the named part of the file, and only that part. Write a report to a new file beside it, named report-PART.md, and do not commit.',
      vars: { PART: '{{part}}', FILE: '{{task}}/parts-{{effort}}.md' },
    }),
    limit: 12,
    onLimit: 'runbook',
    next: { ok: 'part-check', fail: 'part-check' },
  }),
  step({
    id: 'part-check',
    title: 'Check the part',
    phase: WORK,
    actions: [
      'The part: {{part}}',
      'Run its check yourself, and look at `git diff --stat`: are these the files of the part, and no others?',
      'If the line was an error, or the check fails, read the report. Then correct the text of the part, for that is where most errors come from, and hand it over again; after its second failure, do the part yourself.',
      'The command that ends this step takes the title of the part to hand over next (--set part), or none if no part is left.',
      '',
      'Done when: the check of the part has passed in a run of yours, or the part is the next one again, with a better text.',
    ],
    decides: [{ when: { part: 'none' }, outcome: 'ok' }, { outcome: 'next' }],
    next: { ok: 'check', next: 'part' },
  }),
  step({
    id: 'check',
    title: 'Check the whole change',
    phase: WORK,
    actions: [
      'If a review has failed, its report is named above: read it, and fix each finding that blocks. If a finding is wrong, write why into {{task}}/scope-{{effort}}.md.',
      '',
      'Run the checks of the project: types, linter, all tests. Then show each criterion of {{task}}/scope-{{effort}}.md once more.',
      forbidden('Weakening or skipping a test', 'Committing; a later skill does that'),
      'Done when: the checks have passed in one run after the last change, and each criterion has its evidence.',
    ],
    next: 'vet',
  }),
  ...gate({
    id: 'vet',
    name: 'Vet',
    phase: WORK,
    work: 'check',
    pass: 'present',
    review: dispatch('vet', {
      workflow: 'review-change',
      model: 'sonnet',
      vars: { request: '{{request}}', scope: '{{task}}/scope-{{effort}}.md' },
    }),
    message: 'The change has passed its review.',
  }),
  step({
    id: 'present',
    title: 'Present the change',
    phase: WORK,
    actions: [
      'Tell the user in at most ten lines: what works now, by criterion and with its evidence; what differs from the request; what is left open.',
      'This skill ends with a result: as the tier direct, or delegated if sub-agents did the parts, and null as the runbook.',
      '',
      'Done when: the user has these three points, and the effort is finished with its result.',
    ],
    next: null,
  }),
] as const

const runbook = [
  step({
    id: 'runbook',
    title: 'Write the runbook',
    phase: RUNBOOK,
    actions: [
      'If a review has failed, its report is named above: read it, and change the runbook where it says so.',
      '',
      'Write the runbook to plans/NAME/runbook.md, where NAME is the folder of the design, or two to four words in kebab-case. Its form:',
      resource('runbook-format', 'The form of the runbook'),
      'Use {{task}}/scope-{{effort}}.md: each of its lines belongs to exactly one step. If parts were handed over before, the runbook has only what is left.',
      '- A step fits into one session of a small agent: at most 5 files, one check.',
      '- A phase ends where somebody can try the result; there a review takes place.',
      '- The model is haiku if the step leaves nothing to decide, sonnet if it needs judgment within its files, opus if it needs a view of the whole.',
      'Run `holdfast runbook check` with the path of the runbook, and correct what it finds.',
      'The command that ends this step takes the path (--set runbook).',
      '',
      'Done when: the check exits with 0, and each criterion is shown by the check of a step.',
    ],
    decides: [{ when: { runbook: '' }, outcome: 'iterate' }, { outcome: 'ok' }],
    next: { ok: 'plan-review', iterate: 'runbook' },
  }),
  ...gate({
    id: 'plan-review',
    name: 'Plan-Review',
    phase: RUNBOOK,
    work: 'runbook',
    pass: 'compile',
    review: dispatch('plan-reviewer', {
      workflow: 'review-runbook',
      model: 'sonnet',
      vars: { runbook: '{{runbook}}', scope: '{{task}}/scope-{{effort}}.md' },
    }),
    message: 'The runbook has passed its review.',
  }),
  step({
    id: 'compile',
    title: 'Compile and commit the runbook',
    phase: RUNBOOK,
    actions: [
      'Run `holdfast runbook compile` with this path: {{runbook}}',
      'It writes an agent, the step files and the orchestrator plan, or leaves what was there. If it finds errors, correct the runbook and run it again. Do not edit what it wrote.',
      'The orchestrator needs a clean tree. Commit the folder of the runbook and the agents that compile named: name them in `git add`, with a subject such as "plans: add the runbook of NAME". If other changes are left, ask the user whose they are.',
      '',
      'Done when: compile exits with 0, the commit is there, and `git status --porcelain` prints nothing.',
    ],
    next: 'hand-over',
  }),
  step({
    id: 'hand-over',
    title: 'Hand over to the orchestrator',
    phase: RUNBOOK,
    actions: [
      'The runbook is carried out by /orchestrate, best in a new session with a small model, because the orchestrator decides nothing.',
      'If Holdfast has named /orchestrate as the next skill of a chain, that is the hand-over. Otherwise add it for the next session, with the name of the folder of the runbook for NAME: `holdfast todo add "Carry out NAME" --command "/orchestrate NAME" --model haiku --restart --plan NAME`, then `holdfast handoff next --copy`, which puts the command on the clipboard and says how to restart.',
      'Tell the user: the path {{runbook}}, its phases in one line each, the number of steps by model, and how to go on.',
      'This skill ends with a result: as the tier runbook, and the path of the runbook.',
      '',
      'Done when: the user has all four points, and the effort is finished with its result.',
    ],
    next: null,
  }),
] as const

export default workflow('plan-adhoc', [...size, ...work, ...runbook], {
  description:
    'Carries out a change in the way that fits its size: directly, by sub-agents, or by a runbook.',
  activate: 'first',
  params: {
    request: param.text({
      required: true,
      description: 'What the user asked for, or the path of its design.',
    }),
  },
  state: {
    decisions: param.choice(['settled', 'open'], { description: 'Whether a decision is open.' }),
    files: param.choice(['up-to-5', '6-to-15', 'over-15'], { description: 'How many files change.' }),
    lines: param.choice(['under-100', '100-and-more'], { description: 'How many lines change.' }),
    components: param.choice(['1', '2-to-4', 'over-4'], { description: 'How many components change.' }),
    part: param.text({ description: 'The title of the part that a sub-agent does next, or none.' }),
    runbook: param.text({ description: 'The path of the runbook.' }),
  },
  workflows: { 'review-change': reviewChange, 'review-runbook': reviewRunbook },
})
