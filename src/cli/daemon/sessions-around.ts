import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { clients } from '../../clients/index.ts'
import type { Environment } from '../../model/client-files.ts'
import { EngineError } from '../../model/error.ts'

/** Nobody types a command this deep inside other programs. */
const MOST_PROCESSES = 200

/**
 * The sessions of clients that run this process: by its environment and those of its ancestors, because a process can
 * hide the client from its own environment, but not from theirs.
 */
export function sessionsAround(env: Environment): readonly string[] {
  const around = [...processes(process.ppid)]
  if (around.length > MOST_PROCESSES) throw tooDeep()
  const found = [env, ...around.map((one) => one.env)].flatMap((one) =>
    [...clients.values()].flatMap((client) => client.sessionIn(one) ?? []),
  )
  return [...new Set(found.filter((session) => session !== ''))]
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
  readonly env: Environment
  readonly parent: number
}

function readProc(pid: number): Ancestor | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  // The name of the program stands in parentheses, and may hold any character.
  const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === ''
    ? undefined
    : { env: variables(readText(`/proc/${pid}/environ`).split('\0')), parent: Number(parent) }
}

function readPs(pid: number): Ancestor | undefined {
  try {
    const text = execFileSync('ps', ['-E', '-ww', '-o', 'ppid=,command=', '-p', String(pid)], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [parent = '', ...words] = text.trim().split(/\s+/)
    return { env: variables(words), parent: Number(parent) }
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

/** A process of another user shows nothing. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
