import { Agent } from './agent.ts'
import { SkilledUser } from './skilled-user.ts'

const PIPELINE = `pipeline:
  - {id: look, prompt: Look around.}
  - {id: build, skill: implement, verify: {file: plan.md}, limit: 3}
  - {id: tell, prompt: Tell them., optional: true}
  - {id: end, prompt: End it.}
`
/** The plan of the skill whose phase must be proved. */
export const BUILD = `phases:
  - {label: "1", name: Build, proof: {tests: {command: test -d src, covers: [src/**]}}}
  - {label: "2", name: Ship}
`
const head = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does it, whatever it takes.\n${more}---\n\nDo it.\n`

/** The ids in a furnished project. */
export interface Furnished {
  readonly user: SkilledUser
  /** In its second phase, with an approval, an artifact, a log, a queue item and a handover note. */
  readonly effort: number
  /** Of the skill whose first phase requires proved tests. */
  readonly toProve: number
  /** Of the skill that requires a todo. */
  readonly todo: number
  readonly pipeline: number
  /** Of the agent ada, on the first effort. */
  readonly session: number
  readonly run: string
}

/** A user whose project has some of everything: skills, efforts, sessions, refusals, a pipeline, a run. */
export async function furnishedUser(): Promise<Furnished> {
  const user = await SkilledUser.arrive()
  const json = async <T>(words: readonly string[]): Promise<T> => {
    const { code, stdout, stderr } = await user.run(['--json', ...words])
    if (code !== 0) throw new Error(`holdfast ${words.join(' ')} exited with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }
  user.put('.claude/skills/ship/SKILL.md', head('ship'))
  user.put('.claude/skills/ship/holdfast.yaml', PIPELINE)
  user.put('.claude/skills/build/SKILL.md', head('build'))
  user.put('.claude/skills/build/holdfast.yaml', BUILD)
  user.put(
    '.claude/skills/research/SKILL.md',
    head('research', 'uses_skill_run: true\nrequired_todos: [look around]\n'),
  )
  user.put('AGENTS.md', 'Before you end, §CMD_REPORT.')
  user.put('.directives/commands/CMD_REPORT.md', 'Report it.')
  user.put('src/a.ts', 'a')
  user.put('report.md', '# Report\n')
  const { id: project_id } = await json<{ id: number }>(['project', 'upsert', '.', '--name', 'furnished'])
  await user.ask('agent.skills.list', { project_id })

  await json(['agent', 'register', 'ada', '--label', 'Ada', '--claims', 'implement,test'])
  const window = ['--native-id', 'native-ada', '--client', 'claude-code', '--agent', 'ada']
  const given = ['--metadata', '{"taskSummary":"Let users in","ticketId":7}']
  const started = await json<{ id: number }>(['effort', 'start', 'login', 'implement', ...window, ...given])
  const effort = started.id
  const id = String(effort)
  await json(['effort', 'phase', id, '0'])
  await json(['effort', 'phase', id, '1', '--mode', 'tdd'])
  await json(['effort', 'approve', id, '2', '--reason', 'enough'])
  await json(['artifact', 'put', id, 'report', '--path', 'report.md', '--evidence', '{"byHand":true}'])
  await json(['log', 'Begun.', '--effort', id, '--agent', 'ada'])
  await json(['queue', 'add', 'The page has no tests', '--effort', id, '--kind', 'follow-up'])
  await json(['session', 'dehydrate', id, '{"lastAction":"wrote it","nextSteps":["test it"]}'])
  const [open] = await json<{ id: number }[]>(['session', 'find', '--effort', id, '--open'])
  const session = open?.id ?? 0
  await json(['session', 'update-context-usage', String(session), '0.62'])
  await json(['session', 'update-loaded-files', String(session), `${user.project}/src/a.ts`])

  const agent = new Agent(user, 'native-client')
  await agent.starts()
  await agent.hears('/deploy it')
  await agent.uses('Read', { file_path: `${user.project}/.claude/skills/deploy/steps/ship.md` })
  await agent.uses('Read', { file_path: `${user.project}/.claude/skills/deploy/steps/build.md` })
  await agent.hears('/research why it is slow')
  await agent.begins('Bash', { command: 'sleep 1' })

  const { id: toProve } = await json<{ id: number }>(['effort', 'start', 'tested', 'build'])
  await json(['effort', 'phase', String(toProve), '1'])
  const { effort_id: pipeline } = await json<{ effort_id: number }>(['pipeline', 'start', 'shipped', 'ship'])
  const [run] = await json<{ name: string }[]>(['run', 'list'])
  const [asking] = await json<{ id: number }[]>(['effort', 'find-active', '--skill', 'research'])
  return { user, effort, toProve, todo: asking?.id ?? 0, pipeline, session, run: run?.name ?? '' }
}
