import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createConnection, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectTo } from '../../src/cli/daemon/connect.ts'
import { stopDaemon } from '../../src/cli/daemon/stop.ts'
import { findHome } from '../../src/daemon/home.ts'
import { readKeys } from '../../src/daemon/keys.ts'
import type { DaemonStatus } from '../../src/engine/call/context.ts'
import { pipeCommand } from '../../src/hook/commands.ts'
import { shellWord } from '../../src/model/shell/word.ts'
import { User } from '../holdfast.ts'
import { HookedClient } from '../hooked-client.ts'

interface ConnectionsOptions {
  /** Connections that say nothing, on each of the two doors. */
  readonly idle: number
  readonly readers: number
  /** Hooks to measure before and during the reading. */
  readonly hooks: number
  /** The program of the daemon. */
  readonly daemon: string
  readonly log: (line: string) => void
}

export interface ConnectionsReport {
  readonly violations: readonly string[]
  readonly baseline: Latency
  /** The same hooks while callers ask for much and read slowly or never. */
  readonly beside: Latency
  readonly drops: number | undefined
}

interface Latency {
  readonly p50: number
  readonly p99: number
}

/** The limit of open files that most systems give to a process. */
const FILES = 1024
const MESSAGES = 300
const SESSION = '0d6b7c1e-5a53-4c53-9d7e-2f3a0c9a1b11'
/** The number of that session. */
const FIRST_SESSION = 1
const SLOW_MILLISECONDS = 50

/** Callers without a token that keep connections, and callers that do not read; the gate must stay closed. */
export async function connectionsRun(options: ConnectionsOptions): Promise<ConnectionsReport> {
  const { idle, readers, hooks, daemon, log } = options
  await using user = new User()
  const violations: string[] = []
  await install(user)
  const line = `ulimit -n ${FILES}; exec ${shellWord(process.execPath)} ${shellWord(daemon)} daemon run`
  const child = spawn('sh', ['-c', line], { env: user.env, stdio: 'ignore' })
  const held: Socket[] = []
  try {
    const port = await untilOpen(user)
    const client = await begun(user)
    const refused = async (when: string): Promise<number> => {
      const { refusals, failures, milliseconds } = await client.fire('PreToolUse', readOf(user, 2))
      if (refusals.length === 0) violations.push(`${when}: step 2 was not refused. ${failures.join(' ')}`)
      return milliseconds
    }
    const baseline = await measured(hooks, () => refused('alone'))
    log(`alone: ${JSON.stringify(baseline)}`)

    const { socket, folder } = findHome(user.env)
    for (const where of [{ port, host: '127.0.0.1' }, { path: socket }])
      for (let count = 0; count < idle; count++) held.push(await opened(where))
    await refused(`with ${idle} idle connections on each door`)
    // The client may have kept a connection; a pipe makes a new one.
    const piped = await client.shell(pipeCommand({ client: 'claude-code', home: folder }), {
      session_id: SESSION,
      cwd: user.project,
      hook_event_name: 'PreToolUse',
      ...readOf(user, 2),
    })
    if (!piped.stdout.includes('"deny"'))
      violations.push(`with ${idle} idle connections on each door: the pipe did not refuse step 2.`)
    const told = await user.run(['task', 'list'])
    if (told.code !== 0) violations.push(`with idle connections, a command failed: ${told.stderr}`)
    log(`${idle} idle connections on each door`)

    const reading = new AbortController()
    for (let count = 0; count < readers; count++) held.push(await greedy(socket, count, reading.signal))
    const beside = await measured(hooks, () => refused('beside greedy readers'))
    reading.abort()
    log(`beside ${readers} greedy readers: ${JSON.stringify(beside)}`)
    return { violations, baseline, beside, drops: await dropsOf(user) }
  } finally {
    for (const one of held) one.destroy()
    await ended(child)
  }
}

