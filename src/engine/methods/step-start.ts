import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import { faultsIn } from '../../model/plan/fields.ts'
import { showCommand } from '../../model/plan/next-action.ts'
import { isPrinted } from '../../model/plan/plan.ts'
import type { Values } from '../../model/plan/plan-for.ts'
import { type Location, type ProjectPlace, rootOf } from '../../model/project.ts'
import { shellWord } from '../../model/shell/word.ts'
import type { Skill } from '../../model/skill.ts'
import { cutTo } from '../../model/text/kept.ts'
import { quoted } from '../../model/text/line.ts'
import { lockProject } from '../../store/project.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative, toSession } from '../../store/session.ts'
import { toSkill } from '../../store/skill.ts'
import { listRoots } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { refuseChildCall } from '../effort/child-called.ts'
import { effortToChange } from '../effort/holder.ts'
import { startEffort } from '../effort/life.ts'
import { oneEffort, placesIn, type Wish } from '../effort/meant.ts'
import { withPlan } from '../effort/mover.ts'
import { ownWork } from '../effort/own-work.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { checkParams } from '../effort/step-said.ts'
import { threadOf } from '../effort/thread.ts'
import { followedBy } from '../plan/plan.ts'
import { setVariables } from '../plan/progress.ts'
import { NO_DIGESTS } from '../plan/recorded.ts'
import { newTask, taskFor, tasksThere } from '../session/own-task.ts'
import type { TasksThere } from '../session/project-session.ts'
import { openWindowFor } from '../session/shell-window.ts'
import { takeOver } from '../session/take-over.ts'
import { findOrRegisterPlace, locationOf } from '../skill/arrival.ts'
import { skillCalled } from '../skill/called.ts'
import { knownDigests, readFiles, type Reading, storeReading } from '../skill/sync.ts'

const LONGEST_VALUE = 10_000

const params = z.strictObject({
  skill: p.workflowName,
  effort_id: p.id.optional().describe('The effort, if the caller may mean several of the skill.'),
  params: z
    .record(p.name, p.textUpTo(LONGEST_VALUE))
    .default({})
    .describe('The values that the workflow is given at its start.'),
  cwd: p.cwd.optional().describe('The folder that the caller works in; the effort begins in its project.'),
  client: p.name.optional().describe('The name of the client of the session.'),
  ...p.caller,
})

type Params = z.output<typeof params>

/** The caller's project as it is on disk; undefined if the caller is in none. */
interface There {
  readonly location: Location
  readonly reading: Reading
  readonly tasks: TasksThere
}

export const start = method({
  name: 'step.start',
  summary: "Go on with the caller's effort of a skill; begin one if it has none and the skill is a workflow.",
  effect: 'durable',
  params,
  async prepare(context, { cwd }, ask) {
    return { places: await placesIn(context, { cwd }), there: await thereAt(context, cwd, ask) }
  },
  async run(tx, given, call) {
    const { there, places } = call.prepared
    const at = there === undefined ? undefined : await placeAt(tx, there, given.skill, call)
    const wish: Wish & { skill: string } = { ...given, ...places, skill: at?.skill?.name ?? given.skill }
    if (at === undefined || at.skill?.plan == null || !isPrinted(at.skill.plan)) {
      const own = await ownWork(tx, wish, call.context)
      if (own === undefined && at?.skill !== undefined) checkTrusted(at.skill)
      if (own === undefined && at !== undefined) await refuseChildCall(tx, wish, at.place, call.context)
      const effort = own ?? (await oneEffort(tx, wish, call.context, { verb: 'worked on', finished: true }))
      await giveParams(tx, effort, { ...given, isNew: false }, call)
      return { effort_id: effort.id, begun: false }
    }
    const { place, skill } = at
    let effort = await ownWork(tx, wish, call.context)
    if (effort === undefined) {
      // Two calls at once must not begin two efforts.
      await lockProject(tx, { id: place.id })
      effort = await ownWork(tx, wish, call.context)
    }
    const begun = effort === undefined
    effort ??= await begin(tx, given, { place, skill, tasks: there?.tasks }, call)
    await giveParams(tx, effort, { ...given, isNew: begun }, call)
    return { effort_id: effort.id, begun }
  },
})

async function thereAt(context: Context, cwd: string | undefined, ask: Ask): Promise<There | undefined> {
  const location = await locationOf(context, cwd)
  if (location === undefined) return undefined
  const { root, roots, digests } = await ask(async (tx) => {
    const known = await listRoots(tx, context.machine)
    const { path } = rootOf(known, location)
    const workplace_id = known.find((one) => one.path === path)?.workplace?.id
    return { root: path, roots: known, digests: await knownDigests(tx, workplace_id) }
  })
  const reading = await readFiles(context, root, digests)
  return { location, reading, tasks: await tasksThere(context, root, roots) }
}

