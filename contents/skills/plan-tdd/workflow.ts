import { dispatch, forbidden, gate, param, resource, step, workflow } from 'holdfast/workflow'
import { review } from './review.ts'

const BEHAVIOR = 'BEHAVIOR'
const RUNBOOK = 'RUNBOOK'

const behavior = [
  step({
    id: 'behaviors',
    title: 'List the behaviors',
    phase: BEHAVIOR,
    actions: [
      'The request: {{request}}',
      '',
      'If it names a design, or a skill before this one returned the path of one, read that document in full. Read the code that will change and two of its tests.',
      'Run all tests once. If one fails, tell the user: cycles need a green start.',
      'Write {{task}}/behaviors-{{effort}}.md: B1, B2 ..., each one sentence that a test can show from outside ("a session that does not exist is absent, not an error"). Sort them: the plainest case first, then variations, then edges, then failures.',
      'Mark each: NEW, KEEP (it holds today and could break), or UNKNOWN (nobody can say without trying).',
      'The command that ends this step says whether something about a behavior is left that only the user can answer (--set questions).',
      '',
      'Done when: each requirement has at least one behavior, each behavior has a mark, and you have seen all tests pass.',
    ],
    decides: [
      { when: { questions: 'none' }, outcome: 'ok' },
      { when: { questions: 'open' }, outcome: 'ask' },
    ],
    next: { ok: 'order', ask: 'ask' },
  }),
  step({
    id: 'ask',
    title: 'Ask the user',
    phase: BEHAVIOR,
    actions: [
      'Ask all open questions in one message, each as an example: "input X, then Y. Is that right?" Then end your turn.',
      '',
      'Done when: each question has an answer in the words of the user, and the list of behaviors says so.',
    ],
    next: 'order',
  }),
  step({
    id: 'order',
    title: 'Order the cycles',
    phase: BEHAVIOR,
    actions: [
      'Make the list of cycles in {{task}}/behaviors-{{effort}}.md:',
      '- each UNKNOWN becomes a spike, 0.1, 0.2 ...; what depends on its answer comes later',
      '- each NEW becomes a cycle X.Y; X is a phase, whose end somebody can try',
      '- each KEEP that no test of today shows becomes a cycle marked [REGRESSION], before the first cycle that could break it',
      'For each cycle: the assertion that fails, why it fails at that point, and the cycles that it depends on. If a test would pass at once, it comes too late or is not needed: move it or drop it.',
      'If one cycle needs more than one new function or one new branch, split it.',
      '',
      'Done when: each behavior has a cycle or a test of today with its place, and each cycle fails for one reason that no earlier cycle removes.',
    ],
    next: 'runbook',
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
      resource('tdd-runbook-format', 'The form of the runbook'),
      forbidden(
        'Writing the code of GREEN: say what it must do, the agent finds the least code',
        'A cycle without the message with which its test fails',
        'A test that needs the code of a later cycle',
      ),
      'Run `holdfast runbook check` with the path of the runbook, and correct what it finds.',
      'The command that ends this step takes the path (--set runbook).',
      '',
      'Done when: the check exits with 0, and each line of the list of cycles is in the runbook.',
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
      workflow: 'review',
      model: 'sonnet',
      vars: { runbook: '{{runbook}}', behaviors: '{{task}}/behaviors-{{effort}}.md' },
    }),
    message: 'The runbook has passed its review.',
  }),
  step({
    id: 'compile',
    title: 'Compile and commit the runbook',
    phase: RUNBOOK,
    actions: [
      'Run `holdfast runbook compile` with this path: {{runbook}}',
      'It writes the agents, a file for each part of a cycle and the orchestrator plan, or leaves what was there. If it finds errors, correct the runbook and run it again. Do not edit what it wrote.',
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
      'Tell the user: the path {{runbook}}, its phases in one line each, the number of cycles, spikes and regressions, and how to go on.',
      'This skill ends with a result: the path of the runbook.',
      '',
      'Done when: the user has all four points, and the effort is finished with its result.',
    ],
    next: null,
  }),
] as const

export default workflow('plan-tdd', [...behavior, ...runbook], {
  description: 'Writes a reviewed TDD runbook: spikes, cycles with a failing test first, and regressions.',
  activate: 'first',
  params: {
    request: param.text({
      required: true,
      description: 'What the user asked for, or the path of its design.',
    }),
  },
  state: {
    questions: param.choice(['none', 'open'], { description: 'What only the user can answer.' }),
    runbook: param.text({ description: 'The path of the runbook.' }),
  },
  workflows: { review },
})
