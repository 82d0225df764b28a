import { execFileSync } from 'node:child_process'
import { clients } from '../../clients/index.ts'
import type { Environment } from '../../model/client-files.ts'
import type { CallerProcess } from '../../model/environment.ts'
import { EngineError } from '../../model/error.ts'
import { kindOfCommand } from '../../hook/commands.ts'
import { findProcess, textOf } from '../../daemon/processes.ts'

/** Nobody types a command this deep inside other programs. */
const MOST_PROCESSES = 200

/** The caller, as the CLI reports it to the daemon. */
interface Around {
  readonly sessions: readonly string[]
  readonly processes: readonly CallerProcess[]
}

/**
 * The sessions of clients that run this process: by its environment and those of its ancestors, because a process can
 * hide the client from its own environment, but not from theirs. The daemon knows the processes of clients too.
 */
export function callerAround(env: Environment): Around {
  const around = [...processes(process.pid)]
  if (around.length > MOST_PROCESSES) throw tooDeep()
  return {
    sessions: sessionsOf([env, ...around.map((one) => one.env)]),
    processes: around.flatMap(toldProcess),
  }
}

const sessionsIn = (env: Environment): readonly string[] =>
  [...clients.values()].flatMap((client) => client.sessionIn(env) ?? []).filter((session) => session !== '')

function toldProcess({ id, began, env }: Ancestor): readonly CallerProcess[] {
  const [session] = sessionsIn(env)
  return id === undefined || began === undefined
    ? []
    : [{ id, began, ...(session !== undefined && { session }) }]
}

/**
 * The sessions and processes around a client, for a prompt that the client tells of: those that started it. Only the
 * very line of a hook counts as between the client and us, because an agent can name it in the words of its own shell.
 */
export function callerOutside(env: Environment, own: { session: string; client: string }): Around {
  const inside = new Set(clientAround(own.client, isHookLine))
  const all = [...processes(process.pid)]
  const at = all.findIndex(({ id }) => id !== undefined && inside.has(id))
  const outside = all.slice(at + 1)
  const envs = outside.map((one) => one.env)
  // The client tells its own session to the hook. Around the client, the session is that of an agent that resumes it.
  if (at !== -1) return { sessions: sessionsOf(envs), processes: all.slice(at).flatMap(toldProcess) }
  return { sessions: sessionsOf([env, ...envs]).filter((one) => one !== own.session), processes: [] }
}

const sessionsOf = (envs: readonly Environment[]): readonly string[] => [...new Set(envs.flatMap(sessionsIn))]

const SHELL = /^(.*\/)?-?(ba|da|z|k|a)?sh$/

/** Whether the arguments of a shell make it a wrapper around a hook of a client. */
type IsWrapper = (words: readonly string[], client: string) => boolean

const namesHook: IsWrapper = (words, client) => words.join(' ').includes(`hook ${client}`)
const isHookLine: IsWrapper = ([option, line = '', ...more], client) =>
  option === '-c' && more.every((word) => word === '') && kindOfCommand(line, client) === 'hook'

/** The client that runs this hook: the nearest ancestor that is no shell around the command of the hook. */
export function clientAround(client: string, isWrapper = namesHook): readonly string[] {
  if (process.platform !== 'linux') return []
  for (const { id, pid } of processes(process.ppid)) {
    const [program = '', ...words] = textOf(`/proc/${pid}/cmdline`).split('\0')
    if (!SHELL.test(program) || !isWrapper(words, client)) return id === undefined ? [] : [id]
  }
  return []
}

const tooDeep = () =>
  new EngineError(
    'refused',
    `This command runs inside more than ${MOST_PROCESSES} other programs, so it cannot be known who calls, and only the user can run it. Next: ask the user to run it in a terminal of their own.`,
  )

/** A process and its ancestors, nearest first, as far as the system shows them. */
function* processes(pid: number): Generator<Ancestor> {
  for (let at = pid, count = 0; at > 1 && count <= MOST_PROCESSES; count++) {
    const one = process.platform === 'linux' ? readProc(at) : readPs(at)
    if (one === undefined) return
    yield one
    at = one.parent
  }
}

interface Ancestor {
  readonly pid: number
  readonly env: Environment
  readonly parent: number
  /** The number and the start of the process, because numbers are used again; only where the system shows both. */
  readonly id?: string
  /** When it began, in milliseconds of the clock. */
  readonly began?: number
}

/** The system counts the time of a process in hundredths of a second since it booted. */
const TICK_MILLISECONDS = 10

function readProc(pid: number): Ancestor | undefined {
  const found = findProcess(pid)
  if (found === undefined) return undefined
  const { parent, ticks, id } = found
  const booted = Date.now() - Number.parseFloat(textOf('/proc/uptime')) * 1000
  const env = variables(textOf(`/proc/${pid}/environ`).split('\0'))
  return { pid, env, parent, id, began: Math.round(booted + ticks * TICK_MILLISECONDS) }
}

function readPs(pid: number): Ancestor | undefined {
  try {
    const text = execFileSync('ps', ['-E', '-ww', '-o', 'ppid=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [parent = '', ...words] = text.trim().split(/\s+/)
    return { pid, env: variables(words), parent: Number(parent) }
  } catch {
    return undefined
  }
}

const variables = (words: readonly string[]): Environment =>
  Object.fromEntries(
    words
      .filter((word) => word.includes('='))
      .map((word) => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]),
  )
