import type { Home } from '../../daemon/home.ts'
import { EngineError, ERROR_CODES, type ErrorCode } from '../../model/error.ts'
import type { RpcConnection } from '../../rpc/connect.ts'
import { unlessStuck, unreachable } from './connect.ts'

/** By default V8 lets the heap grow to twice what the daemon needs. */
const NODE_OPTIONS = ['--max-semi-space-size=4']

/** How to start a daemon: the script and the environment. */
export interface Launch {
  readonly home: Home
  readonly entry: string
  /** The Node that runs it; ours if undefined. */
  readonly node?: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called before a daemon is started. */
  readonly onStart?: () => void
}

/** Starts the process of a daemon, which exits if another one is already serving. */
export async function startDaemonProcess({ home, node = process.execPath, entry, env }: Launch) {
  const { spawn } = await import('node:child_process')
  const child = spawn(node, [...NODE_OPTIONS, entry, 'daemon', 'run'], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    cwd: '/',
    // The resolved path, because a relative one would mean another folder in the daemon.
    env: { ...env, HOLDFAST_HOME: home.folder },
  })
  let said = ''
  let exit: Exit | undefined
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.on('error', (error) => void (exit = { failed: true, code: 1, said: error.message }))
  // A killed daemon does not count as a failed start.
  child.on('close', (code) => void (exit ??= { failed: (code ?? 0) !== 0, code, said: said.trim() }))
  return {
    exit: () => exit,
    /** Ends our daemon if another one is serving, so that it cannot take over later. */
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

/** Builds the error from the exit code, message and hint of the daemon. */
export function startFailure(home: Home, { code, said }: Exit): EngineError {
  const [message = '', hint, ...more] = said.split('\n')
  const kind = (Object.keys(ERROR_CODES) as ErrorCode[]).find((name) => ERROR_CODES[name].exit === code)
  if (kind === undefined || kind === 'internal' || more.length > 0) return unreachable(home, said)
  return new EngineError(kind, message, { hint: hint ?? 'holdfast doctor' })
}
