import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '../cli/client.ts'
import type { Io } from '../cli/io.ts'
import { paint } from '../cli/print.ts'
import { stopDaemon } from '../cli/reach.ts'
import type { DaemonStatus } from '../engine/context.ts'
import type { Agent } from '../model/agent.ts'
import type { Effort } from '../model/effort.ts'
import { EngineError } from '../model/error.ts'
import type { Project } from '../model/project.ts'
import type { Session } from '../model/session.ts'
import { statusText } from '../model/status-line.ts'
import type { LedgerRow } from '../store/ledger.ts'
import { PHASES } from './sample.ts'

/** The main job in the small: real daemon, real database, a crash in the middle; ends by itself. */
export async function runDemo(given: Io): Promise<number> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-demo-')))
  const { HOLDFAST_DATABASE_URL: _, ...env } = given.env
  // With --json the story goes to stderr, and stdout has only what came of it.
  const io = given.json ? { ...given, out: (text: string) => given.note(text) } : given
  using client = new Client({ entry: given.entry, env: { ...env, HOLDFAST_HOME: join(folder, 'home') } })
  const { home } = client.launch
  const cleanUp = () => {
    endDaemon(home.about)
    rmSync(folder, { recursive: true, force: true })
  }
  const interrupt = () => process.exit(130)
  process.once('exit', cleanUp)
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const result = await tell({ io, client, project: join(folder, 'sample'), said: 0 })
  if (given.json) given.out(JSON.stringify(result, null, 2))
  await stopDaemon(home)
  return 0
}

/** However the demo ends, its daemon does not outlive it. */
function endDaemon(about: string): void {
  try {
    process.kill((JSON.parse(readFileSync(about, 'utf8')) as { pid: number }).pid, 'SIGKILL')
  } catch (error) {
    // It has stopped already, or never started.
    if (!(error instanceof Error)) throw error
  }
}

interface Story {
  readonly io: Io
  readonly client: Client
  readonly project: string
  said: number
}

async function tell(story: Story) {
  const { io, client } = story
  const before = await startDaemon(story)
  const effort = await startEffort(story)
  await walkPhases(story, effort)
  const again = await crash(story, before)
  const after = await proveIntact(story, effort)
  const finished = await finish(story, after)
  const entries = await client.call<readonly LedgerRow[]>('ledger.list', { limit: 1000 })
  step(story, `The ledger has ${entries.length} entries, in order, none lost: ${summary(entries)}.`)
  io.out(
    `\n${paint(io, 'green', 'Done.')} ${statusText(finished)} was carried through a crash. Now with your own work:`,
  )
  for (const command of ['npx holdfast status', 'npx holdfast project upsert .', 'npx holdfast help'])
    io.out(`  ${paint(io, 'cyan', command)}`)
  return { effort: finished, ledger_entries: entries.length, daemons: [before.pid, again.pid] }
}

async function startDaemon(story: Story): Promise<DaemonStatus> {
  step(story, 'Start the daemon on the embedded database, in a private folder.')
  const status = await story.client.call<DaemonStatus>('daemon.status')
  fact(story, `pid ${status.pid}, ${status.database_kind}, socket ${status.socket}`)
  return status
}

async function startEffort(story: Story): Promise<Effort> {
  const { client, project } = story
  step(story, 'Register a sample project, a task in it, and a skill with phases and proof.')
  const task = join(project, 'tasks', 'login')
  mkdirSync(task, { recursive: true })
  const { id } = await client.call<Project>('db.project.upsert', { path: project, name: 'sample' })
  await client.call('db.skills.upsert', { project_id: id, name: 'implement', phases: PHASES })
  await client.call('db.task.upsert', { dir_path: task, title: 'Let users log in' })
  fact(story, PHASES.map(({ label, name }) => `${label} ${name}`).join(' → '))

  step(story, 'An agent starts an effort: the skill applied to the task.')
  await client.call<Agent>('db.agents.register', { id: 'agent-1', label: 'builder' })
  const effort = await client.call<Effort>('db.effort.start', {
    task_id: task,
    skill: 'implement',
    agent_id: 'agent-1',
  })
  await client.call<Session>('db.session.start', { task_id: task, effort_id: effort.id, agent_id: 'agent-1' })
  fact(story, `effort ${effort.id}, artifacts are named ${effort.artifact_prefix}_*.md`)
  return effort
}

async function walkPhases(story: Story, effort: Effort): Promise<void> {
  step(story, 'It goes through the phases. A skipped one is refused, and so is one left without proof.')
  const enter = (label: string, proof?: object) =>
    story.client.call<Effort>('db.effort.phase', {
      effort_id: effort.id,
      label,
      ...(proof !== undefined && { proof }),
    })
  const refused = async (label: string) => {
    const error = await enter(label).then(
      () => undefined,
      (reason: unknown) => reason,
    )
    if (!(error instanceof EngineError) || error.code !== 'refused')
      throw new Error(`Phase ${label} should have been refused.`)
    fact(
      story,
      `${paint(story.io, 'yellow', 'refused')}  ${error.message}\n           try: ${error.hint ?? ''}`,
    )
  }
  const entered = async (label: string, proof?: object) => {
    const now = await enter(label, proof)
    fact(story, `${paint(story.io, 'green', 'entered')}  ${statusText(now)} ${now.current_phase ?? ''}`)
  }
  await entered('1')
  await refused('4')
  await refused('2')
  await entered('2', { questions_answered: 4 })
  await entered('3.A', { plan: 'sessions in a cookie' })
}

async function crash(story: Story, before: DaemonStatus): Promise<DaemonStatus> {
  step(story, `kill -9 ${before.pid}: the daemon dies in the middle of the work.`)
  process.kill(before.pid, 'SIGKILL')
  const after = await story.client.call<DaemonStatus>('daemon.status')
  if (after.pid === before.pid) throw new Error('The daemon should have been another process.')
  fact(story, `the next call started it again: pid ${after.pid}`)
  return after
}

async function proveIntact(story: Story, effort: Effort): Promise<Effort> {
  const after = await story.client.call<Effort>('db.effort.get', { effort_id: effort.id })
  if (after.current_phase !== '3.A: Build')
    throw new Error(`The phase was lost: ${after.current_phase ?? 'none'}.`)
  step(story, 'Everything that was answered is still there.')
  fact(story, `${statusText(after)} ${after.current_phase}, owned by ${after.agent_id ?? 'nobody'}`)
  return after
}

async function finish(story: Story, effort: Effort): Promise<Effort> {
  const { client } = story
  await client.call('db.effort.phase', { effort_id: effort.id, label: '4', proof: { tests_pass: true } })
  const finished = await client.call<Effort>('db.effort.finish', {
    effort_id: effort.id,
    keywords: 'login, cookie',
  })
  step(story, 'The effort goes on where it stood, and finishes.')
  fact(story, `${finished.lifecycle} at ${finished.finished_at ?? ''}`)
  return finished
}

function summary(entries: readonly LedgerRow[]): string {
  const counts = [...Map.groupBy(entries, (entry) => entry.event_type)].map(
    ([event, rows]) => `${rows.length} ${event}`,
  )
  return counts.toReversed().join(', ')
}

function step(story: Story, text: string): void {
  story.said++
  story.io.out(`\n${paint(story.io, 'bold', `${story.said}. ${text}`)}`)
}

const fact = (story: Story, text: string) => story.io.out(`   ${text}`)
