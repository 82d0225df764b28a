import * as z from 'zod'
import { skillsFolder } from '../../model/client-files.ts'
import type { Directive } from '../../model/directive.ts'
import type { Effort } from '../../model/effort.ts'
import { EngineError } from '../../model/error.ts'
import type { Section } from '../../model/recap.ts'
import type { Session } from '../../model/session.ts'
import { startOn } from '../../model/task.ts'
import { listed, quoted } from '../../model/text/line.ts'
import { NOTHING_LOOKED_UP } from '../../rules/told/background.ts'
import { besidePlan, memorySections } from '../../rules/told/memory.ts'
import { elsewhereLine, type OpenElsewhere } from '../../rules/told/open.ts'
import { insertApproval } from '../../store/approval.ts'
import { describeEffort, findActiveEfforts, findEffort, toEffort } from '../../store/effort.ts'
import { toJson } from '../../store/json.ts'
import type { Tx } from '../../store/query.ts'
import { keepTask, findOrRegisterPlace } from '../skill/arrival.ts'
import { startEffort } from '../effort/life.ts'
import { nameTask } from '../session/name-task.ts'
import { type Prepared, prepareStart, unmake } from '../effort/prepare.ts'
import { factsOf } from '../effort/skill-facts.ts'
import { openElsewhere } from '../effort/open.ts'
import { type Call, method } from '../call/method.ts'
import { claimEffort } from '../effort/ownership.ts'
import * as p from '../call/params.ts'
import { followedBy } from '../plan/plan.ts'
import { openWindowFor } from '../session/shell-window.ts'
import { clientNamed } from '../hook/client-payload.ts'
import { memoryEntry } from '../hook/entries.ts'
import { checkMode, knownSkill } from '../skill/known-skill.ts'
import { storeReading } from '../skill/sync.ts'
import { takeOver } from '../session/take-over.ts'
import { toldByCommand } from '../session/told-work.ts'
import { answerOf, viewOf } from '../effort/work-view.ts'
import { items, toldText } from '../effort/work-text.ts'

const params = z.strictObject({
  dir: p.taskId.describe('The folder of the task; created if missing.'),
  skill: p.skillName,
  mode: p.name.optional().describe('A mode of the skill.'),
  user_approved: p.reason.optional(),
  title: p.name.optional().describe('The title of the task.'),
  description: p.text.optional().describe('The description of the task.'),
  metadata: z
    .looseObject({
      taskSummary: p.text.optional(),
      directoriesOfInterest: z.array(z.string().min(1).max(4096)).max(100).optional(),
    })
    .optional()
    .describe('Input for the skill, such as taskSummary and directoriesOfInterest. Stored with the effort.'),
  agent_id: p.name.optional().describe('The agent that will own the effort.'),
  native_id: p.name.optional().describe("The client's id of the session that will work on it."),
  client: p.name.optional().describe('The name of the client of that session.'),
  pid: p.id.optional().describe('The process id of the client.'),
  cwd: p.cwd
    .optional()
    .describe('The folder that the caller works in. Its project owns the task if the task lies inside it.'),
})

type Params = z.output<typeof params>

export const start = method({
  name: 'commands.effort.start',
  summary: 'Start or resume an effort of a skill on a task, and print what its agent needs to know.',
  effect: 'durable',
  params,
  prepare: prepareStart,
  undo: (context, prepared) => unmake(context, prepared),
  async run(tx, given, call) {
    const { dir, location, reading, directives, seen, contents, digests } = call.prepared
    const project = await findOrRegisterPlace(tx, location, call)
    await storeReading(tx, project, reading, call)
    const newIn = skillsFolder(clientNamed(call.context, undefined))
    const wanted = { name: given.skill, place: project, field: 'skill', newIn }
    const skill = await knownSkill(tx, wanted)
    if (given.user_approved === undefined)
      checkMode(skill, {
        task: given.dir,
        mode: given.mode,
        more: ' The user can allow it anyway, with --reason WHY.',
      })
    const { title, description = given.metadata?.taskSummary } = given
    await keepTask(tx, { dir_path: dir, place: project, title, description }, call)
    const { effort, resumed, held } = await resumeOrStart(tx, { ...given, dir }, call)
    if (given.user_approved !== undefined) await approve(tx, effort, given.user_approved, call)
    const session = await openWindowFor(tx, { ...given, effort }, call)
    const files = { root: project.root, digests }
    if (session !== undefined)
      await takeOver(
        tx,
        { session, project, work: await factsOf(tx, skill, effort, files), replaces: 'none' },
        call,
      )
    // Its session may have changed it.
    const row = await findEffort(tx, { id: effort.id })
    const now = row === undefined ? effort : toEffort(row)
    const view = await viewOf(tx, { effort: now, skill, seen, files })
    const lookedUp = { ...NOTHING_LOOKED_UP, written: seen, contents }
    const about = { effortId: effort.id, project, session, lookedUp, digests }
    const told = [
      ...(await toldByCommand(tx, about, call)),
      ...(await toldOfMemory(tx, effort, session, call)),
    ]
    return { view, resumed, session: session ?? null, directives, held, told }
  },
  finish: (_, started) => Promise.resolve(answered(started)),
})

/** What the project knows about the request, which the context now has. */
async function toldOfMemory(
  tx: Tx,
  { id: effort_id, skill, ...effort }: Effort,
  session: Session | undefined,
  call: Call<Prepared>,
): Promise<readonly Section[]> {
  const { memory } = call.prepared
  if (memory === undefined) return []
  const at = { effort_id, ...(session !== undefined && { window_id: session.id }) }
  if (memory.missed !== undefined) {
    await call.record(tx, { ...memoryEntry({ kind: 'memory.missed', skill, why: memory.missed }), ...at })
    return []
  }
  const { plan } = await followedBy(tx, { id: effort_id, skill, ...effort })
  const quotes = besidePlan(memory.quotes, plan)
  if (quotes.length > 0)
    await call.record(tx, { ...memoryEntry({ kind: 'memory.told', skill, quotes }), ...at })
  return memorySections({ ...memory, quotes }, call.now)
}

