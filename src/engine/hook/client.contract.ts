import { mkdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { STALE_AFTER_SECONDS } from '../../model/session.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'

type Texts = Readonly<Record<string, string>>

/** A skill of three steps, one after the other. */
export const FLOW: Texts = {
  'SKILL.md': '---\nname: flow\ndescription: Flows.\n---\n\nRead the steps.\n',
  'steps/look.md': '---\nconsumes: [user-request]\nproduces: [view]\n---\n',
  'steps/think.md': '---\nconsumes: [view]\nproduces: [idea]\n---\n',
  'steps/do.md': '---\nconsumes: [idea]\nproduces: [result]\n---\n',
}
const PLAIN = { 'SKILL.md': '---\nname: plain\ndescription: Plain.\n---\n\nDo it.\n' }

/** The files of a skill whose steps are given by their frontmatter. */
export const skillOf = (name: string, steps: Texts = {}): Texts => ({
  'SKILL.md': `---\nname: ${name}\ndescription: Does ${name}.\n---\n\nDo it.\n`,
  ...Object.fromEntries(
    Object.entries(steps).map(([step, fields]) => [`steps/${step}.md`, `---\n${fields}\n---\n`]),
  ),
})

/** A client in its own project, driven by its hooks. */
export async function clientAt(world: World) {
  const project = join(world.project, world.name('repo'))
  await mkdir(join(project, '.git'), { recursive: true })
  const client = clientIn(world, project)
  await client.add('flow', FLOW)
  await client.add('plain', PLAIN)
  return client
}

/** A client that has called its skill and read the first step. */
export async function begunAt(world: World): Promise<ClientAt> {
  const it = await clientAt(world)
  await it.start()
  await it.prompt('/flow')
  await it.read(it.flow('steps/look.md'))
  return it
}

/** Another session in a project. */
export function clientIn(world: World, project: string, session = world.name('native')) {
  const pathIn = (skill: string) => (path: string) => join(project, '.claude/skills', skill, path)
  const add = async (name: string, files: Texts) => {
    await writeFiles(files, pathIn(name)('.'))
    return pathIn(name)
  }
  let calls = 0
  const fire = (event: string, more: object = {}): Promise<Answer> =>
    world.call('hooks.handle', {
      client: 'claude-code',
      payload: { session_id: session, cwd: project, hook_event_name: event, ...more },
    })
  const use = async (tool: string, input: object, more: object = {}) => {
    const call = { tool_name: tool, tool_input: input, tool_use_id: `call-${++calls}`, ...more }
    const before = await fire('PreToolUse', call)
    if (before.decision === 'block') return before
    return await fire('PostToolUse', { ...call, tool_response: {} })
  }
  const read = (path: string, more: object = {}) => use('Read', { file_path: path }, more)
  // The raw PostgreSQL connection returns integers as strings.
  const rows = async (sql: string) =>
    JSON.parse(JSON.stringify(await world.opened.look(sql)).replaceAll(/"(\d+)"(?=[,}])/g, '$1')) as Answer[]
  const spanRows = () => rows(`select * from skill_span where session_id = '${session}' order by span_id`)
  const spans = async () =>
    (await spanRows()).map(({ skill, status, steps }) =>
      `${skill} ${status} ${JSON.parse(steps).join(',')}`.trim(),
    )
  const efforts = () =>
    rows(`select * from efforts where task_id like '${project}/%' and ordinal > 0 order by id`)
  const windows = () => rows(`select * from sessions where native_id = '${session}' order by id`)
  const start = (source = 'startup', more: object = {}) => fire('SessionStart', { source, ...more })
  const prompt = (text: string) => fire('UserPromptSubmit', { prompt: text })
  const flow = pathIn('flow')
  const looks = { rows, spanRows, spans, efforts, windows }
  return { project, session, add, flow, fire, use, read, start, prompt, ...looks }
}

/** Does something that is not of the calls before: the clock of the disk is coarse, so it must move first. */
export async function byUser<T>(folder: string, act: () => Promise<T>): Promise<T> {
  const probe = join(folder, '.probe')
  const now = Date.now()
  do await writeFile(probe, '')
  while ((await stat(probe)).ctimeMs <= now + 1)
  await rm(probe)
  return await act()
}

/** Edits a file of a skill, as the user does, and has it read. */
export async function edited(world: World, { project }: ClientAt, path: string, text: string): Promise<void> {
  await byUser(project, () => writeFiles({ [path]: text }))
  const projects: readonly Answer[] = await world.call('db.project.list')
  const project_id = projects.find((one) => one.path === project)?.id
  await world.call('agent.skills.list', { project_id })
}

export type ClientAt = Awaited<ReturnType<typeof clientAt>>

export const reasonOf = (answer: Answer): string =>
  answer.reply?.hookSpecificOutput?.permissionDecisionReason ?? ''
export const contextOf = (answer: Answer): string => answer.reply?.hookSpecificOutput?.additionalContext ?? ''

const PHASES = JSON.stringify({
  phases: [
    { label: '0', name: 'Setup', steps: ['§CMD_A'], commands: ['§CMD_B'], proof: ['mode'], gate: false },
    { label: '1', name: 'Work', proof: [] },
  ],
  modes: { tdd: { label: 'TDD' }, general: { label: 'General' } },
  nextSkills: ['/test', '/document'],
  directives: ['TESTING.md'],
})

const SKILLS: Readonly<Record<string, string>> = {
  implement: `---\nname: implement\ndescription: Builds.\n---\n\n\`\`\`json\n${PHASES}\n\`\`\`\n`,
  brainstorm: `---\nname: brainstorm\ndescription: Thinks.\n---\n\n## Phase 1: Talk\n\n## Phase 2: Write\n`,
}

/** An unregistered repository with skills, and a client for it. */
export async function repository(world: World) {
  const project = join(world.project, world.name('repo'))
  await mkdir(join(project, '.git'), { recursive: true })
  const put = async (path: string, text: string) => {
    await writeFiles({ [path]: text }, project)
    return join(project, path)
  }
  for (const [name, text] of Object.entries(SKILLS)) await put(`.claude/skills/${name}/SKILL.md`, text)
  const dir = join(project, 'tasks', 'login')
  const native = world.name('native')
  const start = (more: object = {}): Promise<Answer> =>
    world.call('commands.effort.start', { dir, skill: 'implement', ...more })
  const hook = (event: string, more: object = {}): Promise<Answer> =>
    world.call('hooks.handle', {
      payload: { session_id: native, cwd: project, hook_event_name: event, ...more },
    })
  const go = (more: object = {}): Promise<Answer> => world.call('commands.session.continue', { dir, ...more })
  const log = (text: string, more: object = {}): Promise<Answer> =>
    world.call('commands.log.append', { dir, text, ...more })
  return { project, dir, native, put, start, hook, go, log }
}

/** Advances the clock until silent sessions are stale. */
export const silence = (world: World) => world.advance((STALE_AFTER_SECONDS + 1) * 1000)
