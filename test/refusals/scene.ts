import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { spawnSync } from 'node:child_process'
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

/** The words of each of our commands in a line of `&&`, as the shell reads them. */
function wordsIn(line: string): readonly (readonly string[])[] {
  const script = `holdfast() { printf '%s\\0' "$@"; printf '\\0'; }\n${line}`
  const { stdout } = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
  return stdout.split('\0\0').flatMap((words) => (words === '' ? [] : [words.split('\0')]))
}

/** A project of its own, with one session of the client. */
export class Scene {
  readonly #user: User
  readonly project: string
  readonly session = `session-${++scenes}`
  #calls = 0
  /** The number of the effort that was told last. */
  effort = 0
  /** What the last shell line printed. */
  said = ''

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

  /** Hands work to a sub-agent, which reads the file of the step if it has one; returns why that is refused. */
  async delegate(
    prompt: string,
    { file, isGood }: { readonly file: string | undefined; readonly isGood: boolean },
  ): Promise<string | undefined> {
    const call = {
      tool_name: 'Agent',
      tool_input: { description: 'work', prompt, subagent_type: 'helper' },
      tool_use_id: `call-${++this.#calls}`,
    }
    const refused = await this.fire('PreToolUse', call)
    if (refused !== undefined) return refused
    const agentId = `agent-${this.#calls}`
    if (file !== undefined) await this.read(file, { more: { agent_id: agentId, agent_type: 'helper' } })
    await (isGood
      ? this.fire('PostToolUse', { ...call, tool_response: { status: 'completed', agentId } })
      : this.fire('PostToolUseFailure', { ...call, error: 'It could not be done.' }))
    return undefined
  }

  /** Runs a shell line as the agent does, if the hooks allow it; returns what is wrong. */
  async shell(command: string): Promise<string | undefined> {
    const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: `call-${++this.#calls}` }
    // If the client asks its user, the user says yes.
    const refused = await this.fire('PreToolUse', call)
    if (refused !== undefined) return refused
    const { code, said } = await this.#run(command)
    this.said = unwrapped(said)
    return code === 0 ? undefined : this.said
  }

  /** Runs our own commands in this process, because a process for each takes ten times as long. */
  async #run(command: string): Promise<{ readonly code: number; readonly said: string }> {
    const env = { CLAUDE_CODE_SESSION_ID: this.session }
    // Hooks name the launcher, which runs the same program.
    const line = command.replaceAll(/(?<=^|&& )\S+\/bin\/holdfast /g, 'holdfast ')
    if (!line.startsWith('holdfast ')) {
      const options = { cwd: this.project, env: { ...this.#user.env, ...env }, encoding: 'utf8' as const }
      const { status, stdout, stderr } = spawnSync('sh', ['-c', command], options)
      return { code: status ?? -1, said: stdout + stderr }
    }
    let said = ''
    for (const words of wordsIn(line)) {
      const { code, stdout, stderr } = await this.#user.run(words, { cwd: this.project, env })
      said += stdout + stderr
      if (code !== 0) return { code, said }
    }
    return { code: 0, said }
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
