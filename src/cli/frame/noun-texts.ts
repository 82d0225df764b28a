import type { Agent } from '../../model/agent.ts'
import type { Artifact } from '../../model/artifact.ts'
import type { Effort } from '../../model/effort.ts'
import type { ToldProject } from '../../model/project.ts'
import type { Session } from '../../model/session.ts'
import { startCommand, type Task } from '../../model/task.ts'
import { counted } from '../../model/text/line.ts'
import { relativeTime } from '../../model/text/time.ts'
import { type EffortInFull, effortTable, todoLines } from './effort-screen.ts'
import type { Io } from './io.ts'
import { cell, shortId } from './print.ts'
import { pairs, type Row, table } from './table.ts'

/** The text of a result, for people. */
type Text = (io: Io, result: never) => string

/** Results with their own text form, by method; `--json` prints the whole record. */
export const NOUN_TEXTS: Readonly<Record<string, Text | undefined>> = {
  'artifact.list': (io, artifacts: readonly ListedArtifact[]) =>
    listed(io, artifacts.map(artifactRow), 'No artifact yet. Record one: holdfast artifact put EFFORT NAME'),
  'artifact.put': (_, { name, rank, effort_id, ...put }: PutArtifact) =>
    [
      `Recorded ${cell(name)} for effort ${effort_id ?? ''} (${rank}).`,
      ...put.completed_steps.map((step) => `Completed step ${cell(step)}.`),
      ...put.to_record.map((command) => `next: ${cell(command)}`),
      ...(put.next_steps.length === 0 ? [] : [`next step: ${put.next_steps.map(cell).join(' or ')}`]),
    ].join('\n'),
  'db.agents.claim': (io, agent: ToldAgent) => agentText(io, agent),
  'db.agents.get': (io, agent: ToldAgent) => agentText(io, agent),
  'db.agents.list': (io, agents: readonly ToldAgent[]) =>
    listed(io, agents.map(agentRow), 'No agent yet. Register one: holdfast agent register ID'),
  'db.agents.register': (_, { id }: ToldAgent) => `Agent ${cell(id)} is registered.`,
  'db.agents.release': (_, { id }: ToldAgent) => `Agent ${cell(id)} owns no effort now.`,
  'db.effort.findActive': (io, efforts: readonly Effort[]) =>
    efforts.length === 0
      ? `No effort is active. Start one: ${startCommand()}`
      : effortTable(io, efforts, (task) => task),
  'db.effort.tick': (_, { todos }: { readonly todos: EffortInFull['todos'] }) => todoLines(todos).join('\n'),
  'db.project.list': (io, projects: readonly ToldProject[]) =>
    listed(io, projects.map(projectRow), 'No project yet. Register one: holdfast project upsert .'),
  'db.project.upsert': (_, { id, path, level }: ToldProject) =>
    `Project ${id} is registered: ${cell(path)} (level ${level}).`,
  'db.session.find': (io, sessions: readonly Session[]) =>
    sessions.length === 0
      ? 'No session found.'
      : table(io, sessions.map(sessionRow), { short: ['who', 'task'] }),
  'db.session.start': (_, { id, effort_id, task_id }: Session) =>
    `Session ${id} started on effort ${effort_id} in ${cell(task_id)}.`,
  'db.session.finish': (_, { id, effort_id, ended_reason }: Session) =>
    `Session ${id} of effort ${effort_id} has ended (${ended_reason ?? 'finished'}).`,
  'db.session.heartbeat': (_, { session_id: id, heartbeat_counter: count }: OfSession) =>
    `Session ${id} has sent ${counted(count, 'heartbeat')}.`,
  'db.session.updateContextUsage': (_, { session_id: id, context_usage }: OfSession) =>
    `Session ${id} uses ${percent(context_usage) ?? '0 %'} of its context.`,
  'db.session.updateLoadedFiles': (_, { session_id: id, loaded_files }: OfSession) =>
    `Session ${id} has read ${counted(loaded_files.length, 'file')}.`,
  'db.session.markStale': (_, { marked }: { readonly marked: number }) =>
    `Marked ${counted(marked, 'session')} as stale.`,
  'db.task.find': (io, tasks: readonly TaskSummary[]) => listed(io, tasks.map(taskRow), 'No task found.'),
  'db.task.list': (io, tasks: readonly TaskSummary[]) =>
    listed(io, tasks.map(taskRow), `No task yet. Start one: ${startCommand()}`),
  'db.task.upsert': (_, { dir_path, title }: Task) =>
    `Task stored: ${cell(dir_path)}${title === null ? '' : ` (${cell(title)})`}.`,
}

