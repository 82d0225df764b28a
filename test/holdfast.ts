import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, dirname, join, resolve } from 'node:path'
import { findHome } from '../src/daemon/home.ts'
import { commands } from '../src/cli/commands/index.ts'
import { openDoor } from '../src/cli/daemon/door.ts'
import { stopDaemon } from '../src/cli/daemon/stop.ts'
import type { Command } from '../src/cli/frame/command.ts'
import { exitCodeOf } from '../src/cli/frame/dispatch.ts'
import { type Io, systemIo, wantsColor, written } from '../src/cli/frame/io.ts'
import { runInit } from '../src/cli/install/init.ts'
import { shellWord } from '../src/model/shell/word.ts'
import { shared } from './shared.ts'

/**
 * The folder of the programs, bundled by each run, because one file starts four times as fast; undefined outside of
 * a run.
 */
export const programs = await shared('programs')

/** The file that Node runs for a source file: its bundle, or the source itself outside of a run. */
const programOf = (source: string, name: string): string =>
  programs === undefined ? resolve(source) : join(programs, `${name}.cjs`)

/** The unbundled program in the sources. */
export const SOURCE = resolve('src/cli/main.ts')

/** A text without the line breaks that fit it to a width. */
export const unwrapped = (text: string): string => text.replaceAll(/\n +/g, ' ')

/** The program. */
export const ENTRY = programOf(SOURCE, 'cli')

/** A daemon for tests, such as `test/odd-daemon.ts`. */
export const testDaemon = (source: string): string => programOf(source, basename(source, '.ts'))

/** Node's variable for the folder with the compile cache of a run; see `keepCompiled`. */
const COMPILE_CACHE = 'NODE_COMPILE_CACHE'

/** Lets all processes of a run compile each file once; the cache goes last, because workers write it as they end. */
export function keepCompiled(): void {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-compiled-'))
  process.env[COMPILE_CACHE] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
}

let bin: string | undefined

/** The folder with the command `holdfast`, which all users of this process share. */
function installed(): string {
  if (bin !== undefined) return bin
  const folder = (bin = mkdtempSync(join(tmpdir(), 'holdfast-bin-')))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const script = `#!/bin/sh\nexec '${process.execPath}' '${ENTRY}' "$@"\n`
  writeFileSync(join(folder, 'holdfast'), script, { mode: 0o755 })
  return folder
}

/** Commands that use their own stdin, stdout or signals. */
const OWN_PROCESS =
  /^(--json )?(hook|prove|demo|skill test|daemon run|ledger .*(-f|--follow)|logs .*(-f|--follow))\b/

/** All commands, with an `init` that does not test the hooks. */
const UNTESTED = commands.map((one): Command =>
  one.name === 'init' ? { ...one, run: (io, given) => runInit(io, given, () => Promise.resolve([])) } : one,
)

/** Runs a hook as a client does; its words are in a variable, because a shell with them is none. */
export const AS_CLIENT = 'eval "$HOOK"; exit "$?"'

/** The surroundings of a command. */
interface Around {
  readonly input?: string
  readonly cwd?: string
  /** Additional variables; undefined removes one. */
  readonly env?: Readonly<Record<string, string | undefined>>
  /** The columns of the terminal; without a terminal, 80 are assumed. */
  readonly width?: number
  /** Another program than that of this run. */
  readonly entry?: string
  /** Other commands than those of the program. */
  readonly known?: readonly Command[]
}

export interface Finished {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A separate user, with a home, a project folder and nothing of the machine's. */
export class User {
  /** Its name is short, so that lines with paths are rarely wrapped. */
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-')))
  readonly project = join(this.folder, 'project')
  /** The folder with the settings of their client. */
  readonly clientConfig = join(this.folder, 'user', '.claude')
  /** The command `holdfast` on their PATH, as after an installation. */
  readonly holdfast = join(installed(), 'holdfast')
  readonly env: Readonly<Record<string, string>>

  constructor(more: Readonly<Record<string, string>> = {}) {
    mkdirSync(this.project)
    const compiled = process.env[COMPILE_CACHE]
    this.env = {
      PATH: [dirname(this.holdfast), process.env['PATH']].join(delimiter),
      HOME: join(this.folder, 'user'),
      CLAUDE_CONFIG_DIR: this.clientConfig,
      HOLDFAST_HOME: join(this.folder, 'home'),
      ...(compiled !== undefined && { [COMPILE_CACHE]: compiled }),
      ...more,
    }
  }

  /** Runs one command to its end, in this process if possible, which takes a tenth of the time. */
  async run(words: readonly string[], options: Around = {}): Promise<Finished> {
    if (options.entry !== undefined || OWN_PROCESS.test(words.join(' ')))
      return await this.process(words, options)
    const { input = '', cwd = this.project } = options
    const [out, err]: [string[], string[]] = [[], []]
    const env = { ...this.env, ...options.env }
    const how = { json: words.includes('--json'), isTerminal: options.width !== undefined }
    const io: Io = {
      ...systemIo(how.json),
      env,
      cwd,
      entry: ENTRY,
      color: wantsColor(env, false),
      isTerminal: how.isTerminal,
      width: options.width ?? 80,
      input,
      out: (text, isMarkup) => void out.push(written(text, how, isMarkup)),
      note: (text) => void err.push(written(text, how)),
    }
    const code = await exitCodeOf(words, options.known ?? commands, io, openDoor)
    return { code, stdout: out.join(''), stderr: err.join('') }
  }

  /** Runs one command to its end in its own process, for stories about processes. */
  process(words: readonly string[], options: Around = {}): Promise<Finished> {
    return new Promise((done, failed) => {
      const line = [process.execPath, options.entry ?? ENTRY, ...words]
      const HOOK = line.map(shellWord).join(' ')
      const [program = '', ...rest] = words.includes('hook') ? ['sh', '-c', AS_CLIENT] : line
      const child = spawn(program, rest, {
        cwd: options.cwd ?? this.project,
        env: { ...this.env, ...options.env, ...(words.includes('hook') && { HOOK }) },
      })
      const out: string[] = []
      const err: string[] = []
      child.stdout.setEncoding('utf8').on('data', (text: string) => void out.push(text))
      child.stderr.setEncoding('utf8').on('data', (text: string) => void err.push(text))
      child.on('error', failed)
      child.on('close', (code) => done({ code: code ?? -1, stdout: out.join(''), stderr: err.join('') }))
      child.stdin.on('error', () => undefined)
      child.stdin.end(options.input ?? '')
    })
  }

  /** The --json output of a command; it must succeed. */
  async json<T>(words: readonly string[], options: Around = {}): Promise<T> {
    const { code, stdout, stderr } = await this.run(['--json', ...words], options)
    if (code !== 0) throw new Error(`holdfast ${words.join(' ')} exited with ${code}: ${stderr}`)
    return JSON.parse(stdout) as T
  }

  /** The --json output of `init --yes` without its test of every hook, which takes twenty processes. */
  async wire<T>(words: readonly string[] = [], options: Around = {}): Promise<T> {
    return await this.json<T>(['init', '--yes', ...words], { ...options, known: UNTESTED })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await stopDaemon(findHome(this.env)).catch(() => undefined)
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 })
  }
}
