import * as z from 'zod'
import type { Effort } from '../../model/effort.ts'
import { effortNotFound, EngineError } from '../../model/error.ts'
import { stepStates } from '../../model/plan/pipeline.ts'
import { rootOf } from '../../model/project.ts'
import { CATEGORIES, FINDINGS } from '../../model/runbook/failure.ts'
import { modelFor, ORCHESTRATE, planOf } from '../../model/runbook/plan.ts'
import { shellWord } from '../../model/shell/word.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import type { Tx } from '../../store/query.ts'
import { listRoots, placeOfEffort } from '../../store/workplace.ts'
import type { Context } from '../call/context.ts'
import type { Ask } from '../call/keyed.ts'
import { type Call, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { canonical } from '../call/paths.ts'
import { oneEffort, placesIn, soleEffort, type Wish } from '../effort/meant.ts'
import { type Mover, moverOf, stepNamed, withPlan } from '../effort/mover.ts'
import { runbookPlanOf } from '../effort/runbook-plan.ts'
import {
  checkReport,
  failureOf,
  isPast,
  reportFileOf,
  reportIn,
  seeReport,
} from '../effort/runbook-report.ts'
import {
  describeRunbook,
  editOnDisk,
  handOut,
  readyRunbook,
  type RunbookRow,
  type RunbookState,
  type RunbookSteps,
  stepToHandOut,
} from '../effort/runbook-run.ts'
import { skillOfEffort } from '../skill/kept-plan.ts'
import { followedBy } from '../plan/plan.ts'
import { NOTHING_SEEN } from '../plan/recorded.ts'
import { leaveAndReturn } from '../session/come-back.ts'
import { beginRunbook, runsOf, serveRunbook } from '../session/runbook-begin.ts'
import { findOrRegisterPlace, locationOf } from '../skill/arrival.ts'

const meant = {
  runbook: p.path.optional().describe('The folder of the runbook, or a file in it.'),
  effort_id: p.id.optional().describe("The effort. Default: that of the runbook, else the caller's own."),
  cwd: p.cwd.optional().describe('The folder that the caller works in.'),
  ...p.caller,
}

const MOST_CHANGED = 5000

export const next = method({
  name: 'runbook.next',
  summary:
    'Begin a runbook or go on with it: hand out its next step, or again the one that was not reported.',
  effect: 'durable',
  params: z.strictObject({
    ...meant,
    client: p.name.optional().describe('The name of the client of the session.'),
    again: z.boolean().default(false).describe('Whether a runbook that was carried out begins anew.'),
    tree: z
      .strictObject({
        top: p.path,
        changed: z.array(p.textUpTo(4096)).max(MOST_CHANGED),
        head: z
          .string()
          .regex(/^[0-9a-f]{7,64}$/)
          .optional(),
      })
      .optional()
      .describe(
        'The root of the checkout, what git status lists there, and the last commit. Without it, nothing is checked.',
      ),
  }),
  prepare: prepareNext,
  async run(tx, { again, tree, client, ...who }, call) {
    const { folder, location, reading, file, former, effort_id } = call.prepared
    const found = effort_id === undefined ? await lastRun(tx, folder) : await effortWith(tx, effort_id)
    const seen = { reading, file, former, tree }
    const isOver = found?.lifecycle === 'finished'
    if (found !== undefined && isOver && (!again || effort_id !== undefined)) return await over(tx, found)
    if (found !== undefined && !isOver) {
      const mover = await moverIn(tx, found, who, call)
      await serveRunbook(tx, found, { ...who, client }, call)
      return await handOut(tx, mover, seen, call)
    }
    const runbook = readyRunbook(reading, folder)
    if (location === undefined) throw new EngineError('not-found', `${folder} is in no project.`)
    const place = await findOrRegisterPlace(tx, location, call)
    const effort = await beginRunbook(tx, { folder, place, runbook, who: { ...who, client } }, call)
    return await handOut(tx, await moverIn(tx, effort, who, call), seen, call)
  },
})

export const report = method({
  name: 'runbook.report',
  summary: 'Report how a step of a runbook ended: done, or an error with its category.',
  effect: 'durable',
  params: z.strictObject({
    ...meant,
    step: p.name.describe('The step, as it was handed out.'),
    outcome: z.enum(['done', 'error']),
    visit: p.id.optional().describe('Which try of the step is meant; one that was reported moves nothing.'),
    category: p.name.optional().describe(`Of an error: ${[...CATEGORIES, FINDINGS].join(', ')}.`),
    reason: p.words(2000).optional().describe('What stopped the agent.'),
  }),
  prepare: prepareReport,
  async run(tx, { step: word, outcome, visit, category, reason = '', ...who }, call) {
    const effort = await meantIn(tx, call.prepared)
    const known = await asRunbook(tx, effort)
    // The last report ends the effort, and may be repeated too.
    const mover = effort.lifecycle === 'finished' ? known : await moverIn(tx, effort, who, call)
    const step = stepNamed(mover, word)
    if (isPast(mover, step, { outcome, visit }))
      return { ...(await describeRunbook(tx, mover)), moved: false }
    const failed = outcome === 'done' ? undefined : failureOf(mover, step, { category, reason })
    const told = { outcome, category: failed?.payload.category, reason }
    await checkReport(tx, mover, step, { ...told, seen: call.prepared.seen })
    const ended = failed ?? { outcome: 'ok' }
    const leaving = { step, proof: {}, payload: {}, starts: false, ...ended }
    const left = await leaveAndReturn(tx, mover, leaving, NOTHING_SEEN, call)
    return { ...(await describeRunbook(tx, left)), moved: true }
  },
})

export const status = method({
  name: 'runbook.status',
  summary: 'Show the steps of a runbook, with their tries, models and outcomes, and what comes next.',
  effect: 'read',
  params: z.strictObject(meant),
  prepare: prepareMeant,
  async run(tx, _, { prepared }): Promise<RunbookSteps> {
    const mover = await asRunbook(tx, await meantIn(tx, prepared))
    const { plan, progress } = mover
    const steps = stepStates(plan, progress).map(({ step, state }): RunbookRow => {
      const { attempts = 0, outcome, failed } = progress.visits[step.id] ?? {}
      return {
        step: step.id,
        title: step.title,
        phase: step.phase ?? '',
        state,
        attempts,
        limit: step.limit ?? null,
        agent: step.hands?.agent ?? null,
        model: step.hands === undefined ? null : modelFor(step.hands, attempts),
        outcome: outcome ?? null,
        failed: failed ?? null,
      }
    })
    return { ...(await describeRunbook(tx, mover)), steps }
  },
})

type Given = z.output<z.ZodObject<typeof meant>>

/** What a call is about: the effort that it names, or the folder of the runbook. */
interface Meant {
  readonly effort_id: number | undefined
  readonly folder: string
}

/** Finds what the call is about before the transaction. */
async function prepareMeant(context: Context, given: Given, ask: Ask): Promise<Meant> {
  const folder = await folderNamed(context, given)
  if (folder !== undefined) return { folder, effort_id: undefined }
  const places = await placesIn(context, { cwd: given.cwd })
  const { id, task_id } = await ask((tx) => effortMeant(tx, { ...given, ...places }, context))
  return { effort_id: id, folder: task_id }
}

/** The same with the report file of the step. */
async function prepareReport(context: Context, given: Given & { readonly step: string }, ask: Ask) {
  const folder = await folderNamed(context, given)
  const places = folder === undefined ? await placesIn(context, { cwd: given.cwd }) : undefined
  const found = await ask(async (tx) => {
    const effort =
      folder === undefined
        ? await effortMeant(tx, { ...given, ...places }, context)
        : await meantIn(tx, { folder, effort_id: undefined })
    const file = await reportFileOf(tx, await asRunbook(tx, effort), given.step)
    return { effort_id: folder === undefined ? effort.id : undefined, folder: effort.task_id, file }
  })
  return { ...found, seen: found.file && (await seeReport(context, found.file)) }
}

/** The runbook as it is on disk, and the file of the step that comes next. */
async function prepareNext(context: Context, given: Given, ask: Ask) {
  const named = await folderNamed(context, given)
  const location = await locationOf(context, named)
  const places = await placesIn(context, { cwd: given.cwd })
  const found = await ask(async (tx) => {
    const effort =
      named === undefined ? await effortMeant(tx, { ...given, ...places }, context) : await lastRun(tx, named)
    const roots = location === undefined ? [] : await listRoots(tx, context.machine)
    const around = location === undefined ? undefined : rootOf(roots, location).path
    if (effort === undefined) return { folder: named ?? '', root: around, asksCompiled: true }
    const root = (await placeOfEffort(tx, effort))?.root ?? around
    const isOver = effort.lifecycle === 'finished'
    const step = isOver ? undefined : (await stepToHandOut(tx, await asRunbook(tx, effort)))?.step
    const effort_id = named === undefined ? effort.id : undefined
    const running = isOver ? undefined : { effort, kept: await skillOfEffort(tx, effort) }
    return { folder: effort.task_id, root, step, effort_id, running, asksCompiled: isOver }
  })
  const { root = '', folder, running, asksCompiled } = found
  const isFolder = root !== '' && (await context.files.kind(folder)) === 'folder'
  const read = (compiled: boolean) => context.readRunbook({ folder, root, asksCompiled: compiled })
  const seen = isFolder ? await read(asksCompiled) : undefined
  const runbook = running && seen?.runbook
  // Whether it is compiled matters only after an edit, and takes most of the time.
  const edit = runbook && editOnDisk(running.kept, running.effort, runbook)
  const reading = edit === undefined ? seen : await read(true)
  const step = found.step ?? (reading?.runbook && planOf(reading.runbook).steps[0])
  const path = step?.hands?.file
  const isThere = path !== undefined && (await context.files.kind(`${root}/${path}`)) === 'file'
  const asked = step && reportIn(root, step)
  return {
    ...found,
    location,
    reading,
    file: step && path !== undefined ? { step: step.id, isThere } : undefined,
    former: asked && (await seeReport(context, asked)),
  }
}

/** The folder that a path means, if no effort is named: a file names the one that it lies in. */
async function folderNamed(
  context: Context,
  { runbook: path, effort_id }: Given,
): Promise<string | undefined> {
  if (path === undefined || effort_id !== undefined) return undefined
  const real = await canonical(context, 'runbook', path)
  return (await context.files.kind(real)) === 'file' ? real.slice(0, real.lastIndexOf('/')) : real
}

/** What begins a runbook, for a caller that named none. */
const BEGIN = 'holdfast runbook next NAME'

/** The effort that a call names, else the caller's own, else the only one here. */
async function effortMeant(tx: Tx, wish: Wish, context: Context): Promise<Effort> {
  const own = { ...wish, skill: wish.effort_id === undefined ? ORCHESTRATE : undefined }
  const use = {
    verb: 'moved through a runbook',
    each: ({ task_id }: Effort) => `holdfast runbook status ${shellWord(task_id)}`,
    begins: BEGIN,
    finished: true,
  }
  const { effort, others } = await soleEffort(tx, own, context, use)
  if (effort !== undefined) return effort
  // Only somebody else carries one out.
  if (others.length > 0) return await oneEffort(tx, own, context, use)
  throw new EngineError('not-found', 'You carry out no runbook here.', {
    field: 'runbook',
    hint: BEGIN,
  })
}

const lastRun = async (tx: Tx, folder: string): Promise<Effort | undefined> => {
  const runs = await runsOf(tx, folder)
  return runs.find(({ lifecycle }) => lifecycle === 'active') ?? runs.at(-1)
}

async function effortWith(tx: Tx, id: number): Promise<Effort> {
  const row = await findEffort(tx, { id })
  if (row === undefined) throw effortNotFound(id)
  return toEffort(row)
}

async function meantIn(tx: Tx, { effort_id, folder }: Meant): Promise<Effort> {
  const effort = effort_id === undefined ? await lastRun(tx, folder) : await effortWith(tx, effort_id)
  if (effort !== undefined) return effort
  throw new EngineError('not-found', `The runbook in ${folder} has not begun.`, {
    field: 'runbook',
    hint: `holdfast runbook next ${shellWord(folder)}`,
  })
}

/** A runbook as it stands; another effort has none. */
async function asRunbook(tx: Tx, effort: Effort): Promise<Mover> {
  if ((await runbookPlanOf(tx, effort)) !== undefined) return withPlan(effort, await followedBy(tx, effort))
  throw new EngineError('conflict', `Effort ${effort.id} (${effort.skill}) carries out no runbook.`, {
    field: 'effort_id',
    hint: BEGIN,
  })
}

/** The same, locked for its caller. */
async function moverIn(tx: Tx, { id }: Effort, who: Omit<Given, 'runbook'>, call: Call): Promise<Mover> {
  const mover = await moverOf(tx, { ...who, effort_id: id }, call.context)
  await asRunbook(tx, mover.effort)
  return mover
}

/** A runbook that was carried out begins anew only if somebody says so. */
async function over(tx: Tx, effort: Effort): Promise<RunbookState> {
  const mover = await asRunbook(tx, effort)
  const again = `holdfast runbook next ${shellWord(effort.task_id)} --again`
  const state = await describeRunbook(tx, mover)
  return { ...state, notes: [...state.notes, `To carry it out anew, if the user asks: ${again}`] }
}
