import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import { git } from '../git.ts'
import { ENTRY, type Finished, User } from '../holdfast.ts'

export interface HandoffKillsOptions {
  /** The commands to kill, by name. */
  readonly commands: readonly KilledCommand[]
  /** The file that Node runs as the daemon, and variables for it. */
  readonly daemon: string
  readonly env?: Readonly<Record<string, string>>
  /** Each how many steps one is a kill; 1 for all. */
  readonly stride: number
  readonly log: (line: string) => void
}

export interface HandoffKillsReport {
  readonly kills: number
  /** Temporary files that were left. */
  readonly leftovers: number
  readonly violations: readonly string[]
}

const DATE = new Date().toISOString().slice(0, 'YYYY-MM-DD'.length)
const SESSION = `# Session Handoff: ${DATE}\n\n**Status:** Begun\n\n## Completed This Session\n- Old words\n\n## In-tree Tasks\n- [ ] **Mend it** #PNDNG — \`/mend\`\n- [>] **Test it** #PNDNG\n\n## Notes of mine\n${'Keep this.\n'.repeat(200)}`
const LEARNINGS = `# Learnings\n\n## When it snows\n\n${'Wait longer. '.repeat(200)}\n`
const BOTH = { 'session.md': SESSION, 'learnings.md': LEARNINGS }
const HANDOFF = ['--status', 'Half way', '--completed', '- Mended it', '--blocker', 'It rains']

/** The commands that write session files and learnings; those before are as a project has them. */
const COMMANDS = {
  'handoff write': {
    before: BOTH,
    words: ['handoff', 'write', ...HANDOFF, '--learn', 'When it rains: Wait.'],
  },
  'todo add': { before: BOTH, words: ['todo', 'add', 'Ship it', '--command', '/ship'] },
  'todo done': { before: BOTH, words: ['todo', 'done', 'Mend it'] },
  'todo check': { before: BOTH, words: ['todo', 'check'] },
  learn: { before: BOTH, words: ['learn', 'When it rains', 'Wait.'] },
  'the first todo add': { before: {}, words: ['todo', 'add', 'Ship it'] },
  'the first learn': { before: {}, words: ['learn', 'When it rains', 'Wait.'] },
} as const satisfies Readonly<Record<string, Command>>

interface Command {
  readonly before: Texts
  readonly words: readonly string[]
}

export type KilledCommand = keyof typeof COMMANDS

export const KILLED_COMMANDS = Object.keys(COMMANDS) as readonly KilledCommand[]

type Texts = Readonly<Partial<Record<'session.md' | 'learnings.md', string>>>

const NAMES = ['session.md', 'learnings.md'] as const

/** Kills a command together with the daemon that works for it, at every step of its work on files. */
export async function handoffKills(options: HandoffKillsOptions): Promise<HandoffKillsReport> {
  await using user = new User()
  await git(user.project, 'init', '-q')
  const stage = new Stage(user, options)
  for (const name of options.commands) await stage.killAll(name)
  return stage
}

class Stage implements HandoffKillsReport {
  kills = 0
  leftovers = 0
  readonly violations: string[] = []
  readonly #user: User
  readonly #options: HandoffKillsOptions
  readonly #folder: string

  constructor(user: User, options: HandoffKillsOptions) {
    this.#user = user
    this.#options = options
    this.#folder = join(user.project, 'agents')
  }

