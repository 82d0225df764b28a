import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Remote } from '../src/cli/daemon/remote.ts'
import { AS_CLIENT, ENTRY, type User } from './holdfast.ts'
import { PATIENT, withLimit } from './hook-routes.ts'

interface Handler {
  readonly type: 'http' | 'command'
  readonly url?: string
  readonly headers?: Record<string, string>
  readonly command?: string
  readonly onFailure?: 'block'
}

interface Group {
  readonly matcher?: string
  readonly hooks: readonly Handler[]
}

const PATIENCE_MILLISECONDS = 600_000

/** Optional fields of a client's report. */
interface Fields {
  readonly tool_name?: string
  readonly [field: string]: unknown
}

/** The result of one handler. */
type Outcome =
  | { readonly kind: 'failed'; readonly why: string }
  | { readonly kind: 'blocked'; readonly why: string }
  | { readonly kind: 'answered'; readonly reply: Reply }

interface Reply {
  /** What the user reads. */
  readonly systemMessage?: string
  /** The answer to the end of a turn. */
  readonly decision?: string
  readonly reason?: string
  readonly hookSpecificOutput?: {
    readonly permissionDecision?: string
    readonly permissionDecisionReason?: string
    readonly additionalContext?: string
  }
}

/** The result of a tool call: refused with this reason, or allowed with this context, and its duration. */
export interface Outcomes {
  readonly refusals: readonly string[]
  /** What the client asks its user before the call. */
  readonly questions: readonly string[]
  readonly failures: readonly string[]
  readonly context: string
  /** What the user reads. */
  readonly notices: readonly string[]
  readonly milliseconds: number
}

/**
 * Fires events through the settings of `holdfast init`, like Claude Code: matching handlers run at once with their
 * time limits or longer ones, and a failure allows the call unless the handler says otherwise. Commands are not killed, because a
 * busy machine is no failure of theirs. A patient client waits for every answer; one with a limit waits no longer
 * than that.
 */
export class HookedClient {
  readonly #user: User
  readonly #session: string
  readonly #isPatient: boolean
  /** Milliseconds, instead of those in the settings, which a busy machine may exceed. */
  readonly #limit: number

  constructor(
    user: User,
    session = 'one',
    { patient = false, limit = PATIENT }: { patient?: boolean; limit?: number } = {},
  ) {
    this.#user = user
    this.#session = session
    this.#isPatient = patient
    this.#limit = patient ? PATIENCE_MILLISECONDS : limit
  }