/** The place of the caller with the skill as it is there now. */
async function placeAt(tx: Tx, { location, reading }: There, name: string, call: Call) {
  const place = await findOrRegisterPlace(tx, location, call)
  await storeReading(tx, place, reading, call)
  const row = await skillCalled(tx, { workplace_id: place.workplace_id, name })
  return { place, skill: row === undefined ? undefined : toSkill(row) }
}

/** A module that nobody has trusted gives no plan, so nothing could begin. */
function checkTrusted({ name, diagnostics }: Skill): void {
  if (!diagnostics.some(({ code }) => code === 'HF208')) return
  throw new EngineError(
    'refused',
    `The workflow of skill ${quoted(name)} is not trusted, so it does not run.`,
    {
      field: 'skill',
      hint: `holdfast skill trust ${shellWord(name)}`,
    },
  )
}

/** Begins an effort as a call of the skill would: on a task of its own, served by the session of the caller. */
async function begin(
  tx: Tx,
  given: Params,
  at: { readonly place: ProjectPlace; readonly skill: Skill; readonly tasks: TasksThere | undefined },
  call: Call,
): Promise<Effort> {
  const { place, skill, tasks } = at
  const { asker } = await threadOf(tx, given, call.context)
  const { native_id, agent_id } = asker
  const row = native_id === undefined ? undefined : await findOpenByNative(tx, { native_id })
  const request = requestOf(given.params)
  const wanted = { skill: skill.name, request }
  const task_id =
    row === undefined
      ? await newTask(tx, { place, tasks, ...wanted }, call)
      : await taskFor(tx, { session: toSession(row), tasks }, { ...wanted, inWords: false }, call)
  // An agent owns what its session turns to; without one, it owns the effort from the start.
  const owner = row === undefined ? agent_id : undefined
  const effort = await startEffort(
    tx,
    { task_id, workplace_id: place.workplace_id, ...wanted, agent_id: owner },
    call,
  )
  const session = await openWindowFor(tx, { native_id, agent_id, client: given.client, effort }, call)
  if (session !== undefined) {
    const work = await factsOf(tx, skill, effort, { root: place.root, digests: NO_DIGESTS })
    await takeOver(tx, { session, project: place, work, replaces: 'none' }, call)
  }
  return effort
}

const LONGEST_REQUEST = 500

/** What the effort was begun with, for those who read of it later. */
function requestOf(values: Values): string {
  const [only, ...others] = Object.entries(values)
  const text =
    others.length === 0
      ? only?.[1]
      : Object.entries(values)
          .map((pair) => pair.join('='))
          .join(' ')
  return cutTo(text ?? '', LONGEST_REQUEST)
}

/** Keeps what a workflow is given; once its first step was entered, that stays as it is. */
async function giveParams(
  tx: Tx,
  effort: Effort,
  { isNew, ...given }: Params & { readonly isNew: boolean },
  call: Call,
): Promise<void> {
  const values = given.params
  const mover = withPlan(effort, await followedBy(tx, effort))
  const { plan, progress } = mover
  if (!isPrinted(plan)) {
    const [name] = Object.keys(values)
    if (name === undefined) return
    const [fault = ''] = faultsIn({}, { [name]: '' })
    throw new EngineError('invalid', fault, { field: 'params', hint: showCommand(effort.id) })
  }
  if (Object.keys(progress.visits).length > 0) return checkSame(mover, values)
  checkParams(mover, { given: values, isNew })
  if (Object.keys(values).length === 0) return
  await effortToChange(tx, { ...given, effort_id: effort.id }, 'given values', call.context)
  await setVariables(tx, { effort_id: effort.id, set: values }, call)
}

/** A repeated call names the same values. */
function checkSame({ effort, plan, values: now }: ReturnType<typeof withPlan>, given: Values): void {
  const { params: declared = {} } = plan
  const [unknown] = faultsIn(
    declared,
    Object.fromEntries(Object.entries(given).filter(([one]) => !Object.hasOwn(declared, one))),
  )
  if (unknown !== undefined)
    throw new EngineError('invalid', unknown, { field: 'params', hint: showCommand(effort.id) })
  const name = Object.keys(given).find((one) => given[one] !== now[one])
  if (name === undefined) return
  const message = `Effort ${effort.id} of ${effort.skill} has begun with ${name}=${quoted(now[name] ?? '', 200)}, which stays. Finish or abandon it before you begin another.`
  throw new EngineError('conflict', message, { field: 'params', hint: showCommand(effort.id) })
}
