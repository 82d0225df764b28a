import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmdirSync, rmSync, statfsSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectTo } from '../src/cli/daemon/connect.ts'
import { untilGone } from '../src/cli/daemon/process.ts'
import { stopDaemon } from '../src/cli/daemon/stop.ts'
import { findHome } from '../src/daemon/home.ts'
import { readKeys } from '../src/daemon/keys.ts'
import type { DaemonStatus } from '../src/engine/call/context.ts'
import type { User } from './holdfast.ts'
import { untilFree } from './torture/free.ts'

/** A real failure of a daemon. */
export interface Failure {
  /** What the refused agent reads about it. */
  readonly says: RegExp
  /** The hooks that it prevents: all of them, or only those that change something. */
  readonly strikes: 'all' | 'changes'
  /** Whether events over the socket are received afterwards. */
  readonly isHeard?: true
  /** Why it cannot happen on this machine. */
  readonly cannot?: string
  /** Milliseconds after which a client gives up if no answer ever comes. */
  readonly limit?: number
  /** Causes the failure, and returns the function that ends it. */
  begin(user: User): Promise<() => Promise<void> | void>
}

const homeOf = (user: User) => findHome(user.env)

async function pidOf(user: User): Promise<number> {
  const connection = await connectTo(homeOf(user))
  if (connection === undefined) throw new Error('No daemon runs.')
  const { pid } = (await connection.call('daemon.status')) as DaemonStatus
  connection.close()
  return pid
}

const HOLDS_LOCK = `
  const db = new (require('node:sqlite').DatabaseSync)(process.argv[1], { timeout: 60_000 })
  db.exec('begin immediate')
  console.log('locked')
  process.stdin.resume()`

const NOBODY_ANSWERS = /does not answer|onFailure/

const EVERYWHERE: Readonly<Record<string, Failure>> = {
  'another program has locked the database': {
    says: /Another program has locked the database/,
    strikes: 'all',
    async begin(user) {
      const child = spawn(process.execPath, ['-e', HOLDS_LOCK, homeOf(user).database])
      await once(child.stdout, 'data')
      return async () => {
        child.kill('SIGKILL')
        await once(child, 'close')
      }
    },
  },
  'the daemon is stopped': {
    says: NOBODY_ANSWERS,
    strikes: 'all',
    async begin(user) {
      await stopDaemon(homeOf(user))
      return () => undefined
    },
  },
  'the daemon is killed': {
    says: NOBODY_ANSWERS,
    strikes: 'all',
    async begin(user) {
      process.kill(await pidOf(user), 'SIGKILL')
      await untilFree(homeOf(user))
      return () => undefined
    },
  },
  'the daemon hangs': {
    says: NOBODY_ANSWERS,
    strikes: 'all',
    isHeard: true,
    limit: 1000,
    async begin(user) {
      const pid = await pidOf(user)
      process.kill(pid, 'SIGSTOP')
      return () => void process.kill(pid, 'SIGCONT')
    },
  },
  'a stranger has its port and sends garbage': {
    says: NOBODY_ANSWERS,
    strikes: 'all',
    async begin(user) {
      const { port } = readKeys(homeOf(user))
      await stopDaemon(homeOf(user))
      const sockets = new Set<Socket>()
      const stranger = createServer((socket) => {
        sockets.add(socket.on('error', () => undefined))
        socket.once('data', () => socket.end('220 smtp.example.org ESMTP\r\n'))
      }).listen(port, '127.0.0.1')
      await once(stranger, 'listening')
      return async () => {
        for (const socket of sockets) socket.destroy()
        stranger.close()
        // A daemon that started meanwhile has another port.
        await stopDaemon(homeOf(user))
      }
    },
  },
}

/** A file limit for the daemon, if the machine can set it from outside. */
const LIMITED: Readonly<Record<string, Failure>> = {
  'no file can grow': {
    says: /The database failed: disk I\/O error/,
    strikes: 'changes',
    async begin(user) {
      const pid = await pidOf(user)
      execFileSync('prlimit', ['--pid', String(pid), '--fsize=0:unlimited'])
      // Its database is in doubt, so it exits.
      return () => untilGone(pid)
    },
  },
}

/** On a separate disk, see `tinyDisk`. */
const MOUNTED: Readonly<Record<string, Failure>> = {
  'the disk is full': {
    says: /The disk is full/,
    strikes: 'changes',
    begin: (user) => Promise.resolve(fillDisk(user)),
  },
  'the home is read-only at its start': {
    says: NOBODY_ANSWERS,
    strikes: 'all',
    async begin(user) {
      await stopDaemon(homeOf(user))
      const remount = (how: string) =>
        void execFileSync('mount', ['-o', `remount,${how}`, homeOf(user).folder])
      remount('ro')
      return () => remount('rw')
    },
  },
}

/** Fills a tiny disk; returns the function that frees it. */
export function fillDisk(user: User): () => void {
  const { folder } = homeOf(user)
  const filler = join(folder, 'filler')
  spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=4096'])
  if (statfsSync(folder).bavail > 0) throw new Error('The disk is not full.')
  return () => rmSync(filler)
}

const mount = (folder: string): boolean =>
  spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=16m,mode=0700', 'tmpfs', folder]).status === 0

const unmount = (folder: string) => void spawnSync('umount', ['-l', folder])

/** Only root may mount, and not everywhere. */
export const canMount = ((): boolean => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-mount-'))
  const isMounted = mount(folder)
  if (isMounted) unmount(folder)
  rmdirSync(folder)
  return isMounted
})()

export const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0

/** Why tests that need one of them cannot run. */
export const [NO_MOUNT, NO_PRLIMIT] = ['nothing can be mounted', 'there is no prlimit']

const withReason = (failures: Readonly<Record<string, Failure>>, cannot: string) =>
  Object.fromEntries(Object.entries(failures).map(([name, failure]) => [name, { ...failure, cannot }]))

export const FAILURES: Readonly<Record<string, Failure>> = {
  ...EVERYWHERE,
  ...(hasPrlimit ? LIMITED : withReason(LIMITED, NO_PRLIMIT)),
  ...(canMount ? MOUNTED : withReason(MOUNTED, NO_MOUNT)),
}

/** Gives the home of a user a small separate disk, if allowed; returns the function that removes it. */
export function tinyDisk(user: User): () => void {
  const { folder } = homeOf(user)
  mkdirSync(folder, { mode: 0o700 })
  return canMount && mount(folder) ? () => unmount(folder) : () => undefined
}
