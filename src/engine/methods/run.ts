import * as z from 'zod'
import { agentNotFound, EngineError, projectNotFound } from '../../model/error.ts'
import { REPORTS_FOLDER, RUN_LOG, runLogLine, type RunState, SYNTHESIS } from '../../model/skill-run.ts'
import { textWord } from '../../model/shell/word.ts'
import { listed } from '../../model/text/line.ts'
import { findAgent } from '../../store/agent.ts'
import { findEffort, toEffort } from '../../store/effort.ts'
import { listRoots } from '../../store/workplace.ts'
import type { Tx } from '../../store/query.ts'
import { findLastByNative } from '../../store/session.ts'
import { listRuns, type PlacedRun, type RunFilter } from '../../store/skill-run.ts'
import { openSpansOf } from '../../store/span.ts'
import { ownFile } from '../call/confine.ts'
import { type Here, optionalHere, rootAround } from '../call/here.ts'
import type { Context } from '../call/context.ts'
import { appendMethod, directMethod, method } from '../call/method.ts'
import * as p from '../call/params.ts'
import { type Asker, hasIdentity, refuseOthers } from '../effort/holder.ts'
import { runOf, runPath } from '../skill/skill-run.ts'

const path = p.path.optional().describe('A folder. The project that contains it is used.')
const run = p.name.describe('The folder name or id of the run.')
const MOST_BYTES = 4 * 1024 * 1024

export const list = directMethod({
  name: 'run.list',
  summary: 'List the run folders of skills, newest first.',
  effect: 'none',
  params: z.strictObject({
    path,
    skill: p.name.optional(),
    effort_id: p.id.optional().describe('Only runs of this effort.'),
    limit: p.limit,
  }),
  async call(context, { path: given, ...filter }) {
    const here = await optionalHere(context, 'path', given)
    const rows = await context.store.transact((tx) => find(tx, here, filter), { reads: true })
    return await Promise.all(rows.map((row) => withState(context, row)))
  },
})

export const show = directMethod({
  name: 'run.show',
  summary: 'Show a run: its folder, its effort and its state.',
  effect: 'none',
  params: z.strictObject({ run, path }),
  async call(context, { run: name, path: given }) {
    const here = await optionalHere(context, 'path', given)
    const row = await context.store.transact((tx) => oneRun(tx, here, name), { reads: true })
    const found = await withState(context, row)
    const files = await Promise.all(
      ['context.md', SYNTHESIS, RUN_LOG].map(async (file) => ({
        path: `${found.path}/${file}`,
        bytes: await context.files.size(`${found.path}/${file}`),
      })),
    )
    const report = reportOf(found)
    const isPublished = (await context.files.kind(report)) === 'file'
    return { ...found, files, report: isPublished ? report : null }
  },
})

export const publish = method({
  name: 'run.publish',
  summary: 'Copy the synthesis of a run to the reports folder of the project.',
  effect: 'durable',
  params: z.strictObject({
    run,
    path,
    force: z.boolean().default(false).describe('Replace an existing report with different content.'),
  }),
  async prepare(context, { run: name, path: given, force }, ask) {
    const here = await optionalHere(context, 'path', given)
    const found = await ask((tx) => oneRun(tx, here, name))
    const { root } = found
    const content = await synthesisOf(context, found)
    const report = reportOf(found)
    await context.files.makeFolders({ path: `${root}/${REPORTS_FOLDER}`, root })
    await context.files.put({ path: report, root, content, replaces: force }).catch((error: unknown) => {
      if (!(error instanceof EngineError) || error.code !== 'conflict') throw error
      throw new EngineError('conflict', error.message, { hint: `holdfast run publish ${found.name} --force` })
    })
    return { found, report, bytes: Buffer.byteLength(content) }
  },
  async run(tx, _, call) {
    const { found, report, bytes } = call.prepared
    const { skill, project_id, effort_id, name } = found
    const about = { skill, project_id, ...(effort_id !== null && { effort_id }) }
    const payload = { run: name, report, bytes }
    await call.record(tx, { event_type: 'run.published', ...about, payload })
    return { run: name, report, bytes }
  },
})

export const log = appendMethod({
  name: 'run.log',
  summary: 'Append a timestamped line to the log of a run.',
  params: z.strictObject({
    text: p.words(10_000).describe('The text of the line.'),
    run: run
      .optional()
      .describe("The folder name or id of the run. Default: the caller's own run, else the only one here."),
    effort_id: p.id.optional().describe('The effort whose newest run is meant.'),
    agent_id: p.name.optional().describe('The agent that owns the effort of the run.'),
    native_id: p.name.optional().describe("The client's id of the session of the run."),
    phase: p.name.default('note').describe('The activity that the line belongs to.'),
    path,
  }),
  async prepare(context, given, ask) {
    const here = await optionalHere(context, 'path', given.path)
    const { meant, runs, projects } = await ask(async (tx, intended) => {
      const name = intended['run'] === undefined ? given.run : String(intended['run'])
      await checkEffort(tx, given.effort_id, given, context)
      const own = name === undefined ? await ownRun(tx, given) : await oneRun(tx, here, name)
      await checkEffort(tx, own?.effort_id, given, context)
      const all = own === undefined ? await find(tx, here, { limit: MOST_RUNS }) : []
      return { meant: own, runs: all, projects: await listRoots(tx, context.machine) }
    })
    const found = meant ?? (await onlyRun(context, runs, given))
    const { id, skill, effort_id, project_id } = found
    return {
      place: await ownFile(context, projects, { path: `${runPath(found)}/${RUN_LOG}`, project_id }),
      meant: { run: id },
      content: (now) => runLogLine(given.phase, given.text, now),
      about: { skill, ...(effort_id !== null && { effort_id }) },
      answer: (written, now) => ({ run: found.name, ...written, at: now }),
    }
  },
})

