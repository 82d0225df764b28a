import { keptText } from '../../model/text/kept.ts'
import type { Invocation } from '../../model/invocation.ts'
import { isInside } from '../../model/project.ts'
import { detailsOf, type SkillDetails } from '../../model/skill.ts'
import type { FoundSkills } from '../../model/skill-folders.ts'
import {
  noRunText,
  RUN_FOLDERS,
  RUNS_FOLDER,
  runFiles,
  runName,
  runText,
  type SkillRun,
  SYNTHESIS,
} from '../../model/skill-run.ts'
import { type Lease, LeaseLost } from '../../store/lease.ts'
import type { Tx } from '../../store/query.ts'
import { findOpenByNative } from '../../store/session.ts'
import { toEntry } from '../../store/skill.ts'
import {
  insertRun,
  lastRunOfEffort,
  lastRunOfSpan,
  listRuns,
  type PlacedRun,
  runOfSpan,
  setRunMade,
} from '../../store/skill-run.ts'
import { findSpan, openSpansOf } from '../../store/span.ts'
import { placeOfSession } from '../../store/workplace.ts'
import type { Arrival } from './arrival.ts'
import { rootAt } from '../call/here.ts'
import { callOf, inSession } from '../call/moment.ts'
import { underLease } from '../call/lease.ts'
import type { Context, Machine } from '../call/context.ts'
import { skillCalled } from './called.ts'
import { keepIgnores } from './our-folder.ts'
import type { Call } from '../call/method.ts'

/** The location of a new run, found on disk before the transaction. */
export interface RunPlace {
  readonly invocation: Invocation
  readonly root: string
  readonly day: string
  /** The first counter without a folder. */
  readonly free: number
  /** Why no folder can be created. */
  readonly problem?: string
}

const LONGEST_ARGS = 2000
const MOST_TRIES = 1000

export const runPath = ({ root, name }: Pick<PlacedRun, 'root' | 'name'>): string =>
  `${root}/${RUNS_FOLDER}/${name}`

/** The result that a run must have, and whether it is written; undefined if its folder was removed. */
export async function resultIn({ files }: Pick<Context, 'files'>, folder: string) {
  if ((await files.kind(folder)) !== 'folder') return undefined
  const file = `${folder}/${SYNTHESIS}`
  return { file, written: (await files.size(file)) > 0 }
}

/** The workplace of a call, and the stored details of the skill it names. */
export async function skillMeant(tx: Tx, place: Arrival & Machine, { name }: Invocation) {
  const { path: root, known } = await rootAt(tx, place)
  const workplace = known?.workplace
  const row =
    workplace === undefined ? undefined : await skillCalled(tx, { workplace_id: workplace.id, name })
  return { root, stored: row === undefined ? undefined : toEntry(row).details }
}

/** Whether the skill needs a run folder; freshly read files override stored details. */
export function wantsRun(
  { name }: Invocation,
  { stored, fresh }: { stored: SkillDetails | null | undefined; fresh: FoundSkills | undefined },
): boolean {
  const [plugin, own] = name.split(':')
  const read = fresh?.skills.flatMap(({ id, parsed }) => {
    const details = parsed === undefined ? undefined : detailsOf(parsed)
    const isMeant = id === name || (id.startsWith(`${plugin}:`) && details?.alias === own)
    return isMeant && details !== undefined ? [details] : []
  })
  return (read?.[0] ?? stored)?.uses_skill_run === true
}

/** Finds the folder for the run of a called skill. */
export async function placeRun(context: Context, root: string, invocation: Invocation): Promise<RunPlace> {
  const wanted = { invocation, root, day: callOf(context, undefined).now }
  try {
    await makeRunsFolder(context, root)
    return { ...wanted, free: await firstFree(context, wanted) }
  } catch (error) {
    // The call continues without a folder, and the agent gets a notice.
    return { ...wanted, free: 1, problem: messageOf(error) }
  }
}

/** Creates the runs folder inside the project, ignored by git. */
async function makeRunsFolder(context: Context, root: string): Promise<void> {
  const { files } = context
  const folder = `${root}/${RUNS_FOLDER}`
  await files.makeFolders({ path: folder, root })
  if (!isInside(root, await files.canonical(folder)))
    throw new Error(`${folder} links to a place outside of project ${root}.`)
  await keepIgnores(context, root)
}

async function firstFree({ files }: Context, wanted: Omit<RunPlace, 'free'>): Promise<number> {
  let counter = 1
  const isTaken = async () =>
    (await files.kind(runPath({ root: wanted.root, name: nameOf(wanted, counter) }))) !== 'missing'
  while (counter < MOST_TRIES && (await isTaken())) counter++
  return counter
}

const nameOf = ({ invocation, day }: Omit<RunPlace, 'free'>, counter: number): string =>
  runName({ now: day, skill: invocation.name, args: invocation.args }, counter)

/** A stored run, and the context for the agent. */
export interface KeptRun {
  readonly run?: PlacedRun
  readonly told: string
}

