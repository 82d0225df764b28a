import { join } from 'node:path'
import { planOf, putWorkflow } from '../methods/workflow.contract.ts'
import { type World, writeFiles } from '../world.contract.ts'
import { type ClientAt, clientAt, clientIn, edited } from './client.contract.ts'

/** One skill with every feature that rules use. */
const BUILD = {
  'SKILL.md': `---
name: build
description: Builds.
stage: plan
heartbeat: 40
required_todos: [Write it]
---

Read the steps.
`,
  'holdfast.yaml':
    'gate: visited\nhold: stop\nsteps: {do: {writes: [made/**]}}\nartifacts:\n  tests: {command: npm test, rank: observed}\n',
  'steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
  'steps/do.md': '---\nconsumes: [view]\nproduces: [tests]\n---\n',
}
const PHASED = {
  'SKILL.md':
    '---\nname: phased\ndescription: Has phases.\n---\n\n```json\n{"phases": [{"label": "0", "name": "Setup", "commands": ["x"]}, {"label": "1", "name": "Make"}]}\n```\n',
}

const SPY = {
  'SKILL.md': '---\nname: spy\ndescription: Spies.\ncontext: fork\n---\n\nRead the steps.\n',
  'steps/peek.md': '---\nconsumes: [user-request]\nproduces: [sight]\n---\n',
}

const FIRST = planOf([{ id: 'a', next: { ok: [] } }], { activate: 'first' })

async function furnished(world: World): Promise<ClientAt> {
  const project = join(world.project, world.name('furnished'))
  const files = {
    '.git/HEAD': '',
    'a/INVARIANTS.md': '---\nrequired: before-writing\n---\nNo tabs.',
    'b/INVARIANTS.md': 'No tabs.',
  }
  await writeFiles(files, project)
  const it = clientIn(world, project)
  await it.add('build', BUILD)
  await it.add('phased', PHASED)
  await it.add('spy', SPY)
  return it
}

/** A session with every kind of event. */
export async function liveDay(world: World): Promise<void> {
  const it = await furnished(world)
  const step = (name: string) => join(it.project, `.claude/skills/build/steps/${name}.md`)
  const shell = (command: string) => it.use('Bash', { command })
  await it.start()
  await world.call('db.project.setSessionGate', { path: it.project, on: true })
  await it.use('Write', { file_path: join(it.project, 'x.ts') })
  await shell('echo x > "$FILE"')
  await world.call('db.project.setSessionGate', { path: it.project, on: false })
  await shell('holdfast pause')
  const settings = join(it.project, '.claude/settings.json')
  await it.fire('ConfigChange', { source: 'project_settings', file_path: settings })
  await it.use('Write', { file_path: join(it.project, 'a/x.ts') })
  await it.use('Write', { file_path: join(it.project, 'a/x.ts') })
  await it.use('Read', { file_path: join(it.project, 'b/INVARIANTS.md') })
  await it.prompt('/build a house #ver')
  await it.prompt('d: is it right?')
  await it.fire('UserPromptExpansion', { command_name: 'build', command_args: '', prompt: '/build' })
  await it.use('Skill', { skill: 'build' })
  await it.read(step('do'))
  await it.use('Write', { file_path: join(it.project, 'made/x.ts') })
  await it.read(step('look'))
  await it.prompt(`Look at @${step('look')}`)
  await shell('cat $UNKNOWN')
  await todos(it)
  await agents(it, step('do'))
  const ended = { tool_name: 'Bash', tool_input: { command: 'npm test' }, tool_use_id: 'tests' }
  await it.fire('PostToolUse', { ...ended, tool_response: { stdout: '', stderr: '', interrupted: false } })
  await it.fire('PostToolUseFailure', { ...ended, error: 'Exit code 1' })
  const cat = { tool_name: 'Bash', tool_input: { command: `cat ${step('do')}; false` }, tool_use_id: 'cat' }
  await it.fire('PostToolUseFailure', { ...cat, error: 'Exit code 1' })
  for (let calls = 0; calls < 12; calls++) await shell('ls')
  await it.fire('Stop', { stop_hook_active: false, background_tasks: [], last_assistant_message: 'Done.' })
  await edited(world, it, step('do'), '---\nconsumes: [view]\nproduces: [tests, more]\n---\n')
  await shell('ls')
  await edited(world, it, step('do'), '---\nconsumes: [view]\nproduces: [tests]\n---\n')
  await it.prompt('Go on')
  await fill(world, it, 0.75)
  await it.fire('PostToolUse', { ...ended, tool_response: {} })
  await fill(world, it, 0.85)
  await it.prompt('Go on')
  await workflow(world, it)
  await phases(it)
  await forkSkills(it)
  await chained(it)
  await strictly(world, it)
  await losing(world, (loser) => loser.prompt('Go on'))
  await losing(world, (loser) => loser.use('Bash', { command: 'ls' }))
  await it.fire('PreCompact', { trigger: 'auto' })
  await it.fire('SessionEnd', { reason: 'exit' })
}

