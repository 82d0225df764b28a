import { factoredVerification, forbidden, openQuestions, param, step, workflow } from 'holdfast/workflow'

const DECOMPOSITION = 'DECOMPOSITION'
const VERIFICATION = 'VERIFICATION'
const CHALLENGE = 'CHALLENGE'

export default workflow(
  'decision-critic',
  [
    step({
      id: 'extract-structure',
      title: 'Extract the structure',
      phase: DECOMPOSITION,
      actions: [
        'The decision: {{decision}}',
        '',
        'Split it into single statements. Give each an id that stays the same until the end:',
        '- C1, C2 ...: claims about how things are ("the table has 40 million rows")',
        '- A1, A2 ...: assumptions that the decision needs and nobody states ("the team can run Kafka")',
        '- K1, K2 ...: constraints that it must respect ("no downtime")',
        '- J1, J2 ...: judgments, where informed people may differ ("readability matters more here")',
        'Quote or paraphrase closely. A statement with "and" is two statements.',
        'Look for assumptions behind each claim: what would have to be true for it to matter?',
        '',
        'Done when: you have a list with at least one C, two A and one K, and no statement of the decision is missing from it.',
      ],
      next: 'classify-verifiability',
    }),
    step({
      id: 'classify-verifiability',
      title: 'Classify what can be checked',
      phase: DECOMPOSITION,
      actions: [
        'Mark each id with one of these:',
        '- CHECKABLE: somebody can find out with the code, a document, a measurement or a calculation. Name the source.',
        '- JUDGMENT: no source can settle it.',
        '- GIVEN: the user set it. It is not yours to question, but say so if two of these contradict each other.',
        'For each CHECKABLE id, add how much of the decision falls with it: all, part, or little.',
        'If you doubt whether an id is CHECKABLE or JUDGMENT, it is CHECKABLE.',
        '',
        'Done when: every id has a mark, and every CHECKABLE id has a source and a weight.',
      ],
      next: 'generate-questions',
    }),
    step({
      id: 'generate-questions',
      title: 'Generate verification questions',
      phase: VERIFICATION,
      actions: [
        openQuestions(),
        'For each CHECKABLE id that all or part of the decision falls with, write one to three questions.',
        'A good question could be answered by somebody who never saw the decision, and one of its possible answers would refute the statement.',
        'Number them by id: C1.1, C1.2, A2.1.',
        '',
        'Done when: every such id has a question, and you can say for each question which answer would refute the statement.',
      ],
      next: 'factored-verification',
    }),
    step({
      id: 'factored-verification',
      title: 'Answer each question on its own',
      phase: VERIFICATION,
      actions: [
        factoredVerification(),
        'Take the questions one by one. For each:',
        '1. Answer it from its source: read the file, run the calculation, search the document. Do not look at the statement meanwhile.',
        '2. Write the answer with its evidence (path and line, number, quotation), or UNKNOWN with what you tried.',
        '3. Only then compare it with the statement: CONFIRMED, REFUTED, or UNCERTAIN.',
        forbidden(
          'Answering from memory where a source is within reach',
          'Rewording a statement so that the answer fits it',
          'Marking a statement CONFIRMED because nothing speaks against it',
        ),
        'Done when: every question has an answer with evidence or UNKNOWN, and every id that was checked has a status.',
      ],
      next: 'contrarian-perspective',
    }),
    step({
      id: 'contrarian-perspective',
      title: 'Argue against it',
      phase: CHALLENGE,
      actions: [
        'Write the strongest case against the decision, as an expert would who has seen it fail elsewhere.',
        '- Build it on REFUTED and UNCERTAIN ids first, then on JUDGMENT ids.',
        '- Tell one concrete way in which it fails: what happens first, who notices, what it costs, what cannot be undone.',
        '- Name what the decision gives up, and who pays for that.',
        'Do not weaken the case with "however". The answer to it belongs to the last step.',
        '',
        'Done when: the case names at least three ids, and its failure story has a first event, a cost and a point of no return.',
      ],
      next: 'alternative-framing',
    }),
    step({
      id: 'alternative-framing',
      title: 'Frame the problem differently',
      phase: CHALLENGE,
      actions: [
        'State the problem that the decision solves in one sentence that does not contain the solution.',
        'Then find two alternatives:',
        '- one that solves the same problem in a different way, including "do nothing for a month";',
        '- one that comes from another framing: another goal, another owner, or another point in time.',
        'For each, say which GIVEN constraints it meets, which ids it no longer needs, and what would have to be true for it to be better.',
        '',
        'Done when: you have the sentence, two alternatives that meet every K id (or say which they break), and their conditions.',
      ],
      next: 'synthesis',
    }),
    step({
      id: 'synthesis',
      title: 'Synthesis and verdict',
      phase: 'SYNTHESIS',
      actions: [
        'Decide, with the ids as reasons:',
        '- stand: nothing that the decision falls with is REFUTED, and the failure story is answered;',
        '- revise: it holds with named changes; name them, and the ids that they remove;',
        '- escalate: something it falls with is REFUTED or UNCERTAIN, and only the user can settle it.',
        'If a condition of an alternative is already met, the verdict is not stand.',
        'Write for the user: the verdict in one sentence, the reasons by id, what is still unknown and how to find out, and the sign by which to notice early that the decision was wrong.',
        'The command that ends this step takes the verdict (--set verdict).',
        '',
        'Done when: every REFUTED and UNCERTAIN id is answered or listed as open, and you have one verdict.',
      ],
      next: null,
    }),
  ],
  {
    description: 'Stress-tests a decision: claims, checks, counterarguments, verdict.',
    activate: 'first',
    format: 'text',
    params: {
      decision: param.text({ required: true, description: 'The decision, in one to three sentences.' }),
    },
    state: {
      verdict: param.choice(['stand', 'revise', 'escalate'], {
        required: true,
        description: 'What the decision comes to.',
      }),
    },
  },
)