interface ToldAgent extends Agent {
  readonly effort?: Pick<Effort, 'id' | 'skill' | 'current_phase' | 'task_id'> | null
}

type ListedArtifact = Artifact & { readonly stale: boolean }
type PutArtifact = Artifact &
  Readonly<Record<'completed_steps' | 'next_steps' | 'to_record', readonly string[]>>

type OfSession = Pick<Session, 'heartbeat_counter' | 'context_usage' | 'loaded_files'> & {
  readonly session_id: number
}

interface TaskSummary extends Task {
  readonly effort_count: number
  readonly active_count: number
  readonly latest_skill: string | null
  readonly last_activity: string | null
}

const listed = (io: Io, rows: readonly Row[], none: string): string =>
  rows.length === 0 ? none : table(io, rows)

const percent = (usage: number | null): string | null =>
  usage === null ? null : `${Math.round(usage * 100)} %`

const ago = (time: string | null): string | null => (time === null ? null : relativeTime(time))

const agentText = (io: Io, agent: ToldAgent): string => pairs(io, Object.entries(agentRow(agent)))

const agentRow = ({ id, label, claims, effort }: ToldAgent): Row => ({
  agent: id,
  label,
  claims: claims.join(', '),
  effort: effort?.id,
  skill: effort?.skill,
  phase: effort?.current_phase,
  task: effort?.task_id,
})

const artifactRow = ({ name, rank, path, step, stale, created_at }: ListedArtifact): Row => ({
  artifact: name,
  rank,
  state: stale ? 'files have changed' : null,
  step,
  path,
  recorded: relativeTime(created_at),
})

const projectRow = ({ id, path, name, level, session_gate, created_at, workplaces }: ToldProject): Row => ({
  project: id,
  path,
  name,
  level,
  gate: session_gate ? 'needs an effort' : null,
  // The main checkout is the path.
  workplaces: othersOf(path, workplaces),
  since: relativeTime(created_at),
})

/** The worktrees, and the checkouts on other machines. */
function othersOf(path: string, workplaces: ToldProject['workplaces']): string | null {
  const others = workplaces.filter((place) => place.path !== path || !place.here)
  const texts = others.map((place) =>
    place.here ? place.path : `${place.machine ?? 'elsewhere'}:${place.path}`,
  )
  return texts.length === 0 ? null : texts.join(', ')
}

/** An agent represents its client session. */
const sessionRow = (session: Session): Row => ({
  session: session.id,
  state: session.ended_at === null ? 'open' : (session.ended_reason ?? 'ended'),
  effort: session.effort_id,
  who: session.agent_id ?? [session.client ?? '', shortId(session.native_id ?? '')].join(' ').trim(),
  since: relativeTime(session.created_at),
  seen: ago(session.ended_at ?? session.last_heartbeat),
  context: percent(session.context_usage),
  task: session.task_id,
})

const taskRow = (task: TaskSummary): Row => ({
  task: task.dir_path,
  title: task.title,
  efforts: task.effort_count,
  active: task.active_count,
  latest: task.latest_skill,
  begun: ago(task.last_activity),
  keywords: task.keywords,
})
