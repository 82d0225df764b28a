import { declaredIn } from '../model/chain/declared.ts'
import type { Definition } from '../model/plan/definition.ts'
import { EngineError } from '../model/error.ts'
import { ORCHESTRATE } from '../model/runbook/plan.ts'
import { FINAL } from '../model/runbook/review-task.ts'
import { ownName } from '../model/skill.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import { type RunbookCourse, COURSES, NAME, RUNBOOK } from './courses.ts'
import { once } from './finding.ts'
import { isFinished } from './follow.ts'
import { doNamed } from './named-action.ts'
import { COMMIT, conduct, readSkill, type Score, scoreOf, standOf } from './orchestrator.ts'
import { putSkill, type Tried } from './plain.ts'
import type { Rehearsal } from './rehearsal.ts'
import type { Heard, Window } from './window.ts'
import { failing, FINE, plainly, type Worked } from './worked.ts'

/** True for a skill whose plan is that of the runbook it carries out. */
export const carriesOut = (id: string): boolean => ownName(id) === ORCHESTRATE

/** What is tested of such a skill. */
export const ABOUT_ORCHESTRATE =
  'Its plan is that of the runbook that it carries out: its check, its texts, and agents with a small runbook are tested.'

interface Agent {
  readonly name: string
  /** The skill that its prompt calls next. */
  readonly leadsTo?: string | undefined
  readonly work: (it: Window, score: Score, follows: readonly string[]) => Promise<Worked>
}

const AGENTS: readonly Agent[] = [
  ...COURSES.map((course): Agent => ({
    name: `an obedient agent: ${course.what}`,
    leadsTo: course.leadsTo,
    work: (it, score, follows) => beObedient(it, score, course, follows),
  })),
  { name: 'a lazy agent', work: beLazy },
  { name: 'a hasty agent', work: beHasty },
]

/** Level 2 of the skill that carries out runbooks, with real git: agents copy what is printed, idle and hurry. */
export async function tryOrchestrate(
  rehearsal: Rehearsal,
  definition: Definition,
  doing: (text: string) => void,
): Promise<Tried> {
  const heard: Heard[] = []
  const worked: Worked[] = []
  for (const { name, leadsTo, work } of AGENTS) {
    doing(name)
    const follows = leadsTo === undefined ? exitsOf(definition) : [leadsTo]
    const it = await openWithRunbook(rehearsal, follows)
    await it.call(`/${definition.id} ${NAME}${leadsTo === undefined ? '' : ` and /${leadsTo} it`}`)
    const score = scoreOf(await readSkill(it), NAME)
    worked.push(score === undefined ? NO_COMMAND : await work(it, score, follows))
    heard.push(...it.heard)
    await it.ends()
  }
  const findings = once(worked.flatMap((one) => one.findings))
  return { heard, tested: { level: 2, counts: { agents: AGENTS.length }, findings, notes: [] } }
}

const NO_COMMAND = failing('obedient', 'Its text has no code with a first command of Holdfast.', [])

/** A repository with a compiled and committed runbook, and with skills. */
async function openWithRunbook(rehearsal: Rehearsal, skills: readonly string[]): Promise<Window> {
  const it = await rehearsal.open({ runs: true })
  for (const skill of skills) putSkill(it, skill)
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
async function beObedient(
  it: Window,
  score: Score,
  { what, answers, expected }: RunbookCourse,
  follows: readonly string[],
): Promise<Worked> {
  const { handed, wrong } = await conduct(it, score, answers)
  if (wrong !== undefined) return failing('obedient', plainly(it, wrong), [what, ...handed])
  if (handed.join() !== expected.join())
    return failing('obedient', `It should have handed out: ${expected.join(', ')}.`, [what, ...handed])
  const left = await afterEnd(it, follows)
  return left === undefined ? FINE : failing('obedient', plainly(it, left), [what])
}

/** Calls what follows once every step is done; returns what is wrong. */
async function afterEnd(it: Window, follows: readonly string[]): Promise<string | undefined> {
  if (!(await isFinished(it))) return 'The effort is not finished.'
  for (const skill of follows) {
    const held = await it.stops()
    if (held === undefined) return `Nothing calls /${skill} at the end.`
    const wrong = await doNamed(it, held)
    if (wrong !== undefined) return wrong
  }
  const held = await it.stops()
  return held === undefined ? undefined : `The turn may not end: ${held}`
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
  const { handed, wrong: refused } = await conduct(it, score, { idles: true })
  return refused === undefined
    ? failing('lazy', 'Every step is reported as done, and nobody has done any.', handed)
    : FINE
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