/** Reuses the run of the effort or stores a new one; the folder is created after the commit. */
export async function keepRun(
  tx: Tx,
  place: RunPlace,
  native: string | undefined,
  call: Call,
): Promise<KeptRun | undefined> {
  const session = native === undefined ? undefined : await findOpenByNative(tx, { native_id: native })
  const project = session === undefined ? undefined : await placeOfSession(tx, session)
  if (native === undefined || session === undefined || project === undefined) return undefined
  const { workplace_id } = project
  const skill = await skillCalled(tx, { workplace_id, name: place.invocation.name })
  const span = (await openSpansOf(tx, { session_id: native })).find((one) => one.skill === skill?.name)
  if (skill === undefined || span === undefined) return undefined
  const { root } = project
  const args = keptText(place.invocation.args, LONGEST_ARGS)
  const known =
    span.effort_id === null
      ? await runOfSpan(tx, { span_id: span.span_id, args })
      : await lastRunOfEffort(tx, { effort_id: span.effort_id })
  const about = {
    skill: skill.name,
    window_id: session.id,
    project_id: project.id,
    ...(span.effort_id !== null && { effort_id: span.effort_id }),
  }
  if (known === undefined && place.problem !== undefined) {
    await call.record(tx, { event_type: 'run.failed', ...about, payload: { reason: place.problem } })
    return { told: noRunText(skill.name, place.problem) }
  }
  const { effort_id, span_id } = span
  const fresh = {
    project_id: project.id,
    workplace_id,
    effort_id,
    span_id,
    skill: skill.name,
    args,
    now: call.now,
  }
  const run = known ?? (await insertFree(tx, place, fresh))
  const path = runPath({ root, name: run.name })
  if (known === undefined)
    await call.record(tx, { event_type: 'run.started', ...about, payload: { run: run.name, path } })
  return { run: { ...run, root }, told: runText(skill.name, path) }
}

/** Tells a new session where the run of the active skill is. */
export async function recallRun(tx: Tx, native: string | undefined): Promise<KeptRun | undefined> {
  const spans = native === undefined ? [] : await openSpansOf(tx, { session_id: native })
  const span = spans.find(({ status }) => status === 'active')
  if (span === undefined) return undefined
  const run = await runOf(tx, span)
  const [placed] = run === undefined ? [] : await listRuns(tx, { id: run.id, limit: 1 })
  return placed === undefined ? undefined : { run: placed, told: runText(placed.skill, runPath(placed)) }
}

/** The last run of a span; the runs of a tracked skill belong to its effort. */
export const runOf = (
  tx: Tx,
  { span_id, effort_id }: { readonly span_id: string; readonly effort_id: number | null },
): Promise<SkillRun | undefined> =>
  effort_id === null ? lastRunOfSpan(tx, { span_id }) : lastRunOfEffort(tx, { effort_id })

async function insertFree(
  tx: Tx,
  place: RunPlace,
  fresh: Omit<Parameters<typeof insertRun>[1], 'name'>,
): Promise<SkillRun> {
  // The table also knows names whose folders are still being created.
  for (let counter = place.free; counter < place.free + MOST_TRIES; counter++) {
    const run = await insertRun(tx, { ...fresh, name: nameOf(place, counter) })
    if (run !== undefined) return run
  }
  throw new Error('Every name for the run is taken.')
}

/** Creates the folder of a run; a repeated call after a crash completes the same folder. */
export async function makeRun(context: Context, run: PlacedRun): Promise<void> {
  if (run.made_at !== null) return
  await underLease(context, `run ${runPath(run)}`, (lease) => make(context, run, lease))
}

/** INV_ACK_IS_DURABLE: without the database, the call fails and can be repeated; without the disk, the work goes on. */
async function make(context: Context, run: PlacedRun, lease: Lease): Promise<void> {
  const { store } = context
  const [now] = await store.transact((tx) => listRuns(tx, { id: run.id, limit: 1 }), {
    reads: true,
    repeatable: true,
  })
  // Another call created it, and an agent may have written there since.
  if (now?.made_at !== null) return
  const problem = await fill(context, run, lease).then(() => undefined, problemOf)
  const call = callOf(context, undefined)
  await store.transact(
    async (tx) => {
      if (problem === undefined) await setRunMade(tx, { id: run.id, now: call.now })
      else await recordFailure(tx, run, problem, call)
      await lease.end(tx)
    },
    { repeatable: problem === undefined },
  )
}

/** Writes the first files of a run. */
async function fill({ files }: Context, run: PlacedRun, { check }: Lease): Promise<void> {
  const { root } = run
  const path = runPath(run)
  for (const folder of RUN_FOLDERS) await files.makeFolders({ path: `${path}/${folder}`, root })
  for (const [name, content] of Object.entries(runFiles(run)))
    // No agent knows the folder yet, so existing content is a remnant of a crash.
    await files.append({ path: `${path}/${name}`, root, content, check, resume: { at: 0, before: Infinity } })
}

async function recordFailure(tx: Tx, run: PlacedRun, reason: string, call: Call): Promise<void> {
  const { skill, project_id, effort_id, span_id, name } = run
  const span = span_id === null ? undefined : await findSpan(tx, { span_id })
  await inSession(call, span?.session_id).record(tx, {
    event_type: 'run.failed',
    skill,
    project_id,
    ...(effort_id !== null && { effort_id }),
    payload: { run: name, reason },
  })
}

/** What the disk said; another daemon that has the lease now is no problem. */
function problemOf(error: unknown): string {
  if (error instanceof LeaseLost) throw error
  return messageOf(error)
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
