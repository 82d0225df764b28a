import * as z from 'zod'
import { skillsFolder } from '../../model/client-files.ts'
import { effortNotFound } from '../../model/error.ts'
import { conditionOf } from '../../model/plan/pipeline.ts'
import { isPipeline, stepOf } from '../../model/plan/plan.ts'
import { rootOf } from '../../model/project.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { listVisits } from '../../store/step.ts'
import { lockTask } from '../../store/task.ts'
import { listRoots, workplaceOfTask } from '../../store/workplace.ts'
import { keepTask, findOrRegisterPlace } from '../skill/arrival.ts'
import { hereAt } from '../call/here.ts'
import { optionalPath } from '../call/paths.ts'
import type { Context } from '../call/context.ts'
import { checkCalled } from '../effort/called-by.ts'
import { startEffort } from '../effort/life.ts'
import { checkNoneRuns, pipelineMeant } from '../effort/pipeline-meant.ts'
import { threadOf } from '../effort/thread.ts'
import { locationIn, lookAround, unmake } from '../effort/prepare.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { activePipeline, asPipeline, describe, goOn, noPipeline } from '../effort/pipeline-run.ts'
import { prepareLeaving } from '../effort/step-files.ts'
import { checkUnchecked, checkVerified, isReported } from '../effort/step-report.ts'
import { type Mover, stepNamed, withPlan } from '../effort/mover.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { clientNamed } from '../hook/client-payload.ts'
import { followedBy } from '../plan/plan.ts'
import { NO_DIGESTS, NOTHING_SEEN } from '../plan/recorded.ts'
import { leaveAndReturn } from '../session/come-back.ts'
import { openWindowFor } from '../session/shell-window.ts'
import { takeOver } from '../session/take-over.ts'
import { knownSkill } from '../skill/known-skill.ts'
import { knownDigests, readFiles, storeReading } from '../skill/sync.ts'

const effortId = { effort_id: p.id }
const oneStep = { ...effortId, ...p.caller, step: p.name.describe('The id of the step to report.') }

export const start = method({
  name: 'pipeline.start',
  summary: 'Start a pipeline on a task. Call pipeline.next to get its first step.',
  effect: 'durable',
  params: z.strictObject({
    task_id: p.taskId,
    skill: p.skillName.describe('The skill whose holdfast.yaml defines the pipeline.'),
    args: p.textUpTo(20_000).optional().describe('The value of $ARGUMENTS in its steps.'),
    agent_id: p.name.optional().describe('The agent that will own the effort.'),
    native_id: p.name.optional().describe("The client's id of the session that starts it."),
    client: p.name.optional().describe('The name of the client of that session.'),
    cwd: p.cwd
      .optional()
      .describe('The folder that the caller works in. Its project owns the task if the task lies inside it.'),
  }),
  prepare: prepareStart,
  undo: (context, prepared) => unmake(context, prepared),
  async run(tx, { skill: name, args, agent_id, native_id, client }, call) {
    const { dir: task_id, location, own, reading } = call.prepared
    const project = own ?? (await findOrRegisterPlace(tx, location, call))
    await storeReading(tx, project, reading, call)
    const skill = await knownSkill(tx, {
      name,
      place: project,
      field: 'skill',
      newIn: skillsFolder(clientNamed(call.context, undefined)),
    })
    const { plan, details } = skill
    if (plan === null || !isPipeline(plan) || details?.enforceable !== true) throw noPipeline(name)
    if (own === undefined) await keepTask(tx, { dir_path: task_id, place: project }, call)
    // When two calls start at once, the second must see the effort of the first.
    await lockTask(tx, { dir_path: task_id })
    const here = { ...call.context.machine, ...location }
    await checkNoneRuns(tx, { task_id, skill: name, args, native_id, agent_id, folder: project.root, here })
    const effort = await startEffort(tx, { task_id, skill: name, request: args, agent_id }, call)
    const session = await openWindowFor(tx, { native_id, client, agent_id, effort }, call)
    const files = { root: project.root, digests: NO_DIGESTS }
    if (session !== undefined)
      await takeOver(
        tx,
        { session, project, work: await factsOf(tx, skill, effort, files), replaces: 'every' },
        call,
      )
    return describe(asPipeline(withPlan(effort, await followedBy(tx, effort))))
  },
})

export const next = method({
  name: 'pipeline.next',
  summary: 'Start the next step of a pipeline, or repeat the step that was started and not reported.',
  effect: 'durable',
  params: z.strictObject({ ...effortId, ...p.caller }),
  run: async (tx, who, call) => await goOn(tx, await activePipeline(tx, who, call.context), call),
})

export const goOnWith = method({
  name: 'pipeline.continue',
  summary: "Resume the caller's pipeline, or the only one of the task or project, also after a crash.",
  effect: 'durable',
  params: z.strictObject({
    task_id: p.taskId.optional(),
    cwd: p.cwd.optional().describe('The folder that the caller works in; used if no task is named.'),
    agent_id: p.name.optional().describe('The agent that owns the pipeline.'),
    native_id: p.name.optional().describe("The client's id of the session that runs the pipeline."),
  }),
  async prepare(context, given) {
    const task_id = await optionalPath(context, 'task_id', given.task_id)
    const folder = await optionalPath(context, 'cwd', given.cwd)
    const place = task_id ?? folder
    return { task_id, folder, here: place === undefined ? undefined : await hereAt(context, place) }
  },
  async run(tx, { agent_id, native_id }, call) {
    const { asker } = await threadOf(tx, { agent_id, native_id }, call.context)
    const { id: effort_id } = await pipelineMeant(tx, { ...call.prepared, ...asker })
    const who = { effort_id, agent_id, native_id }
    return await goOn(tx, await activePipeline(tx, who, call.context), call)
  },
})

