import { CONFIDENCE, dispatch, forbidden, param, step, workflow } from 'holdfast/workflow'
import { exploreArea } from './explore.ts'

/** The question, its parts and what is known, from the first step to the last. */
const ANALYSIS = '{{task}}/analysis-{{effort}}.md'
/** One line for each explorer, written anew before each survey. */
const AREAS = '{{task}}/areas-{{effort}}.md'
/** Explorers at the same time; a value that decides is asked for by the command of the step. */
const EXPLORERS = [1, 2, 3, 4, 5, 6]

export default workflow(
  'codebase-analysis',
  [
    step({
      id: 'scope',
      title: 'Scope',
      actions: [
        'The question: {{question}}',
        '',
        `Write or complete ${ANALYSIS}:`,
        '- Reader: who needs the answer, and what they will do with it. If the request does not say, ask the user once.',
        '- Parts: three to seven questions Q1, Q2 ... that together answer it, each with what its answer must name (a path, a flow, a number, a list)',
        '- Out of scope: what a reader might expect and will not get',
        'Look only at the top: README, guides, configuration, the list of folders, the entry points. Open no code below them.',
        `Then write ${AREAS}: numbered lines from 1 to at most 6, each an area (folders, or a flow across them) with the Qs that it serves.`,
        'The command that ends this step takes the number of lines (--set explorers), and how sure you are that these areas hold the answer to every Q (--set coverage). Below medium, this step comes again, at most three times in all.',
        '',
        'Done when: each Q has an area, and each area a path that you saw.',
      ],
      limit: 3,
      onLimit: 'survey',
      decides: [
        { when: { coverage: ['medium', 'high', 'certain'], explorers: EXPLORERS }, outcome: 'ok' },
        { when: { coverage: ['exploring', 'low'], explorers: EXPLORERS }, outcome: 'iterate' },
      ],
      next: { ok: 'survey', iterate: 'scope' },
    }),
    step({
      id: 'survey',
      title: 'Survey',
      actions: [
        `An explore sub-agent for each line of ${AREAS} walks through its area and returns the path of its findings. Do not open the code yourself.`,
        'If one stops before its end, start it once more. If it stops again, give it up with its command, after all others have ended.',
        '',
        'Done when: each sub-agent has returned a path, or is given up.',
      ],
      dispatch: dispatch('explore', {
        workflow: 'explore-area',
        count: 'explorers',
        instruction: 'Each knows its line by its number.',
        vars: { question: '{{question}}', areas: AREAS, of: '{{effort}}' },
        returns: ['findings'],
      }),
      limit: 3,
      onLimit: 'deepen',
      next: { ok: 'deepen', fail: 'deepen' },
    }),
    step({
      id: 'deepen',
      title: 'Deepen',
      actions: [
        `Read every new file {{task}}/area-{{effort}}-*.md, also of a sub-agent that is listed as failed. Write into ${ANALYSIS} below each Q: the answer so far, with path:line, and what is missing or contradicts.`,
        'Then take the Q that is weakest. Open the places that would decide it, and look first for the fact that would refute the answer.',
        'Judge how sure you are of all answers together:',
        '- exploring: a Q has no answer',
        '- low: each Q has one, and one of them rests on a name or a comment alone',
        '- medium: each answer has a place that you or an explorer opened, and something contradicts or is missing',
        '- high: nothing contradicts, and you tried to refute each answer once',
        '- certain: high, and you ran something that would have failed otherwise',
        `The command that ends this step takes it (--set confidence), and what comes next (--set way, --set explorers): survey, if a whole area is unknown, with new lines in ${AREAS} and their number; else self and 1. Below high, self means this step again, at most four times in all.`,
        forbidden('Raising your confidence without a place that you opened in this round'),
        'Done when: each Q has its answer or the word "open", and one attempt to refute an answer is written down with what it showed.',
      ],
      limit: 4,
      onLimit: 'synthesize',
      decides: [
        { when: { confidence: ['high', 'certain'] }, outcome: 'ok' },
        { when: { way: 'self' }, outcome: 'iterate' },
        { when: { way: 'survey', explorers: EXPLORERS }, outcome: 'survey' },
      ],
      next: { ok: 'synthesize', survey: 'survey', iterate: 'deepen' },
    }),
    step({
      id: 'synthesize',
      title: 'Synthesize',
      actions: [
        'The confidence that was reached: {{confidence}}.',
        `Write the answer to the top of ${ANALYSIS}, for its reader:`,
        '1. The answer to the question in five sentences at most.',
        '2. A map: the parts that matter, what each is for, and how they depend on each other, with places.',
        '3. The flows: one usual case and one failure, station by station.',
        '4. What a change must respect: invariants, interfaces, stored data, conventions.',
        '5. Surprises and risks, the most costly first.',
        '6. What is open, and the one check that would settle it.',
        'Before you write a statement, find its place in the notes; what has none is marked as a guess. Then open five of the places once more, those that the answer depends on most, and compare.',
        'Tell the user the first part, the confidence, what is open, and the path of the file.',
        '',
        'Done when: the file has all six parts, each statement has path:line or the word guess, and five places were compared in this step.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Answers a question about a codebase: areas by sub-agents, then rounds until sure.',
    activate: 'first',
    format: 'text',
    params: { question: param.text({ required: true, description: 'What the analysis must answer.' }) },
    state: {
      coverage: param.choice(CONFIDENCE, { description: 'How sure you are of the areas.' }),
      confidence: param.choice(CONFIDENCE, {
        default: 'exploring',
        description: 'How sure you are of the answers.',
      }),
      explorers: param.number({ min: 1, max: 6, description: 'How many sub-agents explore.' }),
      way: param.choice(['self', 'survey'], { description: 'Who finds out more.' }),
      findings: param.text({ description: 'The path of the findings of a sub-agent.' }),
    },
    workflows: { 'explore-area': exploreArea },
  },
)
