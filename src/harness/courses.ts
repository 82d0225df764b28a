import { FINAL } from '../model/runbook/review-task.ts'
import type { Answers } from './orchestrator.ts'
import { OTHER } from './plain.ts'

/** The name of the runbook that a test compiles. */
export const NAME = 'rehearsal'

/** A runbook that is small and has every kind of step: on the weakest model, on the strongest, and inline. */
export const RUNBOOK = `---
model: haiku
---

### Phase 1: Make

## Step 1.1: Make one

Write one.

## Step 1.2: Make two

**Execution Model**: opus

Write two.

### Phase 2: Tell (type: inline)

Write what was made.
`

/** A way on which an orchestrator must come to the end of the runbook. */
export interface RunbookCourse {
  readonly what: string
  readonly answers: Answers
  /** What is handed out, in order. */
  readonly expected: readonly string[]
  /** The skill that follows in the chain; else the default exit does. */
  readonly leadsTo?: string
}

const END = ['checkpoint-1 sonnet', 'inline-2 itself', 'checkpoint-2 sonnet', `${FINAL} opus`]
const FAILS = 'error: execution: a check fails'

export const COURSES: readonly RunbookCourse[] = [
  { what: 'every step is done', answers: {}, expected: ['step-1-1 haiku', 'step-1-2 opus', ...END] },
  {
    what: 'a step fails on every model',
    answers: { said: { 'step-1-1': [FAILS, FAILS, FAILS] } },
    expected: [
      'step-1-1 haiku',
      'step-1-1 sonnet',
      'step-1-1 opus',
      'the user',
      'step-1-1 opus',
      'step-1-2 opus',
      ...END,
    ],
    leadsTo: OTHER,
  },
  {
    what: 'answers are odd, work is not committed, and a review finds something',
    answers: {
      said: {
        'step-1-1': ['What shall I do?'],
        'step-1-2': ['error: prerequisite: there is no disk'],
        'checkpoint-1': ['error: findings: one thing'],
      },
      forgets: 'step-1-1',
    },
    expected: [
      'step-1-1 haiku',
      'step-1-1 sonnet',
      'a commit',
      'step-1-2 opus',
      'the user',
      'step-1-2 opus',
      'checkpoint-1 sonnet',
      'fix-checkpoint-1 sonnet',
      ...END,
    ],
  },
]
