import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Plays } from '../cli/frame/io.ts'
import type { Client, Hand, ToolUse } from '../model/client.ts'
import type { HookEvent } from '../model/event.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import { wordsIn } from './words.ts'

/** A text that an agent has read: told by us, or shown from a file. */
export interface Heard {
  readonly kind: 'told' | 'shown'
  readonly text: string
}

export interface Ran {
  readonly code: number
  /** What it printed: its result, and what it said beside. */
  readonly said: readonly string[]
}

/** Where an agent works: a project, with hooks and commands that reach one daemon. */
export interface Place {
  readonly project: string
  /** Calls a method of the daemon. */
  ask<T>(method: string, params: Readonly<Record<string, unknown>>): Promise<T>
  /** Reports an event, and returns the reply of the hook. */
  report(payload: object): Promise<unknown>
  /** Runs one of our commands with these variables. */
  run(
    words: readonly string[],
    env: Readonly<Record<string, string | undefined>>,
    plays: Plays['step'],
  ): Promise<Ran>
  /** What comes of a command that is not ours. */
  other(command: string, env: Readonly<Record<string, string | undefined>>): Ran
}

/** A window of a client in which a script works instead of a model. */
export class Window {
  readonly #client: Client
  readonly #place: Place
  readonly project: string
  readonly session: string
  protected readonly hand: Hand
  #calls = 0
  /** The fields of a sub-agent's events, while one works. */
  #inside: object = {}
  /** The skill that it works on. */
  skill = ''
  /** The number of the effort that was told last. */
  effort = 0
  /** What comes of steps that are commands. */
  plays: Plays['step'] = () => ({})
  /** The commands that it has run, in order. */
  readonly did: string[] = []
  /** What the last shell line printed. */
  said = ''
  /** Every text that the agent has read, in order. */
  readonly heard: Heard[] = []

  constructor(client: Client, place: Place, session: string) {
    if (client.hand === undefined) throw new Error(`No agent can work as ${client.name}.`)
    this.#client = client
    this.hand = client.hand
    this.#place = place
    this.project = place.project
    this.session = session
  }

  /** Writes a file, but never outside of the project. */
  put(path: string, text: string): void {
    const file = this.#pathOf(path)
    if (!file.startsWith(`${this.project}/`)) return
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }

