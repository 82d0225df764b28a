import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { stopDaemon } from '../src/cli/daemon/stop.ts'
import { findHome } from '../src/daemon/home.ts'
import type { Plan } from '../src/model/plan/plan.ts'
import type { StepView } from '../src/model/workflow/view.ts'
import type { Finished, User } from './holdfast.ts'

/** Puts a skill whose workflow has this plan into the project of a user. */
export async function putWorkflow(user: User, name: string, plan: Plan): Promise<void> {
  const folder = join(user.project, '.claude', 'skills', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: Works.\n---\n`)
  writeFileSync(join(folder, 'workflow.ts'), 'export default {}\n')
  const { id } = await user.json<{ readonly id: number }>(['project', 'upsert', user.project])
  await user.json(['rpc', 'agent.skills.list', JSON.stringify({ project_id: id })])
  await stopDaemon(findHome(user.env))
  using database = new DatabaseSync(join(user.folder, 'home', 'engine.db'))
  const row = database.prepare('SELECT details FROM skills WHERE name = ?').get(name) as { details: string }
  const held = { ...(JSON.parse(row.details) as object), notation: 'workflow', enforceable: true }
  database
    .prepare('UPDATE skills SET plan = ?, details = ? WHERE name = ?')
    .run(JSON.stringify(plan), JSON.stringify(held), name)
}

/** Puts a skill with this module into the project of a user, who trusts it. */
export async function trustWorkflow(user: User, name: string, module: string): Promise<void> {
  const folder = join(user.project, '.claude', 'skills', name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\ndescription: Works.\n---\n`)
  writeFileSync(
    join(folder, 'workflow.ts'),
    `import { dispatch, param, step, workflow } from 'holdfast/workflow'\n${module}`,
  )
  await user.json(['project', 'upsert', user.project])
  await user.json(['skill', 'trust', name, '--yes'])
}

/** Runs a line as an agent's shell does. */
export const shellOf = (user: User, line: string): Promise<Finished> =>
  new Promise((done) => {
    execFile('sh', ['-c', line], { cwd: user.project, env: user.env }, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error === null ? 0 : -1
      done({ code, stdout, stderr })
    })
  })

/** Prints the words of each command of ours instead of running it. */
const WORDS = `holdfast() { printf '%s\\0' "$@"; }`

/** Runs one command of ours with the words that a shell makes of its line, in this process, which is far cheaper. */
export async function lineOf(user: User, line: string): Promise<Finished> {
  const { stdout } = await shellOf(user, `${WORDS}\n${line}`)
  return await user.run(stdout.split('\0').slice(0, -1))
}

/** The step that a line prints, also of a parked plan. */
export async function stepOf(user: User, line: string, run = lineOf): Promise<StepView> {
  const { code, stdout, stderr } = await run(user, `${line} --format json`)
  if (code > 1 || !stdout.startsWith('{')) throw new Error(`${line} exited with ${code}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as StepView
}
