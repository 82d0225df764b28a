import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { begunAt, clientAt, skillOf } from '../hook/client.contract.ts'
import { resetHeartbeat } from '../../store/session.ts'
import { commandFile } from '../methods/directive-reference.contract.ts'
import { AI_CHANGES, AI_READS } from '../methods/ai.contract.ts'
import { CHAIN_CHANGES, CHAIN_READS } from '../methods/continuation.contract.ts'
import { effortToProve } from '../methods/evidence.contract.ts'
import { HANDOFF_CHANGES } from '../methods/handoff.contract.ts'
import { familyPlan } from '../methods/family.contract.ts'
import { planOf, putWorkflow } from '../methods/workflow.contract.ts'
import { pipeline, pipelineSkill } from '../methods/pipeline.contract.ts'
import { RUNBOOK_CHANGES, RUNBOOK_READS } from '../methods/runbook.contract.ts'
import { MEMORY_CHANGES, MEMORY_READS } from '../methods/memory.contract.ts'
import { SEARCH_CHANGES, SEARCH_READS } from '../methods/search.contract.ts'
import { TASK_CHANGES } from '../methods/task-summary.contract.ts'
import { SESSION_READS } from '../methods/session-list.contract.ts'
import { WORK_CHANGES, WORK_READS } from '../methods/work-body.contract.ts'
import { workflowAt } from '../methods/trust.contract.ts'
import { completeRun } from '../skill/skill-run.contract.ts'
import { methods } from '../methods/index.ts'
import { type Params, type World, writeFiles } from '../world.contract.ts'

type Sample = (world: World) => Promise<Params> | Params

