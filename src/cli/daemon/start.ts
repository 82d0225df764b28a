import type { Home } from '../../daemon/home.ts'
import { EngineError, ERROR_CODES, type ErrorCode } from '../../model/error.ts'
import type { RpcConnection } from '../../rpc/connect.ts'
import { unlessStuck, unreachable } from './connect.ts'

/** Left to itself V8 lets the garbage of a busy hour grow to twice of what the daemon needs, and keeps it. */
const NODE_OPTIONS = ['--max-semi-space-size=4']

/** How to start a daemon: the file that Node runs, and the environment that says where. */
export interface Launch {
  readonly home: Home
  readonly entry: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Told where no daemon runs, before one is started. */
  readonly onStart?: () => void
}

/** Starts the process of a daemon, which may find another one in its place. */
export async function startDaemonProcess({ home, entry, env }: Launch) {
  const { spawn } = await import('node:child_process')
  const child = spawn(process.execPath, [...NODE_OPTIONS, entry, 'daemon', 'run'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    // As it was found from here: a relative path would lead the daemon elsewhere.
    env: { ...env, HOLDFAST_HOME: home.folder },
  })
  let said = ''
  let exit: Exit | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.on('error', (error) => void (exit = { failed: true, code: 1, said: error.message }))
  // Whoever killed it has said nothing of the next one.
  child.on('close', (code) => void (exit ??= { failed: (code ?? 0) !== 0, code, said: said.trim() }))
  return {
    exit: () => exit,
    /** Where another daemon serves, ours must not be left to take the place of one that is stopped later. */
    async withdraw(connection: RpcConnection) {
      const ping = connection.call('daemon.ping').catch(() => undefined)
      const serving = await unlessStuck(home, connection, ping)
      if ((serving as { pid: number } | undefined)?.pid !== child.pid) child.kill()
    },
    letGo() {
      child.stderr.destroy()
      child.unref()
    },
  }
}

interface Exit {
  readonly failed: boolean
  readonly code: number | null
  readonly said: string
}

/** The daemon has put what is wrong into its exit code, a sentence, and a line that says what to do. */
export function startFailure(home: Home, { code, said }: Exit): EngineError {
  const [message = '', hint, ...more] = said.split('\n')
  const kind = (Object.keys(ERROR_CODES) as ErrorCode[]).find((name) => ERROR_CODES[name].exit === code)
  if (kind === undefined || kind === 'internal' || more.length > 0) return unreachable(home, said)
  return new EngineError(kind, message, { hint: hint ?? 'holdfast doctor' })
}