export const done = method({
  name: 'pipeline.done',
  summary: 'Report a step as done, with the evidence for its condition.',
  effect: 'durable',
  params: z.strictObject({
    ...oneStep,
    verified: p.textUpTo(20_000).optional().describe('What shows that the condition of the step is met.'),
    skip: p.reason.optional().describe('Why the optional step was skipped instead.'),
  }),
  prepare: prepareLeaving,
  async run(tx, { step: id, verified, skip, ...who }, call) {
    const { files, isThere } = call.prepared
    const { pipeline, step, isRepeated } = await reported(tx, { who, id, outcomes: ['ok', 'skip'] }, call)
    if (isRepeated) return describe(pipeline)
    if (skip === undefined) await checkCalled(tx, pipeline, step, who.native_id)
    if (skip === undefined) checkVerified(pipeline, step, { verified, isThere })
    if (skip === undefined) checkUnchecked(pipeline, step)
    const outcome = skip === undefined ? 'ok' : 'skip'
    const payload = {
      ...(verified !== undefined && { verified }),
      ...(skip !== undefined && { reason: skip }),
    }
    const leaving = { step, outcome, proof: {}, payload, starts: false }
    return describe(await leaveAndReturn(tx, pipeline, leaving, files, call))
  },
})

export const fail = method({
  name: 'pipeline.fail',
  summary: 'Report a step as failed. It is retried up to its limit, then it blocks the steps after it.',
  effect: 'durable',
  params: z.strictObject({ ...oneStep, reason: p.words(2000).describe('What went wrong.') }),
  async run(tx, { step: id, reason, ...who }, call) {
    const { pipeline, step, isRepeated } = await reported(tx, { who, id, outcomes: ['fail'] }, call)
    if (isRepeated) return describe(pipeline)
    const leaving = { step, outcome: 'fail', proof: {}, payload: { reason }, starts: false }
    return describe(await leaveAndReturn(tx, pipeline, leaving, NOTHING_SEEN, call))
  },
})

export const status = method({
  name: 'pipeline.status',
  summary: 'Show the progress of a pipeline: each step with its attempts, start time and completion time.',
  effect: 'read',
  params: z.strictObject(effortId),
  async run(tx, { effort_id }) {
    const pipeline = await anyPipeline(tx, effort_id)
    const visits = new Map((await listVisits(tx, { effort_id })).map((row) => [row.step, row]))
    const { steps, ...state } = describe(pipeline)
    return {
      ...state,
      steps: steps.map((step) => ({
        ...step,
        started_at: visits.get(step.step)?.started_at ?? null,
        completed_at: visits.get(step.step)?.completed_at ?? null,
        verify: conditionOf(stepOf(pipeline.plan, step.step) ?? {}, pipeline.effort.task_id) ?? null,
      })),
    }
  },
})

/** Reads the skill files again, because a pipeline starts with their current content. */
async function prepareStart(
  context: Context,
  { task_id, cwd }: { readonly task_id: string; readonly cwd?: string | undefined },
  ask: Ask,
) {
  const around = await lookAround(context, { path: task_id, field: 'task_id', cwd })
  const { dir } = around
  const { location, own, root, known } = await ask(async (tx) => {
    const roots = await listRoots(tx, context.machine)
    const at = locationIn(roots, around)
    const place = await workplaceOfTask(tx, { dir_path: dir })
    const path = place?.root ?? rootOf(roots, at).path
    const id = place?.workplace_id ?? roots.find((one) => one.path === path)?.workplace?.id
    return { location: at, own: place, root: path, known: await knownDigests(tx, id) }
  })
  const reading = await readFiles(context, root, known)
  const made = await context.files.makeFolders({ path: dir, root })
  return { dir, location, own, reading, made }
}

/** A caller that lost the reply may repeat its report, even after the last step. */
async function reported(
  tx: Tx,
  report: {
    readonly who: Parameters<typeof activePipeline>[1]
    readonly id: string
    readonly outcomes: readonly string[]
  },
  { context }: Call,
) {
  const { who } = report
  const over = await anyPipeline(tx, who.effort_id)
  const pipeline = over.effort.lifecycle === 'finished' ? over : await activePipeline(tx, who, context)
  const step = stepNamed(pipeline, report.id)
  const { current, visits } = pipeline.progress
  // The next step starts only when it is asked for, so a second failure is the first one again.
  const isFailed = (outcome: string) =>
    outcome === 'fail' && visits[step.id]?.outcome === 'fail' && !current.includes(step.id)
  const isRepeated = report.outcomes.some(
    (outcome) => isFailed(outcome) || isReported(pipeline, step, outcome),
  )
  if (!isRepeated && over === pipeline) await activePipeline(tx, who, context)
  return { pipeline, step, isRepeated }
}

/** A running or finished pipeline. */
async function anyPipeline(tx: Tx, id: number): Promise<Mover> {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  const effort = toEffort(row)
  return asPipeline(withPlan(effort, await followedBy(tx, effort)))
}
