import { declaredIn } from '../model/chain/declared.ts'
import type { Definition } from '../model/plan/definition.ts'
import { EngineError } from '../model/error.ts'
import { ORCHESTRATE } from '../model/runbook/plan.ts'
import { FINAL } from '../model/runbook/review-task.ts'
import { ownName } from '../model/skill.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import { type Finding, once, type Tested } from './finding.ts'
import { isFinished } from './follow.ts'
import { doNamed } from './named-action.ts'
import { type Answers, COMMIT, conduct, readSkill, type Score, scoreOf, standOf } from './orchestrator.ts'
import { putSkill, type Tried } from './plain.ts'
import type { Rehearsal } from './rehearsal.ts'
import type { Heard, Window } from './window.ts'
import { failing, FINE, plainly, type Worked } from './worked.ts'

/** True for a skill whose plan is that of the runbook it carries out. */
export const carriesOut = (id: string): boolean => ownName(id) === ORCHESTRATE

/** What is tested of such a skill. */
export const ABOUT_ORCHESTRATE =
  'Its plan is that of the runbook that it carries out: its check, its texts, and agents with a small runbook are tested.'

/** A runbook that is small and has every kind of step: on the weakest model, on the strongest, and inline. */
const NAME = 'rehearsal'
const RUNBOOK = `---
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

interface Course {
  readonly answers: Answers
  /** What is handed out, in order. */
  readonly expected: readonly string[]
}

const END = ['checkpoint-1 sonnet', 'inline-2 itself', 'checkpoint-2 sonnet', `${FINAL} opus`]
const FAILS = 'error: execution: a check fails'

/** The ways on which an orchestrator must come to the end. */
const COURSES: Readonly<Record<string, Course>> = {
  'every step is done': {
    answers: {},
    expected: ['step-1-1 haiku', 'step-1-2 opus', ...END],
  },
  'a step fails on every model': {
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
  },
  'answers are odd, work is not committed, and a review finds something': {
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
}

/** Level 2 of the skill that carries out runbooks, with real git: it copies what is printed, idles, and hurries. */
export async function tryOrchestrate(
  rehearsal: Rehearsal,
  definition: Definition,
  doing: (text: string) => void,
): Promise<Tried> {
  const heard: Heard[] = []
  const worked: Worked[] = []
  const agents: readonly (readonly [string, (it: Window, score: Score) => Promise<Worked>])[] = [
    ...Object.entries(COURSES).map(
      ([what, course]) =>
        [
          `an obedient agent: ${what}`,
          (it: Window, score: Score) => obey(it, score, { what, course, definition }),
        ] as const,
    ),
    ['a lazy agent', beLazy],
    ['a hasty agent', beHasty],
  ]
  for (const [name, work] of agents) {
    doing(name)
    const it = await openWithRunbook(rehearsal)
    const exits = exitsOf(definition)
    for (const skill of exits) putSkill(it, skill)
    await it.call(`/${definition.id} ${NAME}`)
    const score = scoreOf(await readSkill(it), NAME)
    worked.push(
      score === undefined
        ? failing('obedient', 'Its text has no code with a first command of Holdfast.', [])
        : await work(it, score),
    )
    heard.push(...it.heard)
    await it.ends()
  }
  const findings: readonly Finding[] = once(worked.flatMap((one) => one.findings))
  const notes = [...new Set(worked.flatMap((one) => one.notes))]
  const tested: Tested = {
    level: 2,
    counts: { runbooks: agents.length, agents: agents.length },
    findings,
    notes,
  }
  return { heard, tested }
}

/** A repository with a compiled and committed runbook. */
async function openWithRunbook(rehearsal: Rehearsal): Promise<Window> {
  const it = await rehearsal.open({ runs: true })
  it.put(`plans/${NAME}/runbook.md`, RUNBOOK)
  const ran = [
    rehearsal.git(it.project, 'git init -q'),
    await rehearsal.typed(it.project, ['runbook', 'compile', NAME]),
    rehearsal.git(it.project, COMMIT),
  ].find(({ code }) => code !== 0)
  if (ran !== undefined)
    throw new EngineError('conflict', `No runbook to test with: ${ran.said.join('').trim()}`, {
      hint: 'git --version',
    })
  return it
}

/** The skills that follow a cooperative one. */
function exitsOf({ engine }: Definition): readonly string[] {
  const { cooperative = false, default_exit = [] } = declaredIn(engine['continuation']) ?? {}
  return cooperative ? default_exit.map(({ skill }) => skill) : []
}

/** Obeys to the end, and then calls the skills that follow. */
async function obey(
  it: Window,
  score: Score,
  {
    what,
    course,
    definition,
  }: { readonly what: string; readonly course: Course; readonly definition: Definition },
): Promise<Worked> {
  const { handed, wrong } = await conduct(it, score, course.answers)
  if (wrong !== undefined) return failing('obedient', plainly(it, wrong), [what, ...handed])
  if (handed.join() !== course.expected.join())
    return failing('obedient', `It should have handed out: ${course.expected.join(', ')}.`, [what, ...handed])
  return (await afterEnd(it, exitsOf(definition))) ?? FINE
}

/** What is wrong once every step is done. */
async function afterEnd(it: Window, exits: readonly string[]): Promise<Worked | undefined> {
  if (!(await isFinished(it))) return failing('obedient', 'The effort is not finished.', [])
  for (const skill of exits) {
    const held = await it.stops()
    if (held === undefined) return failing('obedient', `Nothing calls /${skill} at the end.`, [])
    const wrong = await doNamed(it, held)
    if (wrong !== undefined) return failing('obedient', plainly(it, wrong), [])
  }
  const held = await it.stops()
  return held === undefined ? undefined : failing('obedient', `The turn may not end: ${held}`, [])
}

/** Hands out nothing, would end its turn, and claims that all is done. */
async function beLazy(it: Window, score: Score): Promise<Worked> {
  const { first } = score
  const wrong = await it.shell(first)
  if (wrong !== undefined) return failing('lazy', plainly(it, wrong), [first])
  it.effort = Number(/--effort (\d+)/.exec(it.said)?.[1] ?? 0)
  if ((await it.stops()) === undefined)
    return failing('lazy', 'The turn may end while steps are open.', ['end the turn'])
  const before = await standOf(it)
  const claims = [
    'effort finish EFFORT',
    'step skip step-1-1 --effort EFFORT',
    `runbook report ${FINAL} done --effort EFFORT`,
  ]
  for (const claim of claims) await it.bad(claim)
  if ((await standOf(it)).text !== before.text) return failing('lazy', 'A claim moved the work.', claims)
  const claimed = await conduct(it, score, { idles: true })
  if (claimed.wrong !== undefined) return FINE
  const note = `Nothing shows that a sub-agent worked: an orchestrator that started none reported ${claimed.handed.length} steps as done.`
  return { findings: [], notes: [note] }
}

/** Tries the last step first and repeats its last report before each step; none of it may move anything. */
async function beHasty(it: Window, score: Score): Promise<Worked> {
  const { handed, wrong } = await conduct(it, score, { before: hurry })
  return wrong === undefined ? FINE : failing('hasty', plainly(it, wrong), handed)
}

async function hurry(it: Window): Promise<string | undefined> {
  const before = await standOf(it)
  const told = it.did.findLast((command) => command.includes(' runbook report '))
  const early = [
    `${PROGRAM} runbook report ${FINAL} done --visit 1 --effort ${it.effort}`,
    `${PROGRAM} step go ${FINAL} --effort ${it.effort}`,
  ]
  for (const command of [...(before.step === FINAL ? [] : early), ...(told === undefined ? [] : [told])]) {
    await it.shell(command)
    const after = await standOf(it)
    if (after.text !== before.text) return `A command out of turn moved the work: ${command}`
  }
  return undefined
}
