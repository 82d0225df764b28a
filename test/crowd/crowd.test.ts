import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FLOW } from '../../src/engine/hook/client.contract.ts'
import { type Answer, makeWorld, type World, writeFiles } from '../../src/engine/world.contract.ts'
import { type Open, temporaryPostgres, temporarySqlite } from '../../src/store/open.contract.ts'
import { scopeId } from '../../src/model/session.ts'
import { git } from '../git.ts'

/** Somebody who works on the skill `flow`, in a checkout, by events of its client. */
interface Member {
  readonly name: string
  readonly world: World
  readonly folder: string
  /** The client's session; a sub-agent shares that of its main thread. */
  readonly session: string
  readonly agent?: string
  readonly subagent?: string
}

const STEPS = ['look', 'think', 'do']

async function fire(
  { world, folder, session, agent, subagent }: Member,
  event: string,
  more: object,
): Promise<Answer> {
  const inside = subagent === undefined ? {} : { agent_id: subagent, agent_type: 'helper' }
  const payload = { session_id: session, cwd: folder, hook_event_name: event, ...inside, ...more }
  const caller = agent === undefined ? {} : { agent_id: agent }
  return await world.call('hooks.handle', { client: 'claude-code', payload, ...caller })
}

async function read(member: Member, step: string): Promise<string> {
  const file_path = join(member.folder, `.claude/skills/flow/steps/${step}.md`)
  const call = { tool_name: 'Read', tool_input: { file_path }, tool_use_id: `${member.name}-${step}` }
  const { decision } = await fire(member, 'PreToolUse', call)
  if (decision === 'allow') await fire(member, 'PostToolUse', { ...call, tool_response: {} })
  return decision
}

/** A sub-agent calls its skill by the tool, everybody else is asked by the user. */
async function begin(member: Member): Promise<void> {
  if (member.subagent === undefined) {
    await fire(member, 'SessionStart', { source: 'startup' })
    await fire(member, 'UserPromptSubmit', { prompt: `/flow ${member.name}` })
    return
  }
  await fire(member, 'SubagentStart', {})
  const call = {
    tool_name: 'Skill',
    tool_input: { skill: 'flow', args: member.name },
    tool_use_id: member.name,
  }
  await fire(member, 'PreToolUse', call)
  await fire(member, 'PostToolUse', { ...call, tool_response: {} })
}

/** The first step passes, the last one is refused; then the step of a member's own progress passes. */
async function work(member: Member): Promise<readonly string[]> {
  const decisions: string[] = []
  for (const step of ['think', 'look', 'do', 'think', 'do']) decisions.push(await read(member, step))
  return decisions
}

async function repository(made: AsyncDisposableStack) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'holdfast-crowd-')))
  made.defer(() => rm(folder, { recursive: true }))
  const [main, tree] = [join(folder, 'main'), join(folder, 'tree')]
  await mkdir(main)
  await git(main, 'init', '-q', '-b', 'main')
  await writeFiles(FLOW, join(main, '.claude/skills/flow'))
  await git(main, 'add', '.')
  await git(main, 'commit', '-qm', 'first')
  await git(main, 'worktree', 'add', '-q', '-b', 'other', tree)
  return { main, tree }
}

/** The row of a member's effort, found by its words. */
const EFFORTS = `select e.request, e.task_id, e.agent_id, e.lifecycle, s.native_id as session,
  (select count(*) from step_visits v where v.effort_id = e.id) as visits
  from efforts e join sessions s on s.effort_id = e.id and s.ended_at is null where e.ordinal > 0`

/** Which step was started or refused by whom, for which request. */
const ENTRIES = `select l.session_id as session, l.agent_id as agent, e.request from life_event l
  join efforts e on e.id = l.effort_id where l.event_type in ('step.visited', 'step.refused')`

/** So many daemons on one database. */
async function daemonsOn(opened: Awaited<ReturnType<Open>>, count: number, made: AsyncDisposableStack) {
  const again = async () => ({ ...opened, database: await opened.again(), dispose: () => Promise.resolve() })
  const worlds: World[] = []
  while (worlds.length < count) worlds.push(made.use(await makeWorld(again)))
  return worlds
}

const membersOf = (
  worlds: readonly World[],
  { main, tree }: { main: string; tree: string },
): readonly Member[] =>
  [
    { name: 'first window', folder: main, session: 's1' },
    { name: 'second window', folder: main, session: 's2' },
    { name: 'agent fox', folder: main, session: 's3', agent: 'fox' },
    { name: 'agent owl', folder: main, session: 's4', agent: 'owl' },
    { name: 'worktree one', folder: tree, session: 's5' },
    { name: 'worktree two', folder: tree, session: 's6' },
    { name: 'sub-agent', folder: main, session: 's1', subagent: 'a1' },
  ].map((one, index) => ({ ...one, world: worlds[index % worlds.length] as World }))

/** The session whose window serves the effort: a sub-agent has one of its own. */
const windowOf = ({ session, subagent }: Pick<Member, 'session' | 'subagent'>): string =>
  subagent === undefined ? session : scopeId(session, subagent)

const byRequest = <Row extends { readonly request: string }>(rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => a.request.localeCompare(b.request))

test.each([
  ['one daemon on SQLite', temporarySqlite, 1],
  ['two daemons on one PostgreSQL database', temporaryPostgres, 2],
])(
  'windows, agents, worktrees and a sub-agent at once on one skill keep their work apart, with %s',
  async (_, open, count) => {
    await using made = new AsyncDisposableStack()
    const places = await repository(made)
    const opened = made.adopt(await open(), (one) => one.dispose())
    made.defer(() => opened.database.close())
    const worlds = await daemonsOn(opened, count, made)
    const members = membersOf(worlds, places)
    // A sub-agent begins in a session that works already.
    for (const isSub of [false, true])
      await Promise.all(members.filter((one) => (one.subagent !== undefined) === isSub).map(begin))
    const decisions = await Promise.all(members.map(work))
    for (const world of worlds) await world.store.flush()

    for (const of of decisions) expect(of).toEqual(['block', 'allow', 'block', 'allow', 'allow'])
    const rows = (await opened.look(EFFORTS)) as readonly Answer[]
    const seen = rows.map(({ request, task_id, agent_id: agent, session, visits }) => ({
      request,
      session,
      agent,
      place: task_id.startsWith(`${places.tree}/`) ? places.tree : places.main,
      visits: Number(visits),
    }))
    const expected = members.map(({ name: request, agent = null, folder: place, ...member }) => ({
      request,
      session: windowOf(member),
      agent,
      place,
      visits: STEPS.length,
    }))
    expect(byRequest(seen)).toEqual(byRequest(expected))
    // A sub-agent works on the task of its main thread.
    expect(new Set(rows.map(({ task_id }) => task_id)).size).toBe(members.length - 1)
    expect(await opened.look(`select id from projects where path = '${places.tree}'`)).toEqual([])
    const entries = (await opened.look(ENTRIES)) as readonly Answer[]
    const sources = new Map(members.map(({ name, session, agent = null }) => [name, { session, agent }]))
    for (const { session, agent, request } of entries)
      expect({ request, of: { session, agent } }).toEqual({ request, of: sources.get(request) })
  },
)
