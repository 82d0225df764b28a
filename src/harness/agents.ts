import type { Standing } from '../engine/effort/mover.ts'
import { isInFile } from '../model/plan/next-action.ts'
import { isPrinted, type Plan, type Step, targetsOf } from '../model/plan/plan.ts'
import { shellWord } from '../model/shell/word.ts'
import type { Finding } from './finding.ts'
import { follow, type Followed, isFinished } from './follow.ts'
import { type Known, obey } from './obey.ts'
import { exampleOf } from './values.ts'
import { beginView, type Course, followView, paramsOf, playsFor } from './views.ts'
import { chooserFor, type Walk } from './walks.ts'
import type { Window } from './window.ts'
import { failing, FINE, plainly, type Worked } from './worked.ts'

/** A step may take a start, its sub-agents and its proof. */
const MOVES_OF_STEP = 4
const WORDS = 'as an example'

/** Begins the work: the user calls the skill, or starts an effort of it in a mode. */
async function beginWork(it: Window, { mode }: Walk['variant']): Promise<string | undefined> {
  if (mode === null) await it.call(`/${it.skill} ${WORDS}`)
  else await it.starts()
  if (it.effort > 0) return undefined
  // The client may hand the call to a sub-agent, or the mode cannot be said in one.
  const how = mode === null ? '' : ` --mode ${mode}`
  const wrong = await it.bad(`effort start work ${shellWord(it.skill)}${how}`)
  it.effort = Number(/effort (\d+)/i.exec(it.said)?.[1] ?? 0)
  return it.effort > 0 ? undefined : (wrong ?? 'No effort began.')
}

/** The obedient agent follows every text word for word, with the outcomes of a walk. */
export async function beObedient(it: Window, plan: Plan, walk: Walk): Promise<Worked> {
  if (isPrinted(plan)) return await obeyView(it, plan, walk)
  const wrong = await beginWork(it, walk.variant)
  const path = [...walk.outcomes].map(([label, outcomes]) => `${label} ${outcomes.join(', ')}`)
  if (wrong !== undefined) return failing('obedient', wrong, path)
  return worked('obedient', it, await follow(it, mostMoves(plan), chooserFor(walk)))
}

/** The same for a workflow, which prints what to do. */
async function obeyView(it: Window, plan: Plan, walk: Walk, before?: Course['before']): Promise<Worked> {
  const code = before === undefined ? 'obedient' : 'hasty'
  const params = paramsOf(plan, walk)
  const path = [
    ...Object.entries(params).map(([name, value]) => `${name}=${value}`),
    ...[...walk.outcomes].map(([label, outcomes]) => `${label} ${outcomes.join(', ')}`),
  ]
  const wrong = await beginView(it, plan, params)
  if (wrong !== undefined) return failing(code, plainly(it, wrong), path)
  const choose = chooserFor(walk)
  it.plays = playsFor(plan, choose)
  const course = {
    plan,
    effort: it.effort,
    choose,
    wanted: {},
    most: mostMoves(plan),
    ...(before !== undefined && { before }),
  }
  const followed = await followView(it, course)
  const { findings, notes } = worked(code, it, followed)
  return { findings: [...(followed.faults ?? []), ...findings], notes }
}

/** Each step may be started, given to sub-agents, proved and ended, in each round that a limit allows. */
function mostMoves({ steps }: Plan): number {
  const rounds = steps.reduce((sum, { limit = 0 }) => sum + Math.min(limit, MOST_ROUNDS), 1)
  return MOVES_OF_STEP * steps.length * rounds + MOST_ROUNDS
}

const MOST_ROUNDS = 20

/** The hasty agent would begin with the last step, says that it is done and changes files; then it obeys. */
export async function beHasty(it: Window, plan: Plan): Promise<Worked> {
  if (isPrinted(plan)) return await obeyView(it, plan, { variant: PLAIN, outcomes: new Map() }, hurry(plan))
  const wrong = await beginWork(it, PLAIN)
  if (wrong !== undefined) return failing('hasty', wrong, [])
  return worked('hasty', it, await obey(it, knownOf(plan), HASTY, PATIENCE))
}

