import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { randomBytes, randomInt } from 'node:crypto'
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'pg'
import { memoryDisk } from './memory-disk.ts'
import { ENV, giveTo, type Place, serverAccount, usableNative } from './postgres-programs.ts'

/** A real PostgreSQL server, as durable as in production unless it is volatile. */
export interface Postgres {
  /** The URL of the maintenance database `postgres`. */
  readonly url: string
  /** The server's process, until `restart` makes a new one. */
  readonly pid: number
  /** Creates an empty database and returns its URL. */
  createDatabase(): Promise<string>
  /** Kills every process of the server like a crash, and resolves when all are gone. */
  kill(): Promise<void>
  /** Starts the server again on the same data and port. */
  restart(): Promise<void>
  /** Shuts the server down cleanly and removes its data. */
  stop(): Promise<void>
}

interface Launched {
  readonly child: ChildProcess
  readonly ended: Promise<void>
  /** How it ended, once it has. */
  end?: string
}

const USER = 'holdfast'
/** Settings for a server that never crashes and ends soon; fsync stays on, because the engine requires it. */
const VOLATILE = 'full_page_writes=off wal_level=minimal max_wal_senders=0 autovacuum=off scram_iterations=1'
  .split(' ')
  .map((setting) => `--set=${setting}`)
/** A killed server leaves its shared memory to the code that removes its folder. */
const SHARED_MEMORY = ['--set=dynamic_shared_memory_type=mmap']
const READY_WITHIN_MS = 60_000

// Its input ends with us however we die; an exit handler would miss a signal.
const GUARD = `
trap '' INT TERM HUP
while read -r line; do pid=$line; done
if [ -n "$pid" ]; then
  kill -QUIT "$pid"
  for i in 1 2 3 4 5 6 7 8 9; do kill -0 "$pid" && sleep 1; done
  kill -KILL "$pid"
fi
rm -rf "$0"
`

/** Starts a server; if no test crashes it, it may be `volatile` and keep its data in memory. */
export async function startPostgres({ volatile = false } = {}): Promise<Postgres> {
  const account = serverAccount()
  const folder = mkdtempSync(join(volatile ? memoryDisk : tmpdir(), 'holdfast-postgres-'))
  const guard = new Guard(folder)
  try {
    giveTo(account, folder)
    const place = { folder, account, native: usableNative(folder, account) }
    const url = await initialize(place, volatile ? VOLATILE : [])
    const server = new Server(place, guard, url)
    await server.restart()
    return server
  } catch (error) {
    await guard.dismiss()
    throw error
  }
}

/** Creates a database with a unique name on the server of the URL, empty or a copy, and returns its URL. */
export async function createDatabase(url: string, template = 'template0'): Promise<string> {
  const name = `test_${randomBytes(8).toString('hex')}`
  // template0 accepts no connections, and a connection to the template would make this fail.
  await execute(url, `create database ${name} template ${template} strategy file_copy`)
  const created = new URL(url)
  created.pathname = `/${name}`
  return created.href
}

/** The same database over the server's socket, which costs a third less than TCP. */
export async function overSocket(url: string): Promise<string> {
  const [{ unix_socket_directories: folder = '' } = {}] = await execute(url, 'show unix_socket_directories')
  const there = new URL(url)
  there.searchParams.set('host', folder)
  return there.href
}

class Server implements Postgres {
  readonly url: string
  readonly #place: Place
  readonly #guard: Guard
  #launched: Launched | undefined
  #stopped = false

  constructor(place: Place, guard: Guard, url: string) {
    this.url = url
    this.#place = place
    this.#guard = guard
  }

  get pid(): number {
    const pid = this.#launched?.child.pid
    if (pid === undefined) throw new Error('PostgreSQL has no process because it was never started')
    return pid
  }

  createDatabase(): Promise<string> {
    return createDatabase(this.url)
  }

  async kill(): Promise<void> {
    const { child, ended } = this.#running() ?? {}
    if (child?.pid === undefined) return
    // A stopped parent neither starts nor reaps children, so these pids cannot be reused.
    child.kill('SIGSTOP')
    for (let pids = childrenOf(child.pid); pids.length > 0; pids = childrenOf(child.pid)) {
      for (const pid of pids) killQuietly(pid)
      await delay(10)
    }
    child.kill('SIGKILL')
    await ended
  }

