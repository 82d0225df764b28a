import { spawn } from 'node:child_process'
import type { DaemonStatus } from '../engine/context.ts'
import type { Way } from '../model/client.ts'
import type { Client } from './client.ts'
import type { Io } from './io.ts'

const LIMIT_MILLISECONDS = 10_000
/** An event that no client has, so that nothing comes of it. */
const EVENT = 'HoldfastCanary'

/** What came of one event on one way. */
export interface Canary {
  readonly way: string
  readonly ok: boolean
  readonly detail: string
}

/** Sends an event that means nothing as the client would send one, and looks whether the daemon has got it. */
export async function fireCanary(io: Io, daemon: Client, way: Way, cwd: string): Promise<Canary> {
  const name = way.kind === 'http' ? way.url.replace(/#.*/, '') : 'command'
  const payload = JSON.stringify({ hook_event_name: EVENT, session_id: 'holdfast-canary', cwd })
  const before = await daemon.call<DaemonStatus>('daemon.status')
  const problem = way.kind === 'http' ? await post(way, payload) : await run(io, way.command, payload, cwd)
  const after = await daemon.call<DaemonStatus>('daemon.status')
  // A hook never fails, so that only the daemon knows whether it came through.
  const isNew = after.pid !== before.pid || after.hooks > before.hooks
  if (problem !== undefined) return { way: name, ok: false, detail: problem }
  return isNew
    ? { way: name, ok: true, detail: 'answered' }
    : { way: name, ok: false, detail: 'it ended well, but nothing came to the daemon' }
}

async function post({ url, headers }: Way & { kind: 'http' }, body: string): Promise<string | undefined> {
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(LIMIT_MILLISECONDS),
    })
    return status === 200 ? undefined : `HTTP ${status}`
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    return error.cause instanceof Error ? error.cause.message : error.message
  }
}

/** As the client runs it: by a shell, with the event on stdin. */
async function run({ env }: Io, command: string, input: string, cwd: string): Promise<string | undefined> {
  const child = spawn('sh', ['-c', command], { cwd, env, timeout: LIMIT_MILLISECONDS })
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.stdout.resume()
  child.stdin.on('error', () => undefined).end(input)
  const ended = Promise.withResolvers<string | undefined>()
  child.on('error', (error) => ended.resolve(error.message))
  child.on('close', (code) =>
    ended.resolve(code === 0 ? undefined : `exit ${code ?? 'by a signal'}: ${said.trim()}`),
  )
  return await ended.promise
}
