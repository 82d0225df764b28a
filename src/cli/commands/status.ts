import { realpathSync } from 'node:fs'
import { findHome } from '../../daemon/home.ts'
import { pauseReader } from '../../daemon/pause.ts'
import type { DaemonStatus } from '../../engine/context.ts'
import { timestamp } from '../../model/clock.ts'
import type { Effort } from '../../model/effort.ts'
import { DEFAULT_LEVEL } from '../../model/level.ts'
import { type Project, projectOf } from '../../model/project.ts'
import { type Session, silenceOf } from '../../model/session.ts'
import { shellWord } from '../../model/shell.ts'
import { statusText } from '../../model/status-line.ts'
import { Client } from '../client.ts'
import type { Command } from '../command.ts'
import type { Io } from '../io.ts'
import { ago, cell, paint, printResult } from '../print.ts'

interface Status {
  readonly daemon: DaemonStatus
  readonly project: Project | null
  readonly efforts: readonly Effort[]
  readonly sessions: readonly Session[]
  readonly next: string
  readonly paused_until: string | null
}

export const status: Command = {
  name: 'status',
  summary: 'What is going on in this project, and what to do next.',
  usage: '',
  flags: {},
  async run(io) {
    using client = new Client(io)
    const until = pauseReader(findHome(io.env))(Date.now())
    const found = {
      ...(await look(client, io)),
      paused_until: until === undefined ? null : timestamp(until),
    }
    printResult(io, found, () => describe(io, found))
    return 0
  },
}

async function look(client: Client, io: Io): Promise<Omit<Status, 'paused_until'>> {
  const [daemon, projects] = (await client.callAll([
    { method: 'daemon.status' },
    { method: 'db.project.list' },
  ])) as [DaemonStatus, readonly Project[]]
  const here = realpathSync(io.cwd)
  const project = projectOf(projects, here)
  if (project === undefined)
    return {
      daemon,
      project: null,
      efforts: [],
      sessions: [],
      next: `holdfast project upsert ${shellWord(here)}`,
    }
  const [efforts, open] = (await client.callAll([
    { method: 'db.effort.findActive', params: { project_id: project.id } },
    { method: 'db.session.find', params: { open: true, limit: 1000 } },
  ])) as [readonly Effort[], readonly Session[]]
  const sessions = open.filter((session) => projectOf([project], session.task_id) !== undefined)
  return { daemon, project, efforts, sessions, next: nextAction(efforts, here) }
}

function nextAction(efforts: readonly Effort[], here: string): string {
  const newest = efforts[0]
  return newest === undefined
    ? `holdfast task upsert ${shellWord(here)} && holdfast effort start ${shellWord(here)} SKILL`
    : `holdfast effort get ${newest.id}`
}

function describe(io: Io, { daemon, project, efforts, sessions, next, paused_until }: Status): string {
  const about = `daemon ${daemon.version}, pid ${daemon.pid}, up ${ago(daemon.uptime_seconds * 1000)}`
  const head =
    project === null ? 'This folder is in no registered project.' : cell(project.name ?? project.path)
  return [
    `${paint(io, 'bold', head)}  ${paint(io, 'dim', about)}`,
    ...(paused_until === null
      ? []
      : [paint(io, 'yellow', `Nothing is enforced until ${paused_until}: holdfast pause off`)]),
    ...(project === null ? [] : [LEVEL_SAYS[project.level ?? DEFAULT_LEVEL]]),
    ...(project !== null && efforts.length === 0 ? ['No effort is active.'] : []),
    ...efforts.map((effort) => describeEffort(io, effort, sessions)),
    `next: ${paint(io, 'cyan', next)}`,
  ].join('\n')
}

/** What each level comes to; how to change it is told where it is least expected. */
const LEVEL_SAYS = {
  observe: 'Plans are only observed here: holdfast enforce enforce',
  enforce: 'Plans are enforced here.',
  strict: 'Plans are enforced strictly here: what cannot be decided is refused.',
} as const

function describeEffort(io: Io, effort: Effort, sessions: readonly Session[]): string {
  const session = sessions.find((one) => one.effort_id === effort.id)
  const owner = effort.agent_id === null ? '' : ` by ${cell(effort.agent_id)}`
  const where = `${cell(effort.task_id)}${owner}, effort ${effort.id}`
  return `${paint(io, 'cyan', statusText(effort))} ${cell(effort.current_phase ?? 'not begun')}  ${paint(io, 'dim', where)}${silence(io, session)}`
}

function silence(io: Io, session: Session | undefined): string {
  if (session === undefined) return paint(io, 'dim', ', no session')
  const silent = silenceOf(session, Date.now())
  const isStale = silent > findHome(io.env).staleAfterSeconds * 1000
  const text = `, session ${session.id} ${isStale ? 'silent for' : 'active'} ${ago(silent)}`
  return paint(io, isStale ? 'yellow' : 'dim', text)
}
