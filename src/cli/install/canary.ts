import { spawn } from 'node:child_process'
import { CANARY_SESSION } from '../../model/canary.ts'
import type { Handler, Way } from '../../model/client-settings.ts'
import type { Canary, Client as AgentClient } from '../../model/client.ts'
import type { Remote } from '../daemon/remote.ts'
import type { Io } from '../frame/io.ts'

const LIMIT_MILLISECONDS = 10_000

/** The installed hooks to test. */
export interface Hooked {
  readonly client: AgentClient
  readonly text: string
  readonly project: string
  /** Environment variables that the client adds for its hooks. */
  readonly env?: Readonly<Record<string, string>>
}

/** The result of one event over one route. */
export interface Trial {
  readonly event: string
  readonly way: string
  readonly ok: boolean
  /** `route`: the daemon did not receive it. `gate`: the client would not understand the reply. */
  readonly fault?: 'route' | 'gate'
  readonly detail: string
}

/** Sends every event as the client would, through each of our handlers. */
export async function tryHooks(
  io: Io,
  daemon: Remote,
  hooked: Hooked,
  isTried: (handler: Handler) => boolean = () => true,
): Promise<readonly Trial[]> {
  const session = `${CANARY_SESSION}${crypto.randomUUID()}`
  const trials: Trial[] = []
  for (const canary of hooked.client.canaries(session))
    for (const handler of hooked.client.settings.called(hooked.text, canary))
      if (isTried(handler))
        trials.push(await untilOk(() => tryOne(io, { daemon, hooked, session }, canary, handler)))
  return trials
}

const TRIES = 3

/** Retries, because a slow hook on a busy machine is not broken. */
async function untilOk<T extends { readonly ok: boolean }>(work: () => Promise<T>): Promise<T> {
  let trial = await work()
  for (let tries = 1; tries < TRIES && !trial.ok; tries++) trial = await work()
  return trial
}

/** Runs a status line as the client would; returns the problem, if any. */
export async function tryLine(
  io: Io,
  daemon: Remote,
  line: { readonly client: AgentClient; readonly command: string; readonly project: string },
): Promise<string | undefined> {
  const session = `${CANARY_SESSION}${crypto.randomUUID()}`
  const payload = JSON.stringify(line.client.statusLine?.(session, line.project) ?? {})
  const trial = await untilOk(async () => {
    const { problem } = await run(io, { kind: 'command', command: line.command }, payload, line)
    if (problem !== undefined) return { ok: false, detail: problem }
    return (await eventsOf(daemon, session)).length > 0 ? { ok: true, detail: '' } : NOTHING_CAME
  })
  return trial.ok ? undefined : trial.detail
}

/** Hooks and status lines never fail, so only the daemon knows whether an event arrived. */
async function eventsOf(daemon: Remote, session: string): Promise<readonly string[]> {
  const { events } = await daemon.call<{ events: readonly string[] }>('daemon.canary', { session })
  return events
}

const NOTHING_CAME = { ok: false, detail: 'it exited with 0, but the daemon received no event' } as const

interface Stage {
  readonly daemon: Remote
  readonly hooked: Hooked
  readonly session: string
}

async function tryOne(
  io: Io,
  { daemon, hooked, session }: Stage,
  canary: Canary,
  { way, isGuard }: Handler,
): Promise<Trial> {
  const { event, wants } = canary
  const about = { event, way: nameOf(way) }
  const payload = JSON.stringify(canary.payload)
  const count = async () => (await eventsOf(daemon, session)).filter((name) => name === event).length
  const before = await count()
  const { problem, reply } =
    way.kind === 'http' ? await post(way, payload) : await run(io, way, payload, hooked)
  if (problem !== undefined) return { ...about, ok: false, fault: 'route', detail: problem }
  if (isGuard) return { ...about, ok: true, detail: 'passes while the daemon answers' }
  if ((await count()) === before) return { ...about, fault: 'route', ...NOTHING_CAME }
  const heard = hooked.client.heard(reply, event)
  if (heard === wants || (wants === 'nothing' && heard === 'context'))
    return { ...about, ok: true, detail: wants === 'refusal' ? 'refused' : 'answered' }
  const detail = `the client must read ${wants === 'nothing' ? 'nothing or a context' : `a ${wants}`} in the reply, but reads: ${heard}`
  return { ...about, ok: false, fault: 'gate', detail }
}

const nameOf = (way: Way): string => (way.kind === 'http' ? way.url.replace(/#.*/, '') : 'command')

interface Outcome {
  readonly problem?: string
  readonly reply: string
}

async function post({ url, headers }: Way & { kind: 'http' }, body: string): Promise<Outcome> {
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(LIMIT_MILLISECONDS),
    })
    const reply = await answer.text()
    return answer.status === 200 ? { reply } : { reply, problem: `HTTP ${answer.status}` }
  } catch (error) {
    if (!(error instanceof Error)) return { reply: '', problem: String(error) }
    return { reply: '', problem: error.cause instanceof Error ? error.cause.message : error.message }
  }
}

/** Runs a command as the client does: in a shell, with the event on stdin. */
async function run(
  { env }: Io,
  { command }: Way & { kind: 'command' },
  input: string,
  place: Pick<Hooked, 'project' | 'env'>,
): Promise<Outcome> {
  const child = spawn('sh', ['-c', command], {
    cwd: place.project,
    env: { ...env, ...place.env },
    timeout: LIMIT_MILLISECONDS,
  })
  let [said, reply] = ['', '']
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (said += text))
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (reply += text))
  child.stdin.on('error', () => undefined).end(input)
  const ended = Promise.withResolvers<Outcome>()
  child.on('error', (error) => ended.resolve({ reply, problem: error.message }))
  child.on('close', (code) =>
    ended.resolve(
      code === 0 ? { reply } : { reply, problem: `exit ${code ?? 'by a signal'}: ${said.trim()}` },
    ),
  )
  return await ended.promise
}
