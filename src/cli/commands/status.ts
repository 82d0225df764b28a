import { resumeCommand } from '../../model/effort.ts'
import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { clients } from '../../clients/index.ts'
import { findHome } from '../../daemon/home.ts'
import { pauseReader } from '../../daemon/pause.ts'
import type { AtWork } from '../../engine/effort/at-work.ts'
import type { DaemonStatus } from '../../engine/call/context.ts'
import { ownFolder, skillsFolder } from '../../model/client-files.ts'
import { timestamp } from '../../model/clock.ts'
import { EngineError } from '../../model/error.ts'
import { modeWords } from '../../model/mode.ts'
import { isInside, type ToldProject } from '../../model/project.ts'
import { type Session, silenceOf } from '../../model/session.ts'
import { statusLine } from '../../model/status-line.ts'
import type { ChainView } from '../../model/chain/view.ts'
import { Remote } from '../daemon/remote.ts'
import { numberOf } from '../frame/args.ts'
import { identityOf } from '../frame/caller.ts'
import { requestOf } from '../frame/effort-screen.ts'
import type { Command } from '../frame/command.ts'
import { type Io, usage } from '../frame/io.ts'
import { nextLines } from '../frame/next-lines.ts'
import { chainLines } from '../frame/chain-screen.ts'
import { cell, paint } from '../frame/print.ts'
import { printLines, printResult } from '../frame/show.ts'
import { parkedLine } from '../frame/step-screen.ts'
import { duration, relativeTime } from '../../model/text/time.ts'
import { isOpenTask, type Shown } from '../handoff/shown.ts'
import { NEW_SKILL } from '../skill/report.ts'
import { sessionIn } from '../frame/session-in.ts'

interface Found {
  readonly project: ToldProject | null
  readonly efforts: readonly (AtWork & { readonly refusals: number; readonly plan_edit: string | null })[]
  /** In all open sessions of the project. */
  readonly refusals: number
  readonly efforts_active: number
  readonly sessions: readonly Session[]
  readonly sessions_open: number
  readonly queue_open: number
  /** Those that run or are parked. */
  readonly chains?: readonly ChainView[]
  readonly next: string
  /** The effort that it belongs to. */
  readonly next_effort: number | null
  /** Checkouts of this machine that exist no longer. */
  readonly workplaces_gone: readonly string[]
}

/** What the session file of a project says, in short. */
interface Tasks {
  readonly file: string
  readonly next: string | null
  readonly open: number
}

interface Status extends Found {
  readonly daemon: DaemonStatus
  readonly paused_until: string | null
  readonly hooks_installed: boolean
  /** Null if there is no session file. */
  readonly session_file: Tasks | null
}

export const status: Command = {
  name: 'status',
  summary: 'Show the active work in this project, and the next command.',
  usage: '[DIR]',
  places: { '[DIR]': 'a folder of the project (default: the current folder)' },
  flags: {
    line: { kind: 'switch', summary: 'print one line for this session, such as [2:impl:P3] 62%' },
    limit: { kind: 'value', summary: 'maximum number of efforts and sessions (default 10)' },
  },
  examples: ['holdfast status', 'holdfast status ../other --limit 100', 'holdfast status --line'],
  async run(io, { positionals: [dir = '.'], values: { limit }, switches }) {
    // An empty DIR is usually an unset variable, so it must not mean the current folder.
    if (dir === '') throw usage('DIR must not be empty.', 'holdfast status .')
    const path = resolve(realpathSync(io.cwd), dir)
    using remote = new Remote(io)
    const [daemon, found] = (await remote.callAll([
      { method: 'daemon.status' },
      {
        method: 'db.project.status',
        params: {
          path,
          ...identityOf(io),
          ...(limit !== undefined && { limit: numberOf(limit, '--limit') }),
        },
      },
    ])) as [DaemonStatus, Found]
    // A known project may be gone; any other missing folder would show the project around it.
    if (!existsSync(path) && found.project?.path !== path)
      throw new EngineError('not-found', `${path} does not exist.`, { hint: 'holdfast status .' })
    if (switches.has('line')) {
      const line = lineOf(found, await sessionIn(io))
      printLines(io, { line }, () => line)
      return 0
    }
    const until = pauseReader(findHome(io.env))(Date.now())
    const all: Status = {
      daemon,
      ...found,
      paused_until: until === undefined ? null : timestamp(until),
      hooks_installed: await areHooksIn(io, found.project),
      session_file: await tasksIn(remote, path),
    }
    const isBare = !io.json && BARE.test(found.next) && !hasSkills(io, found.project?.path ?? path)
    printResult(io, all, () => describe(io, isBare ? { ...all, next: NEW_SKILL } : all))
    return 0
  },
}

