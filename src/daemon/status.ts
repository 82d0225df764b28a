import type { DaemonStatus, PostgresStatus } from '../engine/call/context.ts'
import { timestamp } from '../model/clock.ts'
import type { Counts } from '../model/count.ts'
import type { Database } from '../store/database.ts'
import type { Store } from '../store/store.ts'
import type { Ballast } from './ballast.ts'
import type { Descriptors } from './descriptors.ts'
import type { Door } from './door.ts'
import type { Dropped } from './dropped.ts'
import type { Home } from './home.ts'
import type { HookFaults } from './hook-faults.ts'
import { VERSION } from './version.ts'

interface StatusParts {
  readonly home: Home
  readonly store: Store
  readonly door: Door
  readonly faults: HookFaults
  readonly dropped: Dropped
  readonly ballast: Ballast
  readonly descriptors: Descriptors
  readonly started: number
  readonly counts: Counts
}

/** The status of the daemon; getters compute changing values only when they are read. */
export function statusOf(parts: StatusParts): DaemonStatus {
  const { home, store, door, faults, dropped, ballast, descriptors, started, counts } = parts
  return withCounts(counts, {
    pid: process.pid,
    version: VERSION,
    node: process.version,
    socket: home.socket,
    database: store.database.location,
    database_kind: store.database.kind,
    home: home.folder,
    log: home.log,
    started_at: timestamp(started),
    get uptime_seconds() {
      return Math.round((Date.now() - started) / 1000)
    },
    get memory_bytes() {
      return process.memoryUsage.rss()
    },
    get http() {
      return door.status
    },
    get hook_faults() {
      return faults.status ?? null
    },
    get dropped() {
      return dropped.status ?? null
    },
    get disk() {
      return ballast.status
    },
    get descriptors() {
      return descriptors.status ?? null
    },
    get postgres() {
      return serverStatus(store.database)
    },
  })
}

function serverStatus({ server }: Database): PostgresStatus | null {
  if (server === undefined) return null
  const { openSince } = server.breaker
  return {
    away_since: openSince === undefined ? null : timestamp(openSince),
    clock_ahead_ms: server.clock.ahead,
  }
}

/** Adds a getter for every count. */
function withCounts(counts: Counts, about: Omit<DaemonStatus, keyof Counts>): DaemonStatus {
  const getters = Object.keys(counts).map((name) => [
    name,
    { enumerable: true, get: () => counts[name as keyof Counts] },
  ])
  return Object.defineProperties(about, Object.fromEntries(getters) as PropertyDescriptorMap) as DaemonStatus
}