/** Before each step: tries the last one, and repeats the last command, also without its flags. None of it may move anything. */
function hurry({ steps }: Plan): NonNullable<Course['before']> {
  const last = steps.at(-1)?.label ?? ''
  return async (it, { effort_id, current, steps: before }) => {
    const told = it.did.findLast((command) => / step done .* --effort /.test(command))
    const stood = JSON.stringify([current, before])
    const begun = steps.filter(({ id }) => current.includes(id))
    // A step that is current or next may start; any other must wait.
    const isDue = begun.some((step) => [step.id, ...targetsOf(step)].includes(steps.at(-1)?.id ?? ''))
    if (begun.length > 0 && !isDue) await it.bad(`step go ${shellWord(last)} --effort ${effort_id}`)
    const again = told === undefined ? [] : [told, told.replace(/ --effort \d+/, '')]
    for (const command of again) await it.shell(command)
    const after = await it.ask<Standing>('step.show', { effort_id })
    if (JSON.stringify([after.current, after.steps]) === stood) return undefined
    return `A repeated command moved the work: ${told ?? last}`
  }
}

/** An agent that did not come to the end has found a fault. */
const worked = (code: Finding['code'], it: Window, { did, wrong }: Followed): Worked =>
  wrong === undefined
    ? FINE
    : failing(
        code,
        plainly(it, wrong),
        did.map((one) => plainly(it, one)),
      )

const PLAIN: Walk['variant'] = { mode: null, variables: {} }
/** The wishes of `obey`: to jump ahead, to claim that a step is done, to change a file, to stop. */
const HASTY = [1, 2, 4, 5, 3]

/** Another duty may be due before what a refusal names. */
const PATIENCE = 3

/** The plan as an agent knows it that does not follow it. */
const knownOf = ({ steps, notation }: Plan): Known => ({
  steps: steps.map((step) => ({
    name: step.label,
    owesTwice: step.proof.length > 0 && step.dispatch !== undefined,
    ...(isInFile({ notation }, step) && { file: step.place.file }),
  })),
})

/** The lazy agent does nothing, ends its turn, and claims that all is done; it must not come to the end. */
export async function beLazy(it: Window, plan: Plan): Promise<Worked> {
  const wrong = isPrinted(plan)
    ? await beginView(it, plan, paramsOf(plan, { variant: PLAIN, outcomes: new Map() }))
    : await beginWork(it, PLAIN)
  if (wrong !== undefined) return failing('lazy', wrong, [])
  const did: string[] = []
  const stopped = await it.stops()
  if (plan.hold === 'stop' && stopped === undefined)
    return failing('lazy', 'The turn may end while steps are open.', ['end the turn'])
  for (const claim of claimsFor(plan)) {
    if (await isFinished(it)) break
    if ((await it.bad(claim)) === undefined) did.push(claim)
  }
  if (!(await isFinished(it))) return FINE
  const begun = await startedIn(it)
  const first = plan.steps.find((step) => begun.has(step.id) && owes(plan, step))
  if (first !== undefined)
    return failing(
      'lazy',
      `The effort is finished, and nothing showed what step ${first.label} demands.`,
      did,
    )
  const note = `Nothing is demanded that an agent cannot claim: one that did no work finished with ${did.length} commands.`
  return { findings: [], notes: [note] }
}

/** Claims in an order in which a lazy agent would try them, often enough to pass a plan that accepts them. */
function claimsFor({ steps, state = {} }: Plan): readonly string[] {
  const said = Object.entries(state)
    .map(([name, field]) => ` --set ${shellWord(`${name}=${exampleOf(field)}`)}`)
    .join('')
  const last = steps.at(-1)
  const say = (verb: string, { label }: Step) => `step ${verb} ${shellWord(label)} --effort EFFORT`
  return [
    'effort finish EFFORT',
    ...(last === undefined ? [] : [say('go', last)]),
    ...steps
      .filter(({ optional }) => !optional)
      .slice(0, MOST_SKIPS)
      .map((step) => say('skip', step)),
    ...steps.flatMap((step) => [say('go', step), say('done', step), `${say('done', step)}${said}`]),
    'effort finish EFFORT',
  ]
}

const MOST_SKIPS = 20

const owes = ({ gate }: Plan, { proof, produces, dispatch, verify }: Step): boolean =>
  proof.length > 0 ||
  dispatch !== undefined ||
  verify !== undefined ||
  (gate === 'produced' && produces.length > 0)

async function startedIn(it: Window): Promise<ReadonlySet<string>> {
  const { steps } = await it.ask<{ steps: readonly { step: string; attempts: number }[] }>('step.show', {
    effort_id: it.effort,
  })
  return new Set(steps.flatMap(({ step, attempts }) => (attempts > 0 ? [step] : [])))
}