/** A session file that cannot be read must not hide the rest. */
async function tasksIn(remote: Remote, path: string): Promise<Tasks | null> {
  try {
    const { file, exists, next, tasks } = await remote.call<Shown>('handoff.show', { path })
    return exists ? { file, next: next?.name ?? null, open: tasks.filter(isOpenTask).length } : null
  } catch (error) {
    if (error instanceof EngineError) return null
    throw error
  }
}

/** What `next` is in a project of which no effort and no skill is known. */
const BARE = /^holdfast (?:project upsert|effort start .* SKILL$)/

/** Whether a client has a skill for this folder; only looked for, because parsing takes longer than the command. */
function hasSkills(io: Io, path: string): boolean {
  const { user } = findHome(io.env)
  const folders = [...clients.values()].flatMap((client) => [
    join(path, skillsFolder(client)),
    join(ownFolder(user, client), 'skills'),
  ])
  return folders.some((folder) => existsSync(folder) && readdirSync(folder).length > 0)
}

/** Without a project, only the settings of the user count. */
async function areHooksIn(io: Io, project: ToldProject | null): Promise<boolean> {
  const [{ findSources }, { hookedIn }, { thisMachine }] = await Promise.all([
    import('../doctor/sources.ts'),
    import('../doctor/groups/settings.ts'),
    import('../doctor/machine.ts'),
  ])
  const cwd = project !== null && existsSync(project.path) ? project.path : io.cwd
  return hookedIn(findSources({ ...io, cwd }, thisMachine)).length > 0
}

/** The line of the calling session, or of the most recent effort if the session is unknown. */
function lineOf({ efforts, sessions }: Found, native: string | undefined): string {
  const session = native === undefined ? sessions[0] : sessions.find(({ native_id: id }) => id === native)
  const effort = efforts.find(({ id }) => id === session?.effort_id)
  if (effort !== undefined) return statusLine(effort.status, session?.context_usage ?? null)
  const [newest] = native === undefined ? efforts : []
  return newest === undefined ? '' : newest.status
}

function describe(io: Io, found: Status): string {
  const { daemon, project, efforts, efforts_active: active, sessions, paused_until } = found
  const about = `daemon ${daemon.version}, pid ${daemon.pid}, up ${duration(daemon.uptime_seconds * 1000)}`
  const head =
    project === null ? 'This folder is not in a registered project.' : cell(project.name ?? project.path)
  const level = project === null ? '' : ` ${project.level}`
  const atEfforts = new Set(efforts.map((one) => (one.is_set_aside ? undefined : one.session?.id)))
  const others = sessions.filter(({ id }) => !atEfforts.has(id))
  const more = active - efforts.length
  return [
    `${paint(io, 'bold', head)}${level}  ${paint(io, 'dim', about)}`,
    ...workplacesOf(io, found),
    ...(paused_until === null
      ? levelSays(found)
      : [
          paint(
            io,
            'yellow',
            `Enforcement is paused; the pause ends ${relativeTime(paused_until)}. End it now: holdfast pause off`,
          ),
        ]),
    ...(project !== null && active === 0 ? ['No effort is active.'] : []),
    ...efforts.flatMap((effort) => [
      effortLine(io, effort),
      ...[...parkedLine(effort.parked), ...effort.failures.map(cell)].map((line) => `  ${line}`),
      ...checkoutOrEdit(effort, found),
    ]),
    ...(more > 0 ? [paint(io, 'dim', `and ${more} more: holdfast effort find-active`)] : []),
    ...others.map((session) => `${paint(io, 'dim', clientOf(session))}${heardOf(io, session)}`),
    ...(found.chains ?? []).flatMap(chainLines),
    ...countsOf(found),
    ...taskLine(found),
    ...nextOf(io, found),
  ].join('\n')
}

/** The next task of the session file, in one line. */
function taskLine({ session_file: tasks }: Status): readonly string[] {
  if (tasks === null) return []
  const { file, next, open } = tasks
  const what = next === null ? 'no pending task' : `next task: ${cell(next)}`
  return [`${cell(file)}: ${what}${open > 1 ? `, ${open} open` : ''}. See: holdfast handoff`]
}

/** The next action; where several efforts are shown, it names its own. */
function nextOf(io: Io, { next, next_effort: id, efforts }: Found): readonly string[] {
  const lines = nextLines(io, { next: [next] })
  const isOfMany = efforts.length > 1 && id !== null
  return isOfMany ? lines.map((line) => line.replace(/^next:/, `next for effort ${id}:`)) : lines
}

