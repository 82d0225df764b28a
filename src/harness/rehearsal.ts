import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { openDoor } from '../cli/daemon/door.ts'
import type { Command } from '../cli/frame/command.ts'
import { exitCodeOf } from '../cli/frame/dispatch.ts'
import { type Io, type Plays, written } from '../cli/frame/io.ts'
import { findCoded, runToTrust } from '../cli/skill/trust.ts'
import { defaultClient } from '../clients/index.ts'
import { findHome, type Home } from '../daemon/home.ts'
import { skillsFolder } from '../model/client-files.ts'
import { EngineError } from '../model/error.ts'
import { demandOf, isExpected } from '../model/plan/evidence.ts'
import { OUR_FOLDER, OVERLAYS } from '../model/our-folder.ts'
import type { Plan, Step } from '../model/plan/plan.ts'
import { PROGRAM } from '../model/text/told-commands.ts'
import { Stage } from './stage.ts'
import { type Place, type Ran, Window } from './window.ts'

/** A skill to rehearse: its folder, and its overlay if it has no plan of its own. */
export interface Rehearsed {
  readonly id: string
  readonly folder: string
  /** Undefined for a skill without a plan. */
  readonly plan: Plan | undefined
  readonly overlay: string | undefined
}

/** Lines that are wrapped for a terminal could not be obeyed word for word. */
const WIDTH = 10_000

/** What comes of a command that does not run. */
const NOTHING: Ran = { code: 0, said: [] }

/** What is no part of a skill, but may be large. */
const LEFT_OUT = new Set(['.git', 'node_modules'])

/** A stage on which agents work with copies of a skill, each in a project of its own. */
export class Rehearsal {
  readonly skill: Rehearsed
  readonly #stage: Stage
  readonly #io: Io
  readonly #commands: readonly Command[]
  #windows = 0

  constructor(io: Io, commands: readonly Command[], skill: Rehearsed) {
    this.#io = io
    this.#commands = commands
    this.skill = skill
    this.#stage = new Stage(io, { kind: 'test', client: defaultClient })
    this.#stage.vanishAtExit()
  }

  /** Another name of our program in what agents read. */
  get launcher(): string {
    return this.#stage.remote.launch.home.launcher
  }

  /** A new window in a new project with a copy of the skill; of other commands, only git may run. */
  async open({ runs = false } = {}): Promise<Window> {
    const number = ++this.#windows
    const project = join(this.#stage.folder, `project-${number}`)
    // The root of a repository, so that a repository around the temporary folder does not matter.
    mkdirSync(join(project, '.git'), { recursive: true })
    const { id, folder, overlay } = this.skill
    const to = join(project, skillsFolder(defaultClient), id)
    cpSync(folder, to, {
      recursive: true,
      dereference: true,
      filter: (path) => !LEFT_OUT.has(basename(path)),
    })
    if (overlay !== undefined && existsSync(overlay)) {
      const file = join(project, OVERLAYS, `${id}.yaml`)
      mkdirSync(dirname(file), { recursive: true })
      cpSync(overlay, file)
    }
    this.#bringTexts(project)
    if (this.skill.plan?.steps.some(isOfModule) === true) await this.#trust(project)
    const window = new Window(defaultClient, this.#placeAt(project, runs), `rehearsal-${number}`)
    window.skill = id
    return window
  }

  /** The conventions and resources that the skill may name, from where the user is and from the user's own folder. */
  #bringTexts(project: string): void {
    const ofUser = (home: Home) => dirname(home.overlays)
    for (const kind of ['conventions', 'resources'])
      for (const [from, to] of [
        [join(this.#io.cwd, OUR_FOLDER), join(project, OUR_FOLDER)],
        [ofUser(findHome(this.#io.env)), ofUser(this.#stage.remote.launch.home)],
      ] as const)
        if (existsSync(join(from, kind))) cpSync(join(from, kind), join(to, kind), { recursive: true })
  }

  /** To name a skill for a test allows its module to run, and the private daemon to hold agents to it. */
  async #trust(project: string): Promise<void> {
    const io = this.#ioAt(project)
    const coded = await findCoded(io, { positionals: [this.skill.id], values: {}, switches: new Set() })
    const { module } = await runToTrust(io, coded)
    if ('error' in module) throw new EngineError('conflict', String(module.error))
    await this.#stage.remote.call('skill.trust', {
      name: coded.id,
      folder: coded.folder,
      cwd: project,
      code: coded.code.digest,
      exported: JSON.stringify(module.exported),
    })
  }

  async close(): Promise<void> {
    this.#stage.remote[Symbol.dispose]()
    await this.#stage.close()
  }

  #placeAt(project: string, runs: boolean): Place {
    const { remote } = this.#stage
    return {
      project,
      ask: <T>(method: string, params: Readonly<Record<string, unknown>>) => remote.call<T>(method, params),
      report: (payload) => this.#report(payload),
      run: (words, env, plays) => this.#run(words, project, env, plays),
      // Any other command is only told to the hooks: nothing of the skill runs here.
      other: (command) => (runs && command.startsWith('git ') ? this.git(project, command) : NOTHING),
    }
  }

  /** Runs one of our commands as a user does in a terminal. */
  async typed(project: string, words: readonly string[]): Promise<Ran> {
    return await this.#run(words, project, {}, () => ({}))
  }

  /** Runs a line of git in a project. */
  git(project: string, line: string): Ran {
    const options = {
      cwd: project,
      env: { ...this.#stage.env, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
    } as const
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], options)
    return { code: status ?? 1, said: [stdout, stderr] }
  }

  /** A session starts by a command, which may start the daemon and tells the environment. */
  async #report(payload: object): Promise<unknown> {
    const route = defaultClient.decode(payload).kind === 'session.started' ? 'command' : 'http'
    const answer = await this.#stage.fire(payload, route)
    if (answer === undefined) throw new Error('The daemon of the test does not answer.')
    return answer.reply.trim() === '' ? undefined : (JSON.parse(answer.reply) as unknown)
  }

  /** Runs one of our commands in this process, which takes a tenth of the time of one of its own. */
  async #run(words: readonly string[], cwd: string, env: Io['env'], plays: Plays['step']) {
    const [out, notes]: [string[], string[]] = [[], []]
    const how = { json: words.includes('--json'), isTerminal: false }
    const io: Io = {
      ...this.#ioAt(cwd),
      ...how,
      env: { ...this.#stage.env, ...env },
      out: (text, isMarkup) => void out.push(written(text, how, isMarkup)),
      note: (text) => void notes.push(written(text, how)),
      plays: { proof: (name) => this.#exitCodeOf(name), step: plays },
    }
    const code = await exitCodeOf(words, this.#commands, io, openDoor)
    return { code, said: [out.join(''), notes.join('')] }
  }

  #ioAt(cwd: string): Io {
    const { ask: _, draw: __, ...quiet } = this.#io
    return {
      ...quiet,
      env: this.#stage.env,
      cwd,
      entry: this.#stage.entry,
      program: PROGRAM,
      json: true,
      isTerminal: false,
      color: false,
      width: WIDTH,
      input: '',
      out: () => undefined,
      note: () => undefined,
    }
  }

  /** A proof goes as the plan expects. */
  #exitCodeOf(name: string): number {
    return isExpected(demandOf(this.skill.plan?.demands, name), true) ? 0 : 1
  }
}

/** True for a step that a workflow module says, not one of a pipeline. */
const isOfModule = ({ place }: Step): boolean => /(^|\/)workflow\.m?[jt]s$/.test(place.file)