  async fire(event: string, more: Fields = {}): Promise<Outcomes> {
    const begun = Date.now()
    const payload = JSON.stringify({
      session_id: this.#session,
      cwd: this.#user.project,
      hook_event_name: event,
      ...more,
    })
    const handlers = this.#groups(event)
      .filter(({ matcher }) => matches(matcher, more.tool_name ?? ''))
      .flatMap(({ hooks }) => hooks)
    if (handlers.length === 0) throw new Error(`Nothing is installed for ${event}.`)
    const outcomes = await Promise.all(handlers.map((handler) => this.#run(handler, payload)))
    return { ...sum(handlers, outcomes), milliseconds: Date.now() - begun }
  }

  /** One tool call with both of its events. */
  async use(
    tool_name: string,
    tool_input: object,
    tool_use_id: string = crypto.randomUUID(),
  ): Promise<Outcomes> {
    const call = { tool_name, tool_input, tool_use_id }
    const before = await this.fire('PreToolUse', call)
    if (before.refusals.length === 0) await this.fire('PostToolUse', { ...call, tool_response: {} })
    return before
  }

  #groups(event: string): readonly Group[] {
    const path = join(this.#user.clientConfig, 'settings.json')
    const { hooks } = JSON.parse(readFileSync(path, 'utf8')) as { hooks: Record<string, readonly Group[]> }
    return hooks[event] ?? []
  }

  async #run(handler: Handler, payload: string): Promise<Outcome> {
    if (this.#isPatient) return await this.#wait(handler, payload)
    try {
      return await (handler.type === 'http'
        ? post(handler, payload, this.#limit)
        : this.#command(handler.command ?? '', payload))
    } catch (error) {
      const { message, cause } = error as Error
      return { kind: 'failed', why: cause instanceof Error ? cause.message : message }
    }
  }

  /** The same handlers without limits; HTTP has its own, so its events use the socket. */
  async #wait({ type, command = '' }: Handler, payload: string): Promise<Outcome> {
    if (type === 'command') return await this.#command(command, payload)
    using daemon = new Remote({ env: this.#user.env, entry: ENTRY })
    const told = { client: 'claude-code', payload: JSON.parse(payload) as unknown }
    const { reply } = await daemon.call<{ readonly reply?: Reply }>('hooks.handle', told)
    return answered(JSON.stringify(reply ?? {}))
  }

  /** Runs a shell line like a client, with the report on stdin. */
  async shell(command: string, payload: object | string, variables: Readonly<Record<string, string>> = {}) {
    const { env, project } = this.#user
    const child = spawn('sh', ['-c', command], { env: { ...env, ...variables }, cwd: project })
    const [out, err]: [string[], string[]] = [[], []]
    child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(typeof payload === 'string' ? payload : JSON.stringify(payload))
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout: out.join(''), stderr: err.join('') }
  }

  async #command(written: string, payload: string): Promise<Outcome> {
    const command = withLimit(written, this.#limit)
    // A shell of its own is the client that the hook sees, because the user's commands do not run inside the client.
    const { code, stdout, stderr } = await this.shell(AS_CLIENT, payload, { HOOK: command })
    if (code === 2) return { kind: 'blocked', why: stderr }
    return code === 0 ? answered(stdout) : { kind: 'failed', why: `exit ${code}: ${stderr}` }
  }
}

function matches(matcher: string | undefined, tool: string): boolean {
  if (matcher === undefined || matcher === '' || matcher === '*') return true
  return /^[\w\- ,|]+$/.test(matcher) ? matcher.split(/[|,]/).includes(tool) : new RegExp(matcher).test(tool)
}

async function post({ url = '', headers }: Handler, body: string, milliseconds: number): Promise<Outcome> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
    signal: AbortSignal.timeout(milliseconds),
  })
  const text = await answer.text()
  return answer.ok ? answered(text) : { kind: 'failed', why: `HTTP ${answer.status}` }
}

function answered(text: string): Outcome {
  if (text.trim() === '') return { kind: 'answered', reply: {} }
  const reply = JSON.parse(text) as Reply
  const { permissionDecision, permissionDecisionReason } = reply.hookSpecificOutput ?? {}
  if (reply.decision === 'block') return { kind: 'blocked', why: reply.reason ?? '' }
  return permissionDecision === 'deny'
    ? { kind: 'blocked', why: permissionDecisionReason ?? '' }
    : { kind: 'answered', reply }
}

function sum(handlers: readonly Handler[], outcomes: readonly Outcome[]): Omit<Outcomes, 'milliseconds'> {
  const [refusals, failures, contexts]: [string[], string[], string[]] = [[], [], []]
  const questions = outcomes.flatMap((one) => (one.kind === 'answered' ? questionIn(one.reply) : []))
  const notices = outcomes.flatMap((one) => (one.kind === 'answered' ? (one.reply.systemMessage ?? []) : []))
  for (const [index, outcome] of outcomes.entries()) {
    const { onFailure, url, command } = handlers[index] ?? {}
    if (outcome.kind === 'answered') contexts.push(outcome.reply.hookSpecificOutput?.additionalContext ?? '')
    else if (outcome.kind === 'blocked') refusals.push(outcome.why)
    else {
      failures.push(outcome.why)
      if (onFailure === 'block')
        refusals.push(`[${url ?? command}]: failed; blocking because onFailure is "block"`)
    }
  }
  return { refusals, questions, failures, notices, context: contexts.join('') }
}

const questionIn = ({ hookSpecificOutput: said = {} }: Reply): readonly string[] =>
  said.permissionDecision === 'ask' ? [said.permissionDecisionReason ?? ''] : []