/** A fresh call with an effect, for every method that changes something. */
export const CHANGES: Readonly<Record<string, Sample>> = {
  async 'db.project.upsert'({ project, name }) {
    const path = join(project, name('folder'))
    await mkdir(path)
    return { path }
  },
  'db.project.setLevel': async (world) => ({ path: await registered(world), level: 'strict' }),
  'db.project.setSessionGate': async (world) => ({ path: await registered(world), on: true }),
  'db.task.upsert': ({ project, name }) => ({ dir_path: join(project, name('task')), title: 'T' }),
  'db.effort.start': async (world) => ({
    task_id: await world.task(),
    skill: 'implement',
    agent_id: await world.agent(),
    metadata: { a: [1, { b: null }] },
  }),
  'db.effort.finish': async (world) => ({
    effort_id: (await world.effort({ agent_id: await world.agent() })).id,
    keywords: world.name('word'),
    abandon: 'no longer needed',
  }),
  async 'db.effort.accept'(world) {
    const it = await begunAt(world)
    await writeFiles({ 'steps/do.md': '---\nproduces: [result]\n---\n' }, it.flow('.'))
    return { effort_id: (await it.efforts())[0].id }
  },
  'skill.trust': async (world) => await workflowAt(world, join(world.project, world.name('skills'))),
  'skill.untrust': async (world) => {
    const given = await workflowAt(world, join(world.project, world.name('skills')))
    await world.call('skill.trust', given)
    return { name: given.name, code: given.code }
  },
  'door.open': ({ name }) => ({ words: ['pause', name('word')], sessions: [] }),
  'step.start': async (world) => ({
    skill: await putWorkflow(world, planOf([{ id: 'a', next: { ok: [] } }])),
    cwd: world.project,
  }),
  'step.child': async (world) => {
    const skill = await putWorkflow(world, familyPlan())
    const { effort_id } = await world.call('step.start', { skill, cwd: world.project })
    await world.call('step.enter', { effort_id })
    return { effort_id, workflow: 'check', child: 1 }
  },
  'step.run': async (world) => {
    const skill = await putWorkflow(world, planOf([{ id: 'a', run: 'make check', next: { ok: [] } }]))
    const { effort_id } = await world.call('step.start', { skill, cwd: world.project })
    await world.call('step.enter', { effort_id })
    return { effort_id, step: 'a' }
  },
  'step.enter': async (world) => ({ effort_id: (await world.effort()).id, step: '0' }),
  'step.leave': async (world) => {
    const { id: effort_id } = await world.effort()
    await world.call('step.enter', { effort_id, step: '0' })
    return { effort_id, proof: { mode: 'tdd' } }
  },
  'db.effort.phase': async (world) => ({
    effort_id: (await world.effort()).id,
    label: '2',
    reason: 'why not',
    proof: { a: false },
  }),
  'artifact.put': async (world) => ({
    effort_id: (await world.effort()).id,
    name: 'plan',
    step: 'x',
    path: await file(world),
    evidence: { a: [1, { b: null }] },
  }),
  'evidence.begin': async (world) => ({ effort_id: (await effortToProve(world)).id, name: 'tests' }),
  async 'evidence.finish'(world) {
    const { id } = await effortToProve(world)
    const { token } = await world.call('evidence.begin', { effort_id: id, name: 'tests' })
    return { token, exit_code: 0, duration_ms: 12, tail: 'ok' }
  },
  'db.effort.dehydrate': async (world) => ({
    effort_id: (await world.effort()).id,
    payload: { summary: 'S', nextSteps: ['a'], requiredFiles: '/f' },
  }),
  async 'db.effort.tick'(world) {
    const it = await clientAt(world)
    await it.add('asking', {
      ...skillOf('asking', { one: 'consumes: [user-request]\nproduces: [a]' }),
      'SKILL.md': '---\nname: asking\ndescription: Asks.\nrequired_todos: [look around]\n---\n\nDo it.\n',
    })
    await it.start()
    await it.prompt('/asking')
    return { effort_id: (await it.efforts())[0]?.id, item: 'Look around!' }
  },
  'db.effort.approve': async (world) => ({
    effort_id: (await world.effort()).id,
    subject: '2',
    reason: 'why not',
  }),
  'pipeline.start': async (world) => {
    const task_id = await world.task()
    return { task_id, skill: await pipelineSkill(world), args: 'a' }
  },
  'pipeline.next': async (world) => ({ effort_id: await pipeline(world) }),
  'pipeline.continue': async (world) => {
    const task_id = await world.task()
    await world.call('pipeline.start', { task_id, skill: await pipelineSkill(world) })
    return { task_id }
  },
  'pipeline.done': async (world) => {
    const effort_id = await pipeline(world)
    await world.call('pipeline.next', { effort_id })
    return { effort_id, step: 'a', verified: 'seen' }
  },
  ...RUNBOOK_CHANGES,
  ...WORK_CHANGES,
  'pipeline.fail': async (world) => {
    const effort_id = await pipeline(world)
    await world.call('pipeline.next', { effort_id })
    return { effort_id, step: 'a', reason: 'it broke' }
  },
  'db.session.start': async (world) => ({ task_id: await world.task(), native_id: world.name('native') }),
  'db.session.finish': async (world) => ({ session_id: await session(world), dehydration_payload: { a: 1 } }),
  'db.session.heartbeat': async (world) => ({ session_id: await session(world) }),
  'db.session.updateContextUsage': async (world) => ({ session_id: await session(world), usage: 0.5 }),
  async 'db.session.markStale'(world) {
    // The tests share the clock, so the session is moved to the past instead.
    const id = await session(world)
    const { store } = world
    await store.transact((tx) => resetHeartbeat(tx, store.volatile, { id, now: '2020-01-01T00:00:00.000Z' }))
    return { limit: id }
  },
  'db.session.updateLoadedFiles': async (world) => ({
    session_id: await session(world),
    files: [world.name('/file')],
  }),
  'db.skills.upsert': (world) => ({
    name: world.name('skill'),
    project_id: world.projectId,
    modes: { a: 1 },
  }),
  async 'agent.skills.list'(world) {
    const path = join(world.project, world.name('folder'))
    await writeFiles({ [join(path, '.claude/skills/own/SKILL.md')]: 'Do it.' })
    return { project_id: (await world.call('db.project.upsert', { path })).id }
  },
  async 'db.skills.delete'(world) {
    const skill = { name: world.name('skill'), project_id: world.projectId }
    await world.call('db.skills.upsert', skill)
    return skill
  },
  'db.messages.append': async (world) => ({ session_id: await session(world), role: 'user', content: 'hi' }),
  'db.agents.register': (world) => ({ id: world.name('agent'), label: 'L', claims: ['a'] }),
  'db.agents.claim': async (world) => ({
    agent_id: await world.agent(),
    effort_id: (await world.effort()).id,
  }),
  async 'db.agents.release'(world) {
    const agent_id = await world.agent()
    return { agent_id, effort_id: (await world.effort({ agent_id })).id }
  },
  'queue.add': async (world) => ({
    content: 'Look',
    kind: 'question',
    effort_id: (await world.effort()).id,
  }),
  ...SEARCH_CHANGES,
  ...TASK_CHANGES,
  ...MEMORY_CHANGES,
  ...AI_CHANGES,
  ...HANDOFF_CHANGES,
  ...CHAIN_CHANGES,
  'run.publish': async (world) => ({ run: await completeRun(world) }),
  'run.log': async (world) => ({ run: await completeRun(world), text: 'Halfway', phase: 'look' }),
  async 'queue.resolve'(world) {
    const { id } = await world.call('queue.add', { content: 'Look', project_id: world.projectId })
    return { id, resolution: 'Seen' }
  },
  ...Object.fromEntries(
    methods
      .filter(({ name }) => name.startsWith('hooks.'))
      .map(({ name }) => [name, (world: World) => ({ payload: hookPayload(world, name) })]),
  ),
  async 'statusline.show'(world) {
    const session_id = world.name('native')
    await world.call('db.session.start', { task_id: await world.task(), native_id: session_id })
    return { payload: { session_id, context_window: { used_percentage: 62, context_window_size: 200_000 } } }
  },
  'commands.effort.start': async (world) => ({
    dir: await world.task(),
    skill: 'implement',
    native_id: world.name('native'),
    agent_id: await world.agent(),
    metadata: { taskSummary: 'Let users in' },
    user_approved: 'why not',
  }),
  async 'commands.session.continue'(world) {
    const agent_id = await world.agent()
    const { id: effort_id, task_id } = await world.effort({ agent_id })
    const { id: session_id } = await world.call('db.session.start', { task_id, effort_id })
    await world.call('db.session.finish', { session_id, dehydration_payload: { requiredFiles: ['a.md'] } })
    return { agent_id, native_id: world.name('native') }
  },
  'commands.log.append': async (world) => ({ effort_id: (await world.effort()).id, text: 'Done' }),
  'daemon.stop': () => ({}),
  'daemon.handOver': ({ name }) => ({ node: '/usr/bin/node', entry: `/${name('holdfast')}.js` }),
  'daemon.rotateToken': () => ({}),
  'daemon.prune': () => ({}),
  'fs.files.append': ({ project, name }) => ({ path: join(project, name('file')), content: 'text\n' }),
}

