import { shellWord } from '../src/model/shell/word.ts'
import type { Finished, User } from './holdfast.ts'
import { HookedClient, type Outcomes } from './hooked-client.ts'

/** An agent in one session of a client with hooks from `holdfast init`; it runs `holdfast` as a tool. */
export class Agent {
  readonly session: string
  readonly #user: User
  readonly #client: HookedClient

  constructor(user: User, session: string) {
    this.session = session
    this.#user = user
    this.#client = new HookedClient(user, session, { patient: true })
  }

  /** The context that the session gets at its start. */
  async starts(source: 'startup' | 'clear' | 'resume' | 'compact' = 'startup'): Promise<string> {
    return (await this.#fire('SessionStart', { source })).context
  }

  /** The context that it gets for a prompt of its user. */
  async hears(prompt: string): Promise<string> {
    return (await this.#fire('UserPromptSubmit', { prompt })).context
  }

  /** Why a tool call is refused; empty if it is allowed. */
  async uses(tool: string, input: object): Promise<string> {
    const { refusals, failures } = await this.#client.use(tool, input)
    if (failures.length > 0) throw new Error(failures.join('\n'))
    return refusals.join('\n')
  }

  /** Starts a tool call that sends no further event. */
  async begins(tool: string, input: object): Promise<void> {
    const call = { tool_name: tool, tool_input: input, tool_use_id: crypto.randomUUID() }
    await this.#fire('PreToolUse', call)
  }

  /** Runs a command as a tool call, with both of its events. */
  async holdfast(words: readonly string[], input?: string): Promise<Finished> {
    const typed = ['holdfast', ...words.map(shellWord)].join(' ')
    const command = input === undefined ? typed : `${typed} <<'END'\n${input}\nEND`
    // If the client asks its user, the user says yes.
    const call = { tool_name: 'Bash', tool_input: { command }, tool_use_id: crypto.randomUUID() }
    const { refusals } = await this.#fire('PreToolUse', call)
    if (refusals.length > 0) throw new Error(refusals.join('\n'))
    const env = { CLAUDE_CODE_SESSION_ID: this.session }
    const finished = await this.#user.run(words, { env, ...(input !== undefined && { input }) })
    await this.#fire('PostToolUse', { ...call, tool_response: { stdout: finished.stdout } })
    return finished
  }

  async ends(reason = 'clear'): Promise<void> {
    await this.#fire('SessionEnd', { reason })
  }

  async #fire(event: string, more: Readonly<Record<string, unknown>>): Promise<Outcomes> {
    const outcomes = await this.#client.fire(event, more)
    if (outcomes.failures.length > 0) throw new Error(`${event}: ${outcomes.failures.join('\n')}`)
    return outcomes
  }
}
