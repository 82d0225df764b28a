import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { inject } from 'vitest'
import { User } from '../holdfast.ts'
import { Conversation, type Ended } from './conversation.ts'
import { ModelServer } from './model-server.ts'
import { Terminal } from './terminal.ts'

export interface Start {
  /** The id of a session to resume. */
  readonly resume?: string
  readonly args?: readonly string[]
  /** The project, if not given. */
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  readonly limit?: number
}

/** Headless Claude Code, for a user with only a git project, with our own model. */
export class RealClient implements AsyncDisposable {
  readonly user = new User()
  readonly project = this.user.project
  readonly model: ModelServer
  readonly #conversations: Conversation[] = []

  private constructor(model: ModelServer) {
    this.model = model
    mkdirSync(this.user.clientConfig, { recursive: true })
    this.write('README.md', '# A project\n')
    this.#git('init', '--quiet')
    this.#git('add', '.')
    this.#git('-c', 'user.name=user', '-c', 'user.email=user@example.com', 'commit', '--quiet', '-m', 'First')
  }

  static async start(): Promise<RealClient> {
    return new RealClient(await new ModelServer().listen())
  }

  /** Writes a file of the project and returns its absolute path. */
  write(path: string, text: string): string {
    const file = join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** Writes the user settings of the client. */
  configure(settings: object): void {
    writeFileSync(join(this.user.clientConfig, 'settings.json'), JSON.stringify(settings, undefined, 2))
  }

  /** Runs one prompt in its own process, to its end. */
  run(prompt: string, start: Start = {}): Promise<Ended> {
    return this.#start(start, ['-p', prompt]).end()
  }

  /** One process for several prompts; `say` each, then `end`. */
  open(start: Start = {}): Conversation {
    return this.#start(start, ['-p', '--input-format', 'stream-json'])
  }

  /** A command of the client itself, such as a plugin command; it must succeed. */
  command(...words: readonly string[]): Promise<string> {
    return this.commandIn(this.project, ...words)
  }

  async commandIn(cwd: string, ...words: readonly string[]): Promise<string> {
    const options = { cwd, env: { ...this.user.env, ...this.#env() } }
    const { stdout } = await promisify(execFile)(inject('clientProgram'), words, options)
    return stdout
  }

  /** An environment with `holdfast` on its PATH, as after an installation. */
  holdfastOnPath(): { readonly PATH: string } {
    return { PATH: this.user.env['PATH'] ?? '' }
  }

  /** One prompt in a terminal, as a user works; the client stays open. */
  inTerminal(prompt: string, args: readonly string[] = [], env: Start['env'] = {}): Terminal {
    const known = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
    const about = {
      hasCompletedOnboarding: true,
      theme: 'dark',
      customApiKeyResponses: { approved: [KEY], rejected: [] },
      projects: { [this.project]: known },
    }
    writeFileSync(join(this.user.clientConfig, '.claude.json'), JSON.stringify(about))
    return new Terminal({
      folder: this.user.folder,
      cwd: this.project,
      env: { ...this.user.env, ...this.#env(), ...env },
      words: [inject('clientProgram'), '--allowedTools', TOOLS, ...args, '--', prompt],
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const conversation of this.#conversations) conversation.abandon()
    await Promise.allSettled(this.#conversations.map(({ ended }) => ended))
    await this.model[Symbol.asyncDispose]()
    await this.user[Symbol.asyncDispose]()
  }

  #start(start: Start, args: readonly string[]): Conversation {
    const resume = start.resume === undefined ? [] : ['--resume', start.resume]
    const conversation = new Conversation({
      program: inject('clientProgram'),
      args: [...args, ...resume, ...ALWAYS, ...(start.args ?? [])],
      cwd: start.cwd ?? this.project,
      env: { ...this.user.env, ...this.#env(), ...start.env },
      limit: start.limit ?? 150_000,
    })
    this.#conversations.push(conversation)
    return conversation
  }

  /** A fake key and the model on loopback; any other request becomes a stray there. */
  #env(): Readonly<Record<string, string>> {
    return {
      ANTHROPIC_BASE_URL: this.model.url,
      ANTHROPIC_API_KEY: KEY,
      HTTP_PROXY: this.model.url,
      HTTPS_PROXY: this.model.url,
      NO_PROXY: '127.0.0.1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_TELEMETRY: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      LANG: 'C.UTF-8',
    }
  }

  #git(...words: readonly string[]): void {
    execFileSync('git', words, { cwd: this.project, env: this.user.env })
  }
}

const KEY = 'no-key'
const TOOLS = 'Agent,Bash,Edit,Read,Skill,Write'
const ALWAYS = ['--output-format', 'stream-json', '--verbose', '--allowedTools', TOOLS]