/** The log of a run belongs to the session that has its effort. */
async function checkEffort(
  tx: Tx,
  id: number | null | undefined,
  asker: Asker,
  context: Context,
): Promise<void> {
  const row = id == null ? undefined : await findEffort(tx, { id })
  if (row !== undefined) await refuseOthers(tx, toEffort(row), asker, context)
}

async function find(
  tx: Tx,
  here: Here | undefined,
  filter: Omit<RunFilter, 'project_id'>,
): Promise<readonly PlacedRun[]> {
  return await listRuns(tx, { ...filter, project_id: await projectAround(tx, here) })
}

async function projectAround(tx: Tx, here: Here | undefined): Promise<number | undefined> {
  if (here === undefined) return undefined
  const found = await rootAround(tx, here)
  if (found === undefined) throw projectNotFound(here.folder, here.folder)
  return found.of.id
}

/** The run with this name or id. */
async function oneRun(tx: Tx, here: Here | undefined, name: string): Promise<PlacedRun> {
  const isId = /^\d{1,15}$/.test(name)
  const wanted = isId ? { id: Number(name) } : { name }
  // An id is unique across projects.
  const [found] = await find(tx, isId ? undefined : here, { ...wanted, limit: 1 })
  return found ?? noRun(name)
}

function noRun(name: string | undefined): never {
  const what = name === undefined ? 'There is no run yet.' : `No run is named ${name}.`
  throw new EngineError('not-found', what, { field: 'run', hint: 'holdfast run list' })
}

interface RunWish extends Asker {
  readonly effort_id?: number | undefined
}

/** The newest run of the named effort, else of the caller's own skill or effort. */
async function ownRun(tx: Tx, { effort_id, native_id, agent_id }: RunWish): Promise<PlacedRun | undefined> {
  if (effort_id !== undefined) return (await listRuns(tx, { effort_id, limit: 1 }))[0] ?? noRun(undefined)
  const spans = native_id === undefined ? [] : await openSpansOf(tx, { session_id: native_id })
  const span = spans.find(({ status }) => status === 'active')
  const ofSpan = span === undefined ? undefined : await runOf(tx, span)
  if (ofSpan !== undefined) return (await listRuns(tx, { id: ofSpan.id, limit: 1 }))[0]
  const window = native_id === undefined ? undefined : await findLastByNative(tx, { native_id })
  const agent = agent_id === undefined ? undefined : await findAgent(tx, { id: agent_id })
  if (agent_id !== undefined && agent === undefined) throw agentNotFound(agent_id)
  for (const effort of [agent?.effort_id, window?.effort_id]) {
    const [own] = effort == null ? [] : await listRuns(tx, { effort_id: effort, limit: 1 })
    if (own !== undefined) return own
  }
  return undefined
}

const MOST_RUNS = 50

/** The only run, or the only one in progress; a caller with an identity never means a run of others. */
async function onlyRun(
  context: Context,
  runs: readonly PlacedRun[],
  { text, ...asker }: Asker & { readonly text: string },
): Promise<PlacedRun> {
  const [newest] = runs
  if (newest === undefined) return noRun(undefined)
  const states = await Promise.all(runs.map((one) => withState(context, one)))
  const open = states.filter(({ state }) => state === 'in-progress')
  const [only, second] = runs.length === 1 ? runs : open
  if (!hasIdentity(asker) && only !== undefined && second === undefined) return only
  const names = listed(
    runs.map(({ name }) => name),
    ROOM,
  )
  throw new EngineError('conflict', `Which run? You have none of your own here. Known runs: ${names}.`, {
    field: 'run',
    hint: `holdfast run log ${textWord(text)} --run ${newest.name}`,
  })
}

const ROOM = 500

const reportOf = ({ root, name }: PlacedRun): string => `${root}/${REPORTS_FOLDER}/${name}.md`

async function withState({ files }: Context, { root, ...found }: PlacedRun) {
  const folder = runPath({ root, name: found.name })
  const isThere = (await files.kind(folder)) === 'folder'
  const isComplete = (await files.size(`${folder}/${SYNTHESIS}`)) > 0
  const state: RunState = isComplete ? 'complete' : isThere ? 'in-progress' : 'gone'
  return { ...found, root, path: folder, state }
}

async function synthesisOf({ files }: Context, found: PlacedRun): Promise<string> {
  const { root, name } = found
  const file = `${runPath(found)}/${SYNTHESIS}`
  if ((await files.size(file)) === 0)
    throw new EngineError('refused', `Run ${name} is not complete: ${file} is missing or empty.`, {
      hint: `Write ${file}, then: holdfast run publish ${name}`,
    })
  const { content, next_offset: more } = await files.read({ path: file, root, offset: 0, limit: MOST_BYTES })
  if (more === null) return content
  throw new EngineError('invalid', `${file} is larger than ${MOST_BYTES} bytes, the limit for a report.`)
}
