import { dispatch, forbidden, gate, param, step, workflow } from 'holdfast/workflow'
import { carryOut } from './carry-out.ts'
import { document } from './document.ts'
import { reconcile } from './reconcile.ts'
import { reviewCode } from './review-code.ts'
import { reviewDocs } from './review-docs.ts'

const EXECUTION = 'EXECUTION'
const DOCUMENTATION = 'DOCUMENTATION'

/** One line for each sub-agent of the next dispatch, written anew in each round. */
const WAVE = '{{task}}/wave-{{effort}}.md'
/** Where the work stands, kept from the first round to the last. */
const PROGRESS = '{{task}}/execution-{{effort}}.md'
const ABOUT = { plan: '{{plan}}', wave: WAVE }
const REVIEWED = { plan: '{{plan}}', progress: PROGRESS }

/** Sub-agents at the same time; a value that decides is asked for by the command of the step. */
const AGENTS = [1, 2, 3, 4, 5, 6]

const execution = [
  step({
    id: 'planning',
    title: 'Execution planning',
    phase: EXECUTION,
    actions: [
      'The plan: {{plan}}',
      '',
      `In the first round, read the plan in full and write ${PROGRESS}:`,
      '- the commit of now (`git rev-parse HEAD`), and the files that are changed already (`git status --porcelain`)',
      '- the commands that build, check and test the project, as they stand in its configuration',
      '- a table with a line for each milestone: id, needs, files, verdict. The verdict is NOT_SATISFIED, or UNKNOWN if its files show that somebody worked on it before.',
      'If the plan has no milestones with acceptance criteria, or leaves a decision open, ask the user before you go on.',
      '',
      'In a later round, copy the verdicts that the sub-agents returned into the table, with the paths of their evidence. A milestone without a verdict keeps the one it has.',
      '',
      `Then write ${WAVE} anew: numbered lines from 1 to at most 6, one for each sub-agent, each with its milestones and files. Choose the work:`,
      '- check: a verdict is UNKNOWN. A line has one such milestone.',
      '- wave: a verdict is not SATISFIED. A line has one to three such milestones in the order of the plan: those that share a file or need each other go into one line, and what else they need is SATISFIED. For PARTIALLY_SATISFIED, the line says what is missing.',
      '- done: no verdict is open, or what is open needs the user; write down why. Leave the file as it is.',
      'The command that ends this step takes the work (--set work) and the number of lines (--set agents); for done it is 1.',
      forbidden('Writing code yourself', 'Setting a verdict that no sub-agent returned'),
      'Done when: each milestone has one line in the table, and no two lines of the wave name the same file.',
    ],
    limit: 6,
    onLimit: 'qr-code',
    decides: [
      { when: { work: 'done', agents: AGENTS }, outcome: 'ok' },
      { when: { work: 'wave', agents: AGENTS }, outcome: 'wave' },
      { when: { work: 'check', agents: AGENTS }, outcome: 'check' },
    ],
    next: { ok: 'qr-code', wave: 'implementation', check: 'reconciliation' },
  }),
  step({
    id: 'reconciliation',
    title: 'Reconciliation',
    phase: EXECUTION,
    actions: [
      `A quality-reviewer sub-agent for each line of ${WAVE} compares what is there with what the plan asks for, and returns a verdict: SATISFIED, PARTIALLY_SATISFIED or NOT_SATISFIED. What a developer said does not count.`,
      'If one stops before its end, start it once more. If it stops again, give it up with its command, after all others have ended.',
      '',
      'Done when: each sub-agent has returned a verdict, or is given up.',
    ],
    dispatch: dispatch('quality-reviewer', {
      workflow: 'reconcile',
      count: 'agents',
      instruction: 'Each knows its line by its number.',
      vars: ABOUT,
      returns: ['verdict', 'evidence'],
    }),
    next: { ok: 'planning', fail: 'planning' },
  }),
  step({
    id: 'implementation',
    title: 'Implementation',
    phase: EXECUTION,
    actions: [
      `A developer sub-agent for each line of ${WAVE} writes the code and the tests of its milestones. After a failed review, one developer fixes what the report lists. Write no code yourself.`,
      'If one stops before its end, start it once more. If it stops again, give it up with its command, after all others have ended. The reconciliation finds out what is there.',
      '',
      'Done when: each sub-agent has ended, or is given up.',
    ],
    dispatch: dispatch('developer', {
      workflow: 'carry-out',
      count: 'agents',
      instruction: 'Each knows its work by its number.',
      vars: ABOUT,
      returns: ['built'],
    }),
    // Waves and rounds of the gate; the rounds that are left are at least two.
    limit: 8,
    next: { ok: 'reconciliation', fail: 'reconciliation' },
  }),
  ...gate({
    id: 'qr-code',
    name: 'QR-Code',
    phase: EXECUTION,
    work: 'implementation',
    pass: 'documentation',
    review: dispatch('quality-reviewer', { workflow: 'review-code', vars: REVIEWED }),
    message: 'The code holds. A technical writer goes over the texts.',
    fix: 'developer',
  }),
] as const

const documentation = [
  step({
    id: 'documentation',
    title: 'Documentation',
    phase: DOCUMENTATION,
    actions: [
      'A technical-writer sub-agent puts the knowledge of the plan where a later reader looks for it, and makes the documents of the project true again.',
      '',
      'Done when: the sub-agent has ended.',
    ],
    dispatch: dispatch('technical-writer', { workflow: 'document', vars: REVIEWED }),
    next: 'qr-docs',
  }),
  ...gate({
    id: 'qr-docs',
    name: 'QR-Docs',
    phase: DOCUMENTATION,
    work: 'documentation',
    pass: 'retrospective',
    review: dispatch('quality-reviewer', { workflow: 'review-docs', vars: REVIEWED }),
    message: 'The texts hold.',
    fix: 'technical-writer',
  }),
  step({
    id: 'retrospective',
    title: 'Retrospective',
    phase: DOCUMENTATION,
    actions: [
      `Read ${PROGRESS} and the reports that the developers and reviewers left in {{task}}. Add a section Retrospective:`,
      '- Result: each milestone with its verdict, and the path of the evidence',
      '- Departures: where the code differs from the plan, and why',
      '- Rounds: how often work was sent back, and which words of the plan would have prevented it',
      '- Open: what is not SATISFIED, what a review left below its line, what the user must decide',
      'Tell the user the same in at most fifteen lines. Nothing is committed; name the files that belong to the change.',
      '',
      'Done when: the section has all four parts, and each milestone that is not SATISFIED stands under Open.',
    ],
    next: null,
  }),
] as const

export default workflow('executor', [...execution, ...documentation], {
  description: 'Carries out a plan: waves of developers, verdicts on each milestone, two reviews, documents.',
  activate: 'first',
  format: 'text',
  params: { plan: param.text({ required: true, description: 'The path of the plan.' }) },
  state: {
    work: param.choice(['wave', 'check', 'done'], { description: 'What comes next.' }),
    agents: param.number({ min: 1, max: 6, description: 'How many sub-agents do it.' }),
    verdict: param.text({ description: 'What a reconciliation returned.' }),
    evidence: param.text({ description: 'The path of its evidence.' }),
    built: param.text({ description: 'The path of what a developer reported.' }),
  },
  workflows: {
    'carry-out': carryOut,
    reconcile,
    'review-code': reviewCode,
    document,
    'review-docs': reviewDocs,
  },
})