  #pathOf(path: string): string {
    return resolve(this.project, path)
  }

  ask<T>(method: string, params: Readonly<Record<string, unknown>>): Promise<T> {
    return this.#place.ask<T>(method, params)
  }

  /** Tells a payload of the client; returns the reason if it was refused. */
  protected async tell(payload: object): Promise<string | undefined> {
    const { refusal, context } = this.hand.heard(await this.#place.report(payload))
    this.#hear('told', refusal ?? '', context)
    const [, effort] = /effort (\d+)/.exec(context) ?? []
    if (effort !== undefined) this.effort = Number(effort)
    return refusal
  }

  #hear(kind: Heard['kind'], ...texts: readonly string[]): void {
    this.heard.push(...texts.filter((text) => text !== '').map((text) => ({ kind, text })))
  }

  #event(kind: HookEvent['kind'], plain: object, more: object = {}): Promise<string | undefined> {
    const fields = this.#client.payload({ session: this.session, cwd: this.project, ...plain })
    return this.tell(this.#client.named({ ...fields, ...this.#inside, ...more }, kind) as object)
  }

  /** Starts the session. */
  starts(): Promise<string | undefined> {
    return this.#event('session.started', { source: 'startup' })
  }

  /** Hears a prompt of the user. */
  hears(prompt: string): Promise<string | undefined> {
    return this.#event('prompt.submitted', { prompt })
  }

  /** Ends its turn; returns why it may not. */
  stops(): Promise<string | undefined> {
    return this.#event('turn.stopped', {})
  }

  /** Ends the session. */
  ends(): Promise<string | undefined> {
    return this.#event('session.ended', {})
  }

  /** Starts a session that calls a skill. */
  async call(prompt: string): Promise<void> {
    await this.starts()
    await this.hears(prompt)
  }

  /** Uses a tool; returns the reason if the call was refused. */
  protected async act(tool: ToolUse, result: unknown = {}, more: object = {}): Promise<string | undefined> {
    const call = { ...tool, id: this.#newCall() }
    const refused = await this.#event('tool.before', { tool: call }, more)
    if (refused === undefined) await this.#event('tool.after', { tool: { ...call, result } }, more)
    return refused
  }

  #newCall(): string {
    return `call-${++this.#calls}`
  }

  /** Reads a file, or a part of it. */
  async read(path: string, { from = 1, to = Infinity, more = {} } = {}): Promise<string | undefined> {
    const file = this.#pathOf(path)
    const lines = readFileSync(file, 'utf8').split('\n')
    const content = lines.slice(from - 1, to).join('\n')
    const refused = await this.act(this.hand.read(file, from, to), this.hand.shown(file, content, from), more)
    if (refused === undefined) this.#hear('shown', content)
    return refused
  }

  /** Writes a file, if that is not refused. */
  async write(path: string, text: string): Promise<string | undefined> {
    const file = this.#pathOf(path)
    const refused = await this.act(this.hand.write(file, text))
    if (refused === undefined) this.put(file, text)
    return refused
  }

  todos(items: readonly string[]): Promise<string | undefined> {
    return this.act(this.hand.todos(items))
  }

  /** Calls a skill as the agent. */
  invoke(skill: string, args: string): Promise<string | undefined> {
    return this.act(this.hand.call(skill, args))
  }

  /** Gives work to a sub-agent, which reads the file of the step if it has one; returns why that is refused. */
  async delegate(
    prompt: string,
    { file, isGood }: { readonly file: string | undefined; readonly isGood: boolean },
  ): Promise<string | undefined> {
    const call = { ...this.hand.give(prompt), id: this.#newCall() }
    const refused = await this.#event('tool.before', { tool: call })
    if (refused !== undefined) return refused
    const agent = `agent-${this.#calls}`
    if (file !== undefined) await this.read(file, { more: this.hand.inside(agent) })
    await (isGood
      ? this.#event('tool.after', { tool: { ...call, result: this.hand.given(agent) } })
      : this.#event('tool.failed', { tool: call }, this.hand.failed))
    return undefined
  }

  /** Has a sub-agent do work of its own; returns why it may not start, or what is wrong with its work. */
  async inAgent(prompt: string, work: () => Promise<string | undefined>): Promise<string | undefined> {
    const call = { ...this.hand.give(prompt), id: this.#newCall() }
    const refused = await this.#event('tool.before', { tool: call })
    if (refused !== undefined) return refused
    const agent = `agent-${this.#calls}`
    const outside = this.#inside
    this.#inside = this.hand.inside(agent)
    await this.#event('subagent.started', {})
    const wrong = await work()
    const held = await this.#event('subagent.stopped', {})
    this.#inside = outside
    await this.#event('tool.after', { tool: { ...call, result: this.hand.given(agent) } })
    return wrong ?? held
  }

  /** Runs a shell line as the agent does, if the hooks allow it; returns what is wrong. */
  async shell(command: string): Promise<string | undefined> {
    const call = { ...this.hand.shell(command), id: this.#newCall() }
    this.said = ''
    this.did.push(command)
    const refused = await this.#event('tool.before', { tool: call })
    if (refused !== undefined) return refused
    const { code, said } = await this.#run(command)
    this.said = said.join('')
    this.#hear('told', ...said)
    return code === 0 ? undefined : this.said
  }

  async #run(command: string): Promise<Ran> {
    const env = this.hand.environment(this.session)
    const calls = wordsIn(command)
    if (calls === undefined || !calls.every(isOurs)) return this.#place.other(command, env)
    const said: string[] = []
    for (const [, ...words] of calls) {
      const ran = await this.#place.run(words, env, this.plays)
      said.push(...ran.said)
      if (ran.code !== 0) return { code: ran.code, said }
    }
    return { code: 0, said }
  }

  /** Runs one of our commands; returns why it is refused. */
  bad(command: string): Promise<string | undefined> {
    return this.shell(`${PROGRAM} ${command.replaceAll('EFFORT', String(this.effort))}`)
  }
}

/** Hooks name the launcher, which runs the same program. */
const isOurs = ([program]: readonly string[]): boolean =>
  program === PROGRAM || program?.endsWith(`/bin/${PROGRAM}`) === true