/** A project with a skill of three steps, and the hooks as `init` writes them. */
async function install(user: User): Promise<void> {
  mkdirSync(join(user.project, '.git'))
  mkdirSync(join(skillOf(user), 'steps'), { recursive: true })
  writeFileSync(
    join(skillOf(user), 'SKILL.md'),
    '---\nname: flow\ndescription: Flows.\n---\n\nRead the steps.\n',
  )
  for (const step of [1, 2, 3]) {
    const consumes = step === 1 ? 'user-request' : `result-${step - 1}`
    writeFileSync(
      stepOf(user, step),
      `---\nconsumes: [${consumes}]\nproduces: [result-${step}]\n---\n\nDo it.\n`,
    )
  }
  const { code, stderr } = await user.run(['init', '--yes'])
  if (code !== 0) throw new Error(stderr)
  await stopDaemon(findHome(user.env))
}

const skillOf = ({ project }: User): string => join(project, '.claude', 'skills', 'flow')
const stepOf = (user: User, step: number): string => join(skillOf(user), 'steps', `step-${step}.md`)

const readOf = (user: User, step: number) => ({
  tool_name: 'Read',
  tool_input: { file_path: stepOf(user, step) },
  tool_use_id: crypto.randomUUID(),
})

/** A session that called the skill, with as many messages as a long one has. */
async function begun(user: User): Promise<HookedClient> {
  const client = new HookedClient(user, SESSION, { limit: 5000 })
  await client.fire('SessionStart', { source: 'startup' })
  await client.use('Skill', { skill: 'flow' })
  const connection = await connectTo(findHome(user.env))
  const content = 'x'.repeat(8000)
  const message = { session_id: FIRST_SESSION, role: 'user', content }
  for (let count = 0; count < MESSAGES; count++) await connection?.call('db.messages.append', message)
  connection?.close()
  return client
}

/** Waits until the daemon takes hooks; returns its port. */
async function untilOpen(user: User): Promise<number> {
  const home = findHome(user.env)
  for (; ; await sleep(20)) {
    const connection = await connectTo(home)
    if (connection === undefined) continue
    const { http } = (await connection.call('daemon.status')) as DaemonStatus
    connection.close()
    const { port } = readKeys(home)
    if (http.listening && port !== undefined) return port
  }
}

/** Tries again while the queue of the daemon is full. */
async function opened(where: { port: number; host: string } | { path: string }): Promise<Socket> {
  for (; ; await sleep(5)) {
    const socket = createConnection(where)
    const isOpen = await new Promise<boolean>((resolve) => {
      socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    })
    if (isOpen) return socket
  }
}

/** Asks for large answers without end; every second one never reads, the others read slowly. */
async function greedy(path: string, index: number, signal: AbortSignal): Promise<Socket> {
  const socket = await opened({ path })
  const request = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'db.messages.list', params: { session_id: FIRST_SESSION, limit: 1000 } })}\n`
  const ask = () => {
    while (!signal.aborted && !socket.destroyed && socket.write(request.repeat(100)));
  }
  socket.on('drain', ask)
  socket.pause()
  const timer = setInterval(() => {
    if (index % 2 === 0) socket.read(65_536)
  }, SLOW_MILLISECONDS)
  socket.on('close', () => clearInterval(timer))
  ask()
  return socket
}

async function measured(count: number, work: () => Promise<number>): Promise<Latency> {
  const times: number[] = []
  for (let one = 0; one < count; one++) times.push(await work())
  const sorted = times.toSorted((a, b) => a - b)
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0
  return { p50: at(0.5), p99: at(0.99) }
}

/** Undefined if the daemon takes no more calls. */
async function dropsOf(user: User): Promise<number | undefined> {
  const connection = await connectTo(findHome(user.env))
  const status = await connection?.call('daemon.status').catch(() => undefined)
  connection?.close()
  return (status as DaemonStatus | undefined)?.drops
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}