/** The other checkouts of the project, if there are any. */
function workplacesOf(io: Io, { project, workplaces_gone: gone }: Found): readonly string[] {
  const others = (project?.workplaces ?? []).filter(({ path, here }) => path !== project?.path || !here)
  const names = others
    .filter(({ path, here }) => !(here && gone.includes(path)))
    .map(({ path, here, machine }) => cell(here ? path : `${machine ?? 'elsewhere'}:${path}`))
  return names.length === 0 ? [] : [paint(io, 'dim', `also: ${names.join(', ')}`)]
}

/** A skill that went with its checkout is no edit: the effort goes on elsewhere. */
function checkoutOrEdit(effort: Found['efforts'][number], found: Found): readonly string[] {
  const gone = goneLine(effort, found)
  return gone.length > 0 || effort.plan_edit == null ? gone : [`  ${cell(effort.plan_edit)}`]
}

/** The state of an effort outlives the checkout that it worked in. */
function goneLine({ id, workplace, task_id: task }: AtWork, { workplaces_gone: gone }: Found) {
  if (workplace === null || !gone.includes(workplace)) return []
  const files = isInside(workplace, task)
    ? 'and with it the files of its task'
    : 'but not the files of its task'
  return [
    `  The checkout ${cell(workplace)} is gone, ${files}. Holdfast keeps the progress and notes of effort ${id}. Resume it here: ${resumeCommand({ id })}`,
  ]
}

/** The effect of each level; only `observe` names the command that changes it. */
const LEVEL_SAYS = {
  observe: 'Plans are only observed here. Enforce them: holdfast enforce enforce',
  enforce: 'Explicit plans are enforced here; inferred plans only advise.',
  strict: 'Explicit plans are strictly enforced here: a call that cannot be decided is refused.',
  locked:
    'Explicit plans are locked here: as strict, and the sandbox of the client keeps steps from every shell.',
} as const

function levelSays({ project, hooks_installed: areInstalled }: Status): readonly string[] {
  if (project === null) return []
  return areInstalled
    ? [LEVEL_SAYS[project.level]]
    : ['No hooks are installed here, so nothing is enforced. Run: holdfast init']
}

function countsOf(found: Found): readonly string[] {
  const { sessions, sessions_open: open, refusals, queue_open: queue } = found
  const hidden = open - sessions.length
  return [
    ...(hidden > 0
      ? [`${hidden} more open ${hidden === 1 ? 'session' : 'sessions'}: holdfast session find --open`]
      : []),
    ...(refusals > 0
      ? [`${refusals} ${refusals === 1 ? 'refusal' : 'refusals'} in open sessions: holdfast why`]
      : []),
    ...(queue > 0 ? [`${queue} in the queue: holdfast queue list`] : []),
  ]
}

/** An effort in one line; the brackets may begin with its number in the task. */
export function effortLine(io: Pick<Io, 'color' | 'env'>, effort: AtWork): string {
  const { status: text, position, stage, agent_id: agent, task_id: task, id, session, workplace } = effort
  // A resumed effort may work outside of the checkout that has its task.
  const moved = workplace == null || isInside(workplace, task) ? '' : `, works in ${cell(workplace)}`
  const owner = agent === null ? '' : ` by ${cell(agent)}`
  const nth = effort.ordinal > 1 ? `no. ${effort.ordinal} in ` : ''
  const where = paint(io, 'dim', `${nth}${cell(task)}${owner}${moved}`)
  const request = requestOf(effort)
  const about = request === undefined ? '' : `, ${cell(request)}`
  const heard =
    session === null
      ? paint(io, 'dim', ', no session')
      : heardOf(io, session, effort.is_set_aside ? ', set aside by' : ',')
  const modes = modeWords(effort)
  const place = [
    position,
    ...(stage === null ? [] : [`stage ${stage}`]),
    ...(modes.length === 0 ? [] : [`mode ${modes.join(' ')}`]),
  ].join(', ')
  return `effort ${id} ${paint(io, 'cyan', cell(text))} ${cell(place)}${about}  ${where}${heard}`
}

const clientOf = ({ client, native_id: native }: Session): string =>
  `no effort: ${cell(client ?? 'a client')}${native === null ? '' : ` ${cell(native)}`}`

function heardOf(io: Pick<Io, 'color' | 'env'>, session: Session, by = ','): string {
  const silent = silenceOf(session, Date.now())
  const isStale = silent > findHome(io.env).staleAfterSeconds * 1000
  const fill = session.context_usage === null ? '' : `, ${Math.round(session.context_usage * 100)} % full`
  const text = `${by} session ${session.id} ${isStale ? 'silent for' : 'active'} ${duration(silent)}${fill}`
  return paint(io, isStale ? 'yellow' : 'dim', text)
}
