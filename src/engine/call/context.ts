import type { UserFolders } from '../../model/client-files.ts'
import type { Clients } from '../../model/client.ts'
import { type Clock, timestamp } from '../../model/clock.ts'
import type { Counts } from '../../model/count.ts'
import type { Files } from '../../model/files.ts'
import type { SkillFolders } from '../../model/skill-folders.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Store } from '../../store/store.ts'
import type { Method } from './method.ts'

/** How the loopback HTTP of a daemon fares. */
export interface HttpStatus {
  readonly listening: boolean
  readonly port: number | null
  /** Why it does not listen. */
  readonly problem: string | null
}

/** What a daemon tells of itself, with all that it counts. */
export interface DaemonStatus extends Readonly<Counts> {
  readonly pid: number
  readonly version: string
  readonly node: string
  readonly socket: string
  readonly database: string
  readonly database_kind: string
  readonly home: string
  readonly log: string
  readonly started_at: string
  readonly uptime_seconds: number
  readonly memory_bytes: number
  readonly http: HttpStatus
  /** The hooks that were let go on, or refused where it is strict, because something failed. */
  readonly hook_faults: HookFaultStatus | null
  readonly disk: DiskStatus
  /** Null where the system does not tell. */
  readonly descriptors: DescriptorStatus | null
}

/** The disk of the home. */
export interface DiskStatus {
  readonly free_bytes: number
  /** Whether there is room to be given up when the disk is full. */
  readonly has_ballast: boolean
}

/** Files and connections that the daemon has open. */
export interface DescriptorStatus {
  readonly used: number
  readonly limit: number
}

export interface HookFaultStatus {
  readonly count: number
  /** What was wrong with the last one, in a sentence. */
  readonly last: string
  readonly last_at: string
}

/** What can be run to be a daemon. */
export interface DaemonProgram {
  readonly node: string
  /** The file that Node runs. */
  readonly entry: string
}

/** The process that the engine runs in. */
export interface DaemonPort {
  status(): DaemonStatus
  stop(): void
  /** Gives the HTTP of this daemon new tokens. */
  rotateTokens(): void
  /** Starts another daemon that goes on where this one stops; its pid, once only the stop is missing. */
  startSuccessor(program: DaemonProgram): Promise<number>
}

/** All that the engine needs from outside. The daemon fills it; a test fills it with less. */
export interface Context {
  readonly store: Store
  readonly clock: Clock
  /** Ids that sort by creation. */
  readonly newId: () => string
  readonly files: Files
  readonly skillFolders: SkillFolders
  readonly user: UserFolders
  /** The agent clients that are known, by name. */
  readonly clients: Clients
  /** The rules that hooks are judged by, in the order in which they are asked. */
  readonly rules: readonly Rule[]
  readonly daemon: DaemonPort
  /** Until when the user wants nothing enforced, in milliseconds since 1970; undefined where they do. */
  readonly pausedUntil: () => number | undefined
  /** Whoever has been silent for longer counts as gone. */
  readonly staleAfterSeconds: number
  /** Everything that can be called, by its full name. */
  readonly methods: ReadonlyMap<string, Method>
}

/** Whoever was last heard of before this moment counts as gone. */
export const staleSince = ({ clock, staleAfterSeconds }: Context): string =>
  timestamp(clock.now() - staleAfterSeconds * 1000)

/** Who calls: one connection, or a process that calls the engine directly. */
export interface Caller {
  /** Sends what was not asked for; resolves when the other end can take more. */
  notify(method: string, params: unknown): Promise<void>
  /** Aborted when the other end is gone. */
  readonly gone: AbortSignal
  /** Milliseconds since 1970; after it nobody waits for the answer. */
  readonly deadline?: number
}