async function todos(it: ClientAt): Promise<void> {
  await it.use('TodoWrite', { todos: [{ content: 'Write it', status: 'pending', activeForm: 'Writing' }] })
  await it.fire('TaskCreated', { task_id: '1', task_subject: 'Write it' })
  await it.fire('TaskCompleted', { task_id: '1', task_subject: 'Write it' })
}

/** Sub-agents that succeed, fail, are denied and are interrupted. */
async function agents(it: ClientAt, path: string): Promise<void> {
  const call = (id: string) => ({
    tool_name: 'Agent',
    tool_input: { description: 'Do', prompt: `Do ${path}`, subagent_type: 'x' },
    tool_use_id: id,
  })
  const inside = { agent_id: 'a1', agent_type: 'x' }
  await it.fire('PreToolUse', call('c1'))
  await it.fire('PostToolUse', {
    ...call('c1'),
    tool_response: { status: 'async_launched', agentId: 'a1' },
  })
  await it.fire('SubagentStop', { ...inside, stop_hook_active: false, background_tasks: [] })
  await it.fire('PostToolUseFailure', { ...call('c2'), error: 'It broke.' })
  await it.fire('PermissionDenied', { ...call('c3'), reason: 'No' })
  await it.fire('StopFailure', { ...inside, error: 'rate_limit' })
}

async function fill(world: World, it: ClientAt, usage: number): Promise<void> {
  const [window] = await it.windows()
  await world.call('db.session.updateContextUsage', { session_id: window?.id, usage })
}

/** A workflow whose first step must be printed, in a session that does something else. */
async function workflow(world: World, it: ClientAt): Promise<void> {
  const name = world.name('first')
  await putWorkflow(world, FIRST, { name, project: it.project })
  await it.prompt(`/${name}`)
  await it.use('Bash', { command: 'ls' })
}

/** Skills that run one after the other; the call of the second one fails. */
async function chained(it: ClientAt): Promise<void> {
  const args = 'x #ver, then /phased'
  const call = { tool_name: 'Skill', tool_input: { skill: 'phased', args: '#ver' }, tool_use_id: 'chained' }
  await it.prompt(`/build ${args}`)
  await it.fire('UserPromptExpansion', {
    command_name: 'build',
    command_args: args,
    prompt: `/build ${args}`,
  })
  await it.fire('PreToolUse', call)
  await it.fire('PostToolUseFailure', { ...call, error: 'Unknown skill' })
  await it.fire('Stop', { stop_hook_active: false, background_tasks: [] })
}

async function phases(it: ClientAt): Promise<void> {
  await it.prompt('/phased')
  const effort = (await it.efforts()).find(({ skill }) => skill === 'phased')
  const call = { tool_name: 'Bash', tool_use_id: 'phase' }
  const enter = { ...call, tool_input: { command: `holdfast effort phase ${effort?.id} 0` } }
  await it.fire('PreToolUse', enter)
  await it.fire('PostToolUse', { ...enter, tool_response: { stdout: '', stderr: '', interrupted: false } })
}

/** Sub-agents in scopes of their own: one by a skill that forks, one by its own call. */
async function forkSkills(it: ClientAt): Promise<void> {
  const inside = (agent: string) => ({ agent_id: agent, agent_type: 'x' })
  const calls = (skill: string) => ({
    tool_name: 'Skill',
    tool_input: { skill },
    tool_use_id: `call-${skill}`,
  })
  await it.fire('PreToolUse', calls('spy'))
  await it.fire('SubagentStart', inside('s1'))
  await it.fire('PreToolUse', { ...calls('phased'), ...inside('s2') })
  for (const agent of ['s1', 's2', 's3']) {
    await it.read(it.flow('../spy/steps/peek.md'), inside(agent))
    await it.use('Bash', { command: 'npm test' }, inside(agent))
    await it.fire('SubagentStop', { ...inside(agent), stop_hook_active: false })
  }
  await it.fire('SubagentStart', inside('s2'))
  await it.use('Bash', { command: 'ls' }, inside('s2'))
  await it.fire('StopFailure', { ...inside('s2'), error: 'rate_limit' })
}

/** A sub-agent of a strict project reads a step, and an agent of a locked one calls us in a pipe. */
async function strictly(world: World, it: ClientAt): Promise<void> {
  await world.call('db.project.setLevel', { path: it.project, level: 'locked' })
  await it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: 'holdfast status | head' } })
  await world.call('db.project.setLevel', { path: it.project, level: 'strict' })
  await it.read(it.flow('steps/do.md'), { agent_id: 's4', agent_type: 'x' })
  await world.call('db.project.setLevel', { path: it.project, level: 'enforce' })
}

/** A terminal takes an effort that a session set aside, and the session goes on. */
async function losing(world: World, next: (loser: ClientAt) => Promise<unknown>): Promise<void> {
  const loser = await clientAt(world)
  await loser.start()
  await loser.prompt('/flow one thing')
  await loser.prompt('/flow something else')
  const [aside] = await loser.efforts()
  await world.call('commands.session.continue', { effort_id: aside.id, take: true })
  await next(loser)
}