  async restart(): Promise<void> {
    if (this.#stopped) throw new Error('PostgreSQL cannot start again because its data was removed')
    await this.#shutDown()
    this.#launched = launch(this.#place, 'postgres', [])
    this.#guard.watch(this.#launched)
    try {
      await ready(this.#place, this.#launched, this.url)
    } catch (error) {
      await this.kill()
      throw error
    }
  }

  async stop(): Promise<void> {
    if (this.#stopped) return
    try {
      // A killed server leaves shared memory that only the next start on its data frees.
      if (this.#running() === undefined) await this.restart()
      await this.#shutDown()
    } finally {
      this.#stopped = true
      await this.#guard.dismiss()
    }
  }

  #running(): Launched | undefined {
    return this.#launched?.end === undefined ? this.#launched : undefined
  }

  async #shutDown(): Promise<void> {
    const running = this.#running()
    // SIGINT is the shutdown that does not wait for clients.
    running?.child.kill('SIGINT')
    await running?.ended
  }
}

/** Removes the server and its folder if our process dies first. */
class Guard {
  readonly #folder: string
  readonly #child: ChildProcess

  constructor(folder: string) {
    this.#folder = folder
    const options: SpawnOptions = { cwd: '/', env: ENV, stdio: ['pipe', 'ignore', 'ignore'] }
    this.#child = spawn('/bin/sh', ['-c', GUARD, folder], options)
    // A guard that failed is not an error: it only covers accidents.
    this.#child.on('error', () => {})
    this.#child.stdin?.on('error', () => {})
    this.#child.unref()
  }

  watch(launched: Launched): void {
    this.#child.stdin?.write(`${launched.child.pid ?? ''}\n`)
    void launched.ended.then(() => this.#child.stdin?.write('\n'))
  }

  async dismiss(): Promise<void> {
    this.#child.kill('SIGKILL')
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Creates the data folder and returns the URL of its future server. */
async function initialize(place: Place, more: readonly string[]): Promise<string> {
  const port = await freePort()
  const password = randomBytes(16).toString('hex')
  const passwordFile = join(place.folder, 'password')
  writeFileSync(passwordFile, password)
  giveTo(place.account, passwordFile)
  // Other settings stay as in production: fsync and synchronous_commit are on.
  const local = `--set=port=${port} --set=listen_addresses=127.0.0.1 --set=unix_socket_directories=${place.folder}`
  const small = '--set=shared_buffers=32MB --set=max_connections=200'
  const options = `--username=${USER} --auth=scram-sha-256 --encoding=UTF8 --no-locale --no-sync`
  const args = `${options} ${local} ${small}`.split(' ')
  const initdb = launch(place, 'initdb', [...args, ...SHARED_MEMORY, ...more, `--pwfile=${passwordFile}`])
  await initdb.ended
  if (initdb.child.exitCode !== 0) throw failure(place, `initdb ${initdb.end}`)
  return `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`
}

async function ready(place: Place, launched: Launched, url: string): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS
  for (;;) {
    const answered = execute(url, 'select 1').then(() => undefined, String)
    const problem = await Promise.race([answered, launched.ended])
    if (launched.end !== undefined) throw failure(place, `postgres ${launched.end}`)
    if (problem === undefined) return
    if (Date.now() > deadline) throw failure(place, `postgres took no connection in time (${problem})`)
    await delay(50)
  }
}

function launch({ folder, account, native }: Place, program: string, args: string[]): Launched {
  // A file, unlike a pipe, needs no reader and survives the process.
  const log = openSync(join(folder, 'log'), 'a')
  const env = { ...ENV, PGDATA: join(folder, 'data') }
  const options: SpawnOptions = { cwd: folder, env, stdio: ['ignore', log, log], ...account }
  const child = spawn(join(native, 'bin', program), args, options)
  closeSync(log)
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const launched: Launched = { child, ended }
  const finish = (how: string): void => {
    launched.end = how
    end()
  }
  child.once('error', (error) => finish(`did not run (${error.message})`))
  child.once('exit', (code, signal) =>
    finish(signal === null ? `ended with code ${code}` : `died of ${signal}`),
  )
  return launched
}

function failure({ folder }: Place, why: string): Error {
  const tail = readFileSync(join(folder, 'log'), 'utf8').trim().split('\n').slice(-6).join('\n')
  return new Error(`PostgreSQL cannot start because ${why}, having said at last:\n${tail}`)
}

/** The living children of a process, without zombies, which may wait for a reaper forever. */
export function childrenOf(parent: number): number[] {
  return processTable()
    .filter(([, state, ppid]) => Number(ppid) === parent && state?.startsWith('Z') === false)
    .map(([pid]) => Number(pid))
}

/** Rows of pid, state and parent; read from /proc on Linux, where small images have no ps. */
function processTable(): string[][] {
  if (process.platform === 'linux') return readdirSync('/proc').map(statOf)
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,stat=,ppid='], { encoding: 'utf8' })
  return stdout.split('\n').map((line) => line.trim().split(/\s+/))
}

function statOf(pid: string): string[] {
  if (!/^\d+$/.test(pid)) return []
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name before the state may contain spaces and parentheses.
    return [pid, ...stat.slice(stat.lastIndexOf(')') + 2).split(' ', 2)]
  } catch {
    return []
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself meanwhile.
  }
}

/**
 * Below the ports for outgoing connections, because a reconnecting client could otherwise get the server's own
 * port.
 */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768)
    if (await isFree(port)) return port
  }
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve: answer, reject } = Promise.withResolvers<boolean>()
  const server = createServer().listen(port, '127.0.0.1', () => server.close(() => answer(true)))
  server.once('error', (error: NodeJS.ErrnoException) =>
    error.code === 'EADDRINUSE' ? answer(false) : reject(error),
  )
  return promise
}

async function execute(url: string, sql: string): Promise<readonly Readonly<Record<string, string>>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 10_000 })
  // If the server dies, the error must not end our process; the query fails anyway.
  client.on('error', () => {})
  await client.connect()
  return (await client.query<Record<string, string>>(sql).finally(() => client.end())).rows
}
