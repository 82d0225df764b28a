import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Remote } from '../../src/cli/daemon/remote.ts'
import { ENTRY, unwrapped, type User } from '../holdfast.ts'

interface Decided {
  readonly decision: string
  readonly reply?: {
    /** Why a turn may not end. */
    readonly reason?: string
    readonly hookSpecificOutput?: {
      readonly permissionDecisionReason?: string
      readonly additionalContext?: string
    }
  }
}

let scenes = 0

/** A project of its own, with one session of the client. */
export class Scene {
  readonly #user: User
  readonly project: string
  readonly session = `session-${++scenes}`
  #calls = 0
  /** The number of the effort that was told last. */
  effort = 0

  constructor(user: User, files: Readonly<Record<string, string>>) {
    this.#user = user
    this.project = join(user.folder, `project-${scenes}`)
    mkdirSync(join(this.project, '.git'), { recursive: true })
    for (const [path, text] of Object.entries(files)) this.put(path, text)
  }

  put(path: string, text: string): void {
    const file = path.startsWith('/') ? path : join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  async ask<T>(method: string, params: Readonly<Record<string, unknown>>): Promise<T> {
    using remote = new Remote({ env: this.#user.env, entry: ENTRY })
    return await remote.call<T>(method, params)
  }

  /** Fires an event; returns the reason if it was refused. */
  async fire(hook_event_name: string, more: object = {}): Promise<string | undefined> {
    const payload = { session_id: this.session, cwd: this.project, hook_event_name, ...more }
    const { decision, reply } = await this.ask<Decided>('hooks.handle', { client: 'claude-code', payload })
    const { permissionDecisionReason, additionalContext = '' } = reply?.hookSpecificOutput ?? {}
    const [, effort] = /effort (\d+)/.exec(additionalContext) ?? []
    if (effort !== undefined) this.effort = Number(effort)
    return decision === 'block'
      ? (permissionDecisionReason ?? reply?.reason ?? JSON.stringify(reply))
      : undefined
  }

  /** Starts a session that calls a skill. */
  async call(prompt: string): Promise<void> {
    await this.fire('SessionStart', { source: 'startup' })
    await this.fire('UserPromptSubmit', { prompt })
  }

  /** Uses a tool; returns the reason if the call was refused. */
  async use(
    tool_name: string,
    tool_input: object,
    tool_response: unknown = {},
    more: object = {},
  ): Promise<string | undefined> {
    const call = { tool_name, tool_input, tool_use_id: `call-${++this.#calls}`, ...more }
    const refused = await this.fire('PreToolUse', call)
    if (refused === undefined) await this.fire('PostToolUse', { ...call, tool_response })
    return refused
  }

  /** Reads a file, or a part of it. */
  read(path: string, { from = 1, to = Infinity, more = {} } = {}): Promise<string | undefined> {
    const file_path = join(path.startsWith('/') ? '' : this.project, path)
    const content = readFileSync(file_path, 'utf8')
      .split('\n')
      .slice(from - 1, to)
      .join('\n')
    const input = {
      file_path,
      ...(from > 1 && { offset: from }),
      ...(to < Infinity && { limit: to - from + 1 }),
    }
    return this.use(
      'Read',
      input,
      { type: 'text', file: { filePath: file_path, content, startLine: from } },
      more,
    )
  }

  /** Runs a shell line as the agent does, if the hooks allow it; returns what is wrong. */
  async shell(command: string): Promise<string | undefined> {
    const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `call-${++this.#calls}` }
    // If the client asks its user, the user says yes.
    const refused = await this.fire('PreToolUse', call)
    if (refused !== undefined) return refused
    const child = spawn('sh', ['-c', command], {
      cwd: this.project,
      env: { ...this.#user.env, CLAUDE_CODE_SESSION_ID: this.session },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const said: string[] = []
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => void said.push(text))
    const [code] = (await once(child, 'close')) as [number | null]
    return code === 0 ? undefined : unwrapped(said.join(''))
  }

  /** Runs one of our commands that must succeed. */
  async good(command: string): Promise<void> {
    const wrong = await this.shell(`holdfast ${command.replaceAll('EFFORT', String(this.effort))}`)
    if (wrong !== undefined) throw new Error(`holdfast ${command}: ${wrong}`)
  }

  /** Runs one of our commands; returns why it is refused. */
  bad(command: string): Promise<string | undefined> {
    return this.shell(`holdfast ${command.replaceAll('EFFORT', String(this.effort))}`)
  }

  /** What only hooks judge before a command runs. */
  before(command: string): Promise<string | undefined> {
    const line = `holdfast ${command.replaceAll('EFFORT', String(this.effort))}`
    return this.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: line } })
  }
}
