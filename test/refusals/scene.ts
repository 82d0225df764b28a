import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCode } from '../../src/clients/claude-code/index.ts'
import { Remote } from '../../src/cli/daemon/remote.ts'
import { type Place, Window } from '../../src/harness/window.ts'
import { ENTRY, unwrapped, type User } from '../holdfast.ts'

let scenes = 0

/** A place of a user; it runs our own commands in this process, because a process for each takes ten times as long. */
const placeOf = (user: User, project: string): Place => ({
  project,
  async ask<T>(method: string, params: Readonly<Record<string, unknown>>): Promise<T> {
    using remote = new Remote({ env: user.env, entry: ENTRY })
    return await remote.call<T>(method, params)
  },
  async report(payload) {
    const told = { client: claudeCode.name, payload }
    return (await this.ask<{ readonly reply?: unknown }>('hooks.handle', told)).reply
  },
  async run(words, env) {
    const { code, stdout, stderr } = await user.run(words, { cwd: project, env })
    return { code, said: [unwrapped(stdout + stderr)] }
  },
  other(command, env) {
    const options = { cwd: project, env: { ...user.env, ...env }, encoding: 'utf8' as const }
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], options)
    return { code: status ?? -1, said: [unwrapped(stdout + stderr)] }
  },
})

/** A project of its own, with one session of the client. */
export class Scene extends Window {
  constructor(user: User, files: Readonly<Record<string, string>>) {
    const project = join(user.folder, `project-${++scenes}`)
    mkdirSync(join(project, '.git'), { recursive: true })
    super(claudeCode, placeOf(user, project), `session-${scenes}`)
    this.skill = 'flow'
    for (const [path, text] of Object.entries(files)) this.put(path, text)
  }

  /** Fires an event; returns the reason if it was refused. */
  fire(hook_event_name: string, more: object = {}): Promise<string | undefined> {
    return this.tell({ session_id: this.session, cwd: this.project, hook_event_name, ...more })
  }

  /** Uses a tool; returns the reason if the call was refused. */
  use(name: string, input: object, response: unknown = {}, more: object = {}): Promise<string | undefined> {
    return this.act({ name, input }, response, more)
  }

  /** Runs one of our commands that must succeed. */
  async good(command: string): Promise<void> {
    const wrong = await this.bad(command)
    if (wrong !== undefined) throw new Error(`holdfast ${command}: ${wrong}`)
  }

  /** What only hooks judge before a command runs. */
  before(command: string): Promise<string | undefined> {
    const line = `holdfast ${command.replaceAll('EFFORT', String(this.effort))}`
    return this.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: line } })
  }
}
