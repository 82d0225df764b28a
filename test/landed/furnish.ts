import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { PHASES, SKILL } from '../torture/scene.ts'

/** Calls a method of a daemon. */
export type Ask = (method: string, params?: Readonly<Record<string, unknown>>) => Promise<unknown>

/** The client's own id of the session that is still working. */
const SESSION = 'landed-open'

/** The call whose key must still return the old answer. */
const KEYED = { id: 'heron', label: 'Heron', idempotency_key: 'landed-key' }

const head = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\nDo it.\n`

/** The files of the project, with its skills. */
const FILES: Readonly<Record<string, string>> = {
  '.git/HEAD': '',
  'src/a.ts': 'export const a = 1\n',
  '.claude/skills/flow/SKILL.md': head('flow'),
  '.claude/skills/flow/steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
  '.claude/skills/flow/steps/think.md': '---\nconsumes: [view]\nproduces: [idea]\n---\n',
  '.claude/skills/flow/steps/do.md': '---\nconsumes: [idea]\nproduces: [result]\n---\n',
  '.claude/skills/build/SKILL.md': head('build'),
  '.claude/skills/build/holdfast.yaml': `phases:
  - {label: "1", name: Build, proof: {tests: {command: npm test, covers: [src/**]}, blocks: how many}}
  - {label: "2", name: Ship}
`,
  '.claude/skills/dig/SKILL.md': head('dig', 'uses_skill_run: true\n'),
  '.claude/skills/relay/SKILL.md': head('relay'),
  '.claude/skills/relay/holdfast.yaml': 'pipeline: [{id: a, prompt: do a}, {id: b, prompt: do b}]\n',
}

/** Writes the files of the project. */
export function putFiles(project: string): void {
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
}

/** A hook payload of the session in the project. */
const payload = (project: string, event: string, more: object = {}, session = SESSION) => ({
  client: 'claude-code',
  payload: { hook_event_name: event, session_id: session, cwd: project, ...more },
})

/** The client reads a step of the skill that it has called. */
export const readsStep = (project: string, step: string) =>
  payload(project, 'PreToolUse', {
    tool_name: 'Read',
    tool_input: { file_path: join(project, `.claude/skills/flow/steps/${step}.md`) },
    tool_use_id: `read-${step}`,
  })

/** Fills every table that the engine writes, by real calls: finished, active, refused and abandoned work. */
export async function furnish(ask: Ask, project: string): Promise<void> {
  const { id: project_id } = (await ask('db.project.upsert', { path: project, name: 'app' })) as {
    id: number
  }
  await ask('agent.skills.list', { project_id })
  const phases = PHASES.map((phase) => phase.split(': ')).map(([label, name]) => ({ label, name }))
  await ask('db.skills.upsert', { project_id, name: SKILL, phases })
  for (const name of ['a', 'b', 'c', 'login'])
    await ask('db.task.upsert', { dir_path: join(project, name), title: `Task ${name}` })
  await ask('db.agents.register', KEYED)
  await finishedWork(ask, join(project, 'login'))
  await workUnderWay(ask, project, project_id)
  await clientAtWork(ask, project)
}

/** An effort with completed phases and an ended session. */
async function finishedWork(ask: Ask, task_id: string): Promise<void> {
  const { id: effort_id } = (await ask('db.effort.start', { task_id, skill: SKILL })) as { id: number }
  const session = { task_id, effort_id, native_id: 'landed-ended' }
  const { id: session_id } = (await ask('db.session.start', session)) as { id: number }
  for (const label of PHASES) await ask('db.effort.phase', { effort_id, label, proof: { done: false } })
  await ask('db.messages.append', { session_id, role: 'user', content: 'Ship it.' })
  await ask('db.session.updateLoadedFiles', { session_id, files: ['/etc/hosts'] })
  await ask('db.session.updateContextUsage', { session_id, usage: 0.5 })
  await ask('db.session.heartbeat', { session_id })
  await ask('db.session.finish', { session_id, dehydration_payload: { summary: 'Almost.' } })
  await ask('db.effort.finish', { effort_id, keywords: 'login,ship' })
}

/** Efforts in the middle of their plans, one of them owned by an agent. */
async function workUnderWay(ask: Ask, project: string, project_id: number): Promise<void> {
  const task_id = join(project, 'login')
  const { id } = (await ask('db.effort.start', { task_id, skill: 'build', agent_id: 'heron' })) as {
    id: number
  }
  await ask('db.effort.phase', { effort_id: id, label: '1' })
  await ask('artifact.put', { effort_id: id, name: 'plan', evidence: { seen: true } })
  await ask('evidence.begin', { effort_id: id, name: 'tests' })
  await ask('db.effort.phase', { effort_id: id, label: '2' }).catch(() => undefined)
  await ask('db.effort.approve', { effort_id: id, subject: '2', reason: 'A demo is due.' })
  await ask('db.effort.dehydrate', {
    effort_id: id,
    payload: { summary: 'Half of it.', nextSteps: ['ship'] },
  })
  await ask('queue.add', { content: 'Look at the log.', kind: 'question', project_id })
  const { id: seen } = (await ask('queue.add', { content: 'A typo.', project_id })) as { id: number }
  await ask('queue.resolve', { id: seen, resolution: 'Mended.' })
  const { effort_id } = (await ask('pipeline.start', { task_id, skill: 'relay', args: 'x' })) as {
    effort_id: number
  }
  await ask('pipeline.next', { effort_id })
}

/** A client in the middle of a skill: one step read, one refused, one delegated. */
async function clientAtWork(ask: Ask, project: string): Promise<void> {
  const tell = (event: string, more: object = {}, session = SESSION) =>
    ask('hooks.handle', payload(project, event, more, session))
  await tell('SessionStart', { source: 'startup' })
  await tell('UserPromptSubmit', { prompt: '/flow a login page' })
  await ask('hooks.handle', readsStep(project, 'do'))
  const look = readsStep(project, 'look')
  await ask('hooks.handle', look)
  await tell('PostToolUse', { ...look.payload, hook_event_name: 'PostToolUse', tool_response: {} })
  const think = join(project, '.claude/skills/flow/steps/think.md')
  const task = { description: 'Think', prompt: `Read ${think} and do it.`, subagent_type: 'reviewer' }
  await tell('PreToolUse', { tool_name: 'Task', tool_input: task, tool_use_id: 'call-think' })
  await tell('SessionStart', { source: 'startup' }, 'landed-digging')
  await tell('UserPromptSubmit', { prompt: '/dig the well' }, 'landed-digging')
}

type Question = readonly [method: string, params: Readonly<Record<string, unknown>>]

/** Questions to the older and the current program, which must agree. */
export const questionsAbout = (project: string): readonly Question[] => [
  ['db.project.list', {}],
  ['db.task.find', { query: 'login' }],
  ['db.effort.list', { task_id: join(project, 'login') }],
  ['db.effort.list', { task_id: project }],
  ['db.session.find', { native_id: SESSION }],
  ['db.session.find', { native_id: 'landed-ended' }],
  ['db.session.find', { native_id: 'landed-digging' }],
  ['db.skills.get', { name: SKILL, project_id: 1 }],
  ['db.messages.list', { session_id: 1 }],
  ['db.messages.list', { session_id: 2 }],
  ['db.agents.get', { id: 'heron' }],
  ['artifact.list', { effort_id: 6 }],
  ['queue.list', { project_id: 1 }],
  ['queue.list', { project_id: 1, resolved: true }],
  ['span.list', { session_id: SESSION }],
  ['ledger.list', { event_type: 'step.visited' }],
  ['ledger.list', { event_type: 'step.refused' }],
  ['ledger.list', { event_type: 'approval.given' }],
  ['db.agents.register', KEYED],
]