interface Started {
  readonly view: Awaited<ReturnType<typeof viewOf>>
  readonly resumed: boolean
  readonly session: Session | null
  readonly directives: readonly Directive[]
  readonly held: readonly OpenElsewhere[]
  /** The sections of the first call; results of older daemons have none. */
  readonly told?: readonly Section[]
}

/** Adds the text for the agent; results stored by older daemons already have it. */
function answered(started: Started) {
  if ('markdown' in started) return started
  const { view, told: _, ...rest } = started
  return { ...answerOf(view), ...rest, markdown: startedText(started) }
}

/** Resumes an active effort of the same skill, unless it is of another agent or of a client that may come back. */
async function resumeOrStart(tx: Tx, given: Params, call: Call) {
  const { dir, skill, mode, metadata, agent_id } = given
  const active = (await findActiveEfforts(tx, { task_id: dir, skill, limit: 1000 })).map(toEffort)
  const held: OpenElsewhere[] = []
  for (const effort of active) {
    const other = await openElsewhere(tx, effort, given, call.context)
    if (other !== undefined) {
      held.push(other)
      continue
    }
    const resumed = await described(tx, effort, given, call)
    await call.record(tx, { event_type: 'effort.resumed', skill, effort_id: effort.id })
    return { effort: resumed, resumed: true, held: [] }
  }
  const called = await nameTask(tx, given, call)
  if (called !== undefined) return { effort: await described(tx, called, given, call), resumed: false, held }
  const effort = await startEffort(tx, { task_id: dir, skill, mode, metadata, agent_id }, call)
  return { effort, resumed: false, held }
}

/** Gives an effort the owner, the mode and the metadata of the call. */
async function described(tx: Tx, effort: Effort, given: Params, call: Call): Promise<Effort> {
  const { mode, metadata, agent_id } = given
  const merged = metadata === undefined ? undefined : { ...effort.metadata, ...metadata }
  await checkPlanStays(tx, effort, { mode, metadata: merged })
  await checkCalledSteps(tx, effort, given)
  if (agent_id !== undefined) await claimEffort(tx, { agent_id, effort_id: effort.id }, call)
  // The metadata may change what the session is watched for.
  const row = await describeEffort(tx, call.context.store.volatile, {
    id: effort.id,
    mode: mode ?? null,
    metadata: toJson(merged),
  })
  return row === undefined ? effort : toEffort(row)
}

/** Refuses what would change a plan that has begun: its steps could vanish. */
async function checkPlanStays(
  tx: Tx,
  effort: Effort,
  given: { readonly mode: string | undefined; readonly metadata: Effort['metadata'] | undefined },
): Promise<void> {
  const { plan, progress } = await followedBy(tx, effort)
  if (Object.keys(progress.visits).length === 0) return
  const { mode = effort.mode, metadata = effort.metadata } = given
  for (const [field, next] of Object.entries({ mode: { mode }, metadata: { metadata } })) {
    const then = await followedBy(tx, { ...effort, ...next })
    if (JSON.stringify(then.plan) === JSON.stringify(plan)) continue
    const message = `Effort ${effort.id} has begun its plan, and --${field} would change it. Resume it without --${field}, or finish it with --abandon first.`
    throw new EngineError('refused', message, {
      field,
      hint: startOn(effort.task_id, effort.skill),
      record: {
        event_type: 'effort.refused',
        skill: effort.skill,
        effort_id: effort.id,
        payload: { reason: message },
      },
    })
  }
}

/** A call of the skill has said which steps are due, so the agent does not leave some of them out afterwards. */
async function checkCalledSteps(tx: Tx, effort: Effort, { mode, native_id }: Params): Promise<void> {
  if (native_id === undefined || mode !== 'quick' || effort.mode !== 'full') return
  const { plan } = await followedBy(tx, effort)
  const then = await followedBy(tx, { ...effort, mode })
  const left = (plan?.steps ?? []).filter(({ id }) => !then.plan?.steps.some((step) => step.id === id))
  if (left.length === 0) return
  const names = listed(
    left.map(({ label }) => quoted(label)),
    ROOM,
  )
  const message = `Effort ${effort.id} was called in full, and --mode quick would leave out ${names}. Start it without --mode; the user can call /${effort.skill} #qlight instead.`
  throw new EngineError('refused', message, {
    field: 'mode',
    hint: startOn(effort.task_id, effort.skill),
    record: {
      event_type: 'effort.refused',
      skill: effort.skill,
      effort_id: effort.id,
      payload: { reason: message },
    },
  })
}

const ROOM = 600

async function approve(tx: Tx, { id, skill }: Effort, reason: string, call: Call): Promise<void> {
  const times = { created_at: call.now, used_at: call.now }
  await insertApproval(tx, { effort_id: id, kind: 'effort', subject: skill, reason, ...times })
  await call.record(tx, { event_type: 'effort.approved', skill, effort_id: id, payload: { reason } })
}

function startedText({ view, resumed, directives, held, told = [] }: Started): string {
  const lines = items(directives.map(({ path, kind }) => `${path} [${kind}]`))
  return toldText(view, {
    title: `Effort ${resumed ? 'resumed' : 'started'}`,
    held: held.map(elsewhereLine),
    told: [...told, { name: 'directives', lines }],
  })
}
