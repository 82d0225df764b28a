import { keptText } from '../../model/text/kept.ts'
import type { Invocation } from '../../model/invocation.ts'
import { isInside, rootOf } from '../../model/project.ts'
import { detailsOf, type SkillDetails } from '../../model/skill.ts'
import type { FoundSkills } from '../../model/skill-folders.ts'
import {
  IGNORES,
  noRunText,
  RUN_FOLDERS,
  RUNS_FOLDER,
  runFiles,
  runName,
  runText,
  type SkillRun,
} from '../../model/skill-run.ts'
import { findProjectOfTask, listProjects } from '../../store/project.ts'
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
import { openSpansOf } from '../../store/span.ts'
import type { Arrival } from './arrival.ts'
import { callOf } from '../call/moment.ts'
import { inTurn } from '../call/turn.ts'
import type { Context } from '../call/context.ts'
import { skillCalled } from './called.ts'
import type { Call } from '../call/method.ts'

/** What the disk says about the runs of a project, before anything is stored. */
export interface RunPlace {
  readonly invocation: Invocation
  readonly root: string
  readonly day: string
  /** The first counter that no folder of that name has. */
  readonly free: number
  /** Why no folder can be made. */
  readonly problem?: string
}

const LONGEST_ARGS = 2000
const MOST_TRIES = 1000

export const runPath = ({ root, name }: Pick<PlacedRun, 'root' | 'name'>): string =>
  `${root}/${RUNS_FOLDER}/${name}`

/** Which project a call is made in, and what is stored of the skill that it names. */
export async function skillMeant(tx: Tx, place: Arrival, { name }: Invocation) {
  const projects = await listProjects(tx, {})
  const root = rootOf(projects, place)
  const project = projects.find(({ path }) => path === root)
  const row = project === undefined ? undefined : await skillCalled(tx, project.id, name)
  return { root, stored: row === undefined ? undefined : toEntry(row).details }
}

/** Whether the skill wants a folder for its run: what was just read counts more than what is stored. */
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

/** Where the run of a skill that is called will lie. */
export async function placeRun(context: Context, root: string, invocation: Invocation): Promise<RunPlace> {
  const wanted = { invocation, root, day: callOf(context, undefined).now }
  try {
    await makeRunsFolder(context, root)
    return { ...wanted, free: await firstFree(context, wanted) }
  } catch (error) {
    // The call goes on without a folder, and is told so.
    return { ...wanted, free: 1, problem: messageOf(error) }
  }
}

/** Ours inside of the project, wherever links lead, and out of sight of what its user commits. */
async function makeRunsFolder({ files }: Context, root: string): Promise<void> {
  const folder = `${root}/${RUNS_FOLDER}`
  await files.makeFolders({ path: folder, root })
  if (!isInside(root, await files.canonical(folder)))
    throw new Error(`${folder} leads out of the project ${root}.`)
  const ignores = `${root}/${IGNORES.path}`
  if ((await files.kind(ignores)) === 'missing')
    await files.put({ path: ignores, root, content: IGNORES.text, replaces: false })
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

/** A run as the transaction left it, and what the agent is told of it. */
export interface KeptRun {
  readonly run?: PlacedRun
  readonly told: string
}

/** The run of the call: the one that its effort has already, else a new one. The folder is made after the commit. */
export async function keepRun(
  tx: Tx,
  place: RunPlace,
  native: string | undefined,
  call: Call,
): Promise<KeptRun | undefined> {
  const session = native === undefined ? undefined : await findOpenByNative(tx, { native_id: native })
  const project =
    session === undefined ? undefined : await findProjectOfTask(tx, { dir_path: session.task_id })
  if (native === undefined || session === undefined || project === undefined) return undefined
  const skill = await skillCalled(tx, project.id, place.invocation.name)
  const span = (await openSpansOf(tx, { session_id: native })).find((one) => one.skill === skill?.name)
  if (skill === undefined || span === undefined) return undefined
  const root = project.path
  const args = keptText(place.invocation.args, LONGEST_ARGS)
  const known =
    span.effort_id === null
      ? await runOfSpan(tx, { span_id: span.span_id, args })
      : await lastRunOfEffort(tx, { effort_id: span.effort_id })
  const about = {
    skill: skill.name,
    session_id: session.id,
    project_id: project.id,
    ...(span.effort_id !== null && { effort_id: span.effort_id }),
  }
  if (known === undefined && place.problem !== undefined) {
    await call.record(tx, { event_type: 'run.failed', ...about, payload: { reason: place.problem } })
    return { told: noRunText(skill.name, place.problem) }
  }
  const { effort_id, span_id } = span
  const fresh = { project_id: project.id, effort_id, span_id, skill: skill.name, args, now: call.now }
  const run = known ?? (await insertFree(tx, place, fresh))
  const path = runPath({ root, name: run.name })
  if (known === undefined)
    await call.record(tx, { event_type: 'run.started', ...about, payload: { run: run.name, path } })
  return { run: { ...run, root }, told: runText(skill.name, path) }
}

/** A window that begins has forgotten where the run of the skill in charge lies. */
export async function recallRun(tx: Tx, native: string | undefined): Promise<KeptRun | undefined> {
  const spans = native === undefined ? [] : await openSpansOf(tx, { session_id: native })
  const span = spans.find(({ status }) => status === 'active')
  if (span === undefined) return undefined
  const run =
    span.effort_id === null
      ? await lastRunOfSpan(tx, span)
      : await lastRunOfEffort(tx, { effort_id: span.effort_id })
  const [placed] = run === undefined ? [] : await listRuns(tx, { id: run.id, limit: 1 })
  return placed === undefined ? undefined : { run: placed, told: runText(placed.skill, runPath(placed)) }
}

async function insertFree(
  tx: Tx,
  place: RunPlace,
  fresh: Omit<Parameters<typeof insertRun>[1], 'name'>,
): Promise<SkillRun> {
  // Folders that others have taken since, and are still being made, are known to the table.
  for (let counter = place.free; counter < place.free + MOST_TRIES; counter++) {
    const run = await insertRun(tx, { ...fresh, name: nameOf(place, counter) })
    if (run !== undefined) return run
  }
  throw new Error('No name is left for the run.')
}

/** Makes what is missing of the folder of a run; a repetition after a crash finds the same folder. */
export async function makeRun(context: Context, run: PlacedRun): Promise<void> {
  if (run.made_at !== null) return
  await inTurn(`run ${run.id}`, () => make(context, run)).catch(async (error: unknown) => {
    const { skill, project_id, effort_id, name } = run
    await context.store.transact((tx) =>
      callOf(context, undefined).record(tx, {
        event_type: 'run.failed',
        skill,
        project_id,
        ...(effort_id !== null && { effort_id }),
        payload: { run: name, reason: messageOf(error) },
      }),
    )
  })
}

async function make(context: Context, run: PlacedRun): Promise<void> {
  const { files, store } = context
  const [now] = await store.transact((tx) => listRuns(tx, { id: run.id, limit: 1 }), { reads: true })
  // Whoever came before has made it, and told somebody who may have written there since.
  if (now?.made_at !== null) return
  const { root } = run
  const path = runPath(run)
  for (const folder of RUN_FOLDERS) await files.makeFolders({ path: `${path}/${folder}`, root })
  for (const [name, content] of Object.entries(runFiles(run)))
    // Nobody has been told of the folder yet, so what stands there is what a crash has left of the same text.
    await files.append({ path: `${path}/${name}`, root, content, resume: { at: 0, before: Infinity } })
  const { now: made } = callOf(context, undefined)
  await store.transact((tx) => setRunMade(tx, { id: run.id, now: made }))
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