/** A call that succeeds, for every other method. */
export const READS: Readonly<Record<string, Sample>> = {
  'door.pass': () => ({ words: ['log', 'Mine'], sessions: [], processes: [] }),
  'daemon.prunable': () => ({}),
  'db.project.list': () => ({}),
  'db.task.find': () => ({ query: 'task', workspace: 'w', limit: 1, offset: 1 }),
  'db.task.list': ({ projectId }) => ({ project: projectId, active: true, limit: 1 }),
  'db.effort.list': async (world) => ({ task_id: await world.task(), ad_hoc: true }),
  'step.show': async (world) => ({ effort_id: (await world.effort()).id }),
  'db.effort.get': async (world) => ({ effort_id: (await world.effort()).id }),
  'db.effort.findActive': ({ projectId }) => ({ project_id: projectId, skill: 's', agent_id: 'a', limit: 1 }),
  'commands.effort.meant': async (world) => ({ dir: (await world.effort()).task_id, cwd: world.project }),
  'db.effort.validate': async (world) => ({ effort_id: (await world.effort()).id }),
  'artifact.list': async (world) => ({ effort_id: (await world.effort()).id }),
  'db.effort.recap': async (world) => ({ effort_id: (await world.effort()).id, budget: 100 }),
  'db.project.status': ({ project }) => ({ path: project, limit: 1 }),
  'fleet.list': () => ({ limit: 1 }),
  'handoff.show': ({ project }) => ({ path: project }),
  'run.list': ({ project }) => ({ path: project, skill: 's', effort_id: 1, limit: 1 }),
  'run.show': async (world) => ({ run: await completeRun(world) }),
  ...SEARCH_READS,
  ...MEMORY_READS,
  ...AI_READS,
  ...CHAIN_READS,
  'queue.list': ({ projectId }) => ({ project_id: projectId, kind: 'k', resolved: true, limit: 1 }),
  'pipeline.status': async (world) => ({ effort_id: await pipeline(world) }),
  ...RUNBOOK_READS,
  ...SESSION_READS,
  ...WORK_READS,
  'db.session.list': ({ project }) => ({ path: project, limit: 1 }),
  'db.session.find': () => ({ open: true, silent_for_seconds: 5, native_id: 'n', limit: 1 }),
  'db.skills.get': ({ projectId }) => ({ name: 'implement', project_id: projectId }),
  'db.skills.list': ({ projectId }) => ({ project_id: projectId }),
  'db.skills.find': ({ projectId }) => ({ query: 'impl', project_id: projectId, limit: 1 }),
  'agent.skills.parse': async (world) => ({ path: await skillFolder(world) }),
  'db.messages.list': async (world) => ({ session_id: await session(world), limit: 1, offset: 0 }),
  'db.agents.get': async (world) => ({ id: await world.agent() }),
  'db.agents.list': () => ({}),
  'agent.directives.discover': ({ project }) => ({ path: project, types: ['TESTING'], skill: 'implement' }),
  'agent.directives.dereference': ({ project }) => ({ path: project, text: 'See §CMD_X.', depth: 1 }),
  'agent.directives.resolve': async (world) => ({ name: await commandFile(world), path: world.project }),
  'fs.files.read': async (world) => ({ path: await file(world), offset: 0, limit: 10 }),
  'fs.paths.resolve': async (world) => ({ path: await file(world) }),
  'ledger.list': () => ({ event_type: 'task.created', after: 0, before: 10, limit: 1 }),
  'ledger.subscribe': () => ({ event_type: 'plan.parked', session_id: 's', after: 0 }),
  'span.list': () => ({ session_id: 's', effort_id: 1, skill: 's', status: 'active', limit: 1 }),
  'span.tree': () => ({ session_id: 's', limit: 1 }),
  'daemon.canary': () => ({ session: 'holdfast-canary-1' }),
  ...Object.fromEntries(['ping', 'status', 'methods'].map((name) => [`daemon.${name}`, () => ({})])),
}

/** Only the method for all events needs the name of the event. */
const hookPayload = ({ project, name }: World, method: string) => ({
  ...(method === 'hooks.handle' && { hook_event_name: 'SessionStart' }),
  source: 'startup',
  session_id: name('native'),
  cwd: project,
})

/** A new session, on a task of its own. */
export const session = async (world: World): Promise<number> =>
  (await world.call('db.session.start', { task_id: await world.task() })).id

/** A project of its own. */
async function registered(world: World): Promise<string> {
  const path = join(world.project, world.name('folder'))
  await mkdir(path)
  return (await world.call('db.project.upsert', { path })).path
}

async function skillFolder({ project, name }: World): Promise<string> {
  const folder = join(project, name('skill'))
  await mkdir(folder)
  await writeFile(join(folder, 'SKILL.md'), 'Do it.')
  return folder
}

/** A new file in the project. */
export async function file(world: World): Promise<string> {
  const path = join(world.project, world.name('file'))
  await world.call('fs.files.append', { path, content: 'text\n' })
  return path
}