  async killAll(name: KilledCommand): Promise<void> {
    const { before, words }: Command = COMMANDS[name]
    this.#put(before)
    this.#expectDone(name, await this.#user.run(words))
    await this.#stop()
    const after = this.#texts()
    const { stride } = this.#options
    for (let step = 1; this.violations.length === 0; step += stride) {
      this.#put(before)
      if (!(await this.#killedAt(step, words))) break
      this.kills++
      const state = `${name}, killed at step ${step}`
      this.#compare(state, before, after)
      this.#expectDone(`${state}, then repeated`, await this.#user.run(words))
      this.#compare(`${state}, then repeated`, after, after)
      await this.#checkTokens(state)
      await this.#stop()
    }
    this.leftovers += this.#left().length
    await this.#tidy()
    this.#options.log(`${name}: ${this.kills} kills, ${this.leftovers} temporary files left`)
  }

  /** What is old enough goes with the next write. */
  async #tidy(): Promise<void> {
    const hourAgo = Date.now() / 1000 - 3600
    for (const name of this.#left()) utimesSync(join(this.#folder, name), hourAgo, hourAgo)
    const words = ['handoff', 'write', '--status', 'Tidy', '--learn', 'When all is done: Sweep.']
    this.#expectDone('the end', await this.#user.run(words))
    await this.#stop()
    const left = this.#left()
    if (left.length > 0) this.violations.push(`left for ever: ${left.join(', ')}`)
  }

  /** Runs the command with a daemon that dies with it at a step; false if both ended before. */
  async #killedAt(step: number, words: readonly string[]): Promise<boolean> {
    const { folder, env, project: cwd } = this.#user
    const caller = join(folder, 'caller.pid')
    const daemon = spawn(process.execPath, [this.#options.daemon], {
      env: {
        ...env,
        ...this.#options.env,
        HOLDFAST_DIE_AT: String(step),
        HOLDFAST_DIES_IN: cwd,
        HOLDFAST_DIES_WITH: caller,
      },
      cwd: '/',
      stdio: 'ignore',
    })
    const died = once(daemon, 'exit')
    await this.#serves(daemon)
    const command = spawn(process.execPath, [ENTRY, ...words], { env, cwd, stdio: 'ignore' })
    writeFileSync(caller, String(command.pid))
    const [, signal] = await once(command, 'exit')
    if (signal !== 'SIGKILL') await this.#stop()
    await died
    return signal === 'SIGKILL'
  }

  async #serves(daemon: ChildProcess): Promise<void> {
    for (;;) {
      const connection = await connectTo(findHome(this.#user.env))
      connection?.close()
      if (connection !== undefined) return
      if (daemon.exitCode !== null) throw new Error(`The daemon has ended with ${daemon.exitCode}.`)
      await sleep(10)
    }
  }

  readonly #stop = () => stopDaemon(findHome(this.#user.env)).catch(() => undefined)

  #put(texts: Texts): void {
    if (Object.keys(texts).length === 0) rmSync(this.#folder, { recursive: true, force: true })
    else mkdirSync(this.#folder, { recursive: true })
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(this.#folder, name), text)
  }

  #texts(): Texts {
    const read = (name: string) => {
      const path = join(this.#folder, name)
      return existsSync(path) ? { [name]: readFileSync(path, 'utf8') } : {}
    }
    return Object.assign({}, ...NAMES.map(read)) as Texts
  }

  readonly #left = (): readonly string[] =>
    existsSync(this.#folder) ? readdirSync(this.#folder).filter((name) => name.includes('.holdfast-')) : []

  /** Each file is the old one or the new one. */
  #compare(state: string, before: Texts, after: Texts): void {
    const texts = this.#texts()
    for (const name of NAMES)
      if (![before[name], after[name]].includes(texts[name]))
        this.violations.push(
          `${state}: ${name} is neither old nor new: ${JSON.stringify(texts[name])?.slice(0, 300)}`,
        )
  }

  #expectDone(state: string, { code, stdout, stderr }: Finished): void {
    if (code !== 0) this.violations.push(`${state}: ended with ${code}: ${stderr}${stdout}`)
  }

  /** Every task gets a token of its own. */
  async #checkTokens(state: string): Promise<void> {
    this.#expectDone(`${state}, then todo check`, await this.#user.run(['todo', 'check']))
    const tokens = [...(this.#texts()['session.md'] ?? '').matchAll(/^- \[.\] \*\*.*?\*\* (#\w+)/gm)]
    if (
      new Set(tokens.map(([, token]) => token)).size < tokens.length ||
      this.#texts()['session.md']?.includes('#PNDNG')
    )
      this.violations.push(`${state}: tokens ${tokens.map(([, token]) => token).join(' ')}`)
  }
}
