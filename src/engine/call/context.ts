import type { Ai } from '../../model/ai.ts'
import type { UserFolders } from '../../model/client-files.ts'
import type { Clients } from '../../model/client.ts'
import { type Clock, timestamp } from '../../model/clock.ts'
import type { Config } from '../../model/config.ts'
import type { Counts } from '../../model/count.ts'
import type { Files } from '../../model/files.ts'
import type { OwnFiles } from '../../model/own-files.ts'
import type { ReadRunbook } from '../../model/runbook/reading.ts'
import type { FoundChunk, Source, Wanted } from '../../model/search/found.ts'
import type { Piece } from '../../model/search/piece.ts'
import type { MemoryWish, Quote } from '../../model/search/memory.ts'
import type { SkillFolders } from '../../model/skill-folders.ts'
import type { Rule } from '../../rules/rule.ts'
import type { Forgotten } from '../../store/forget.ts'
import type { Targets } from '../../store/forget-all.ts'
import type { Store } from '../../store/store.ts'
import type { Method } from './method.ts'

/** The state of the loopback HTTP server. */
export interface HttpStatus {
  readonly listening: boolean
  readonly port: number | null
  /** Why it does not listen. */
  readonly problem: string | null
  /** The port that another program had at the start, so that this daemon took another one and new tokens. */
  readonly lost_port: number | null
}

/** The status of a daemon, with its counters. */
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
  /** Hooks that failed: allowed, or refused at level strict. */
  readonly hook_faults: CountedStatus | null
  /** Connections that gave way to others, or whose callers did not read. */
  readonly dropped: CountedStatus | null
  readonly disk: DiskStatus
  /** Null if the system does not report it. */
  readonly descriptors: DescriptorStatus | null
  /** Null if the database is embedded. */
  readonly postgres: PostgresStatus | null
}

/** The PostgreSQL server, as this daemon sees it. */
export interface PostgresStatus {
  /** Since when it does not answer; null while it does. */
  readonly away_since: string | null
  /** How far its clock is ahead of this machine's. */
  readonly clock_ahead_ms: number
}

/** The disk that holds the home. */
export interface DiskStatus {
  readonly free_bytes: number
  /** Whether a ballast file can be deleted when the disk is full. */
  readonly has_ballast: boolean
}

/** Open files and connections of the daemon. */
export interface DescriptorStatus {
  readonly used: number
  readonly limit: number
}

/** What happened several times, and why it did the last time. */
export interface CountedStatus {
  readonly count: number
  readonly last: string
  readonly last_at: string
}

/** A program that can run as a daemon. */
export interface DaemonProgram {
  readonly node: string
  /** The file that Node runs. */
  readonly entry: string
}

/** Tool messages that are deleted, or would be. */
export interface PruneResult {
  readonly sessions: number
  readonly messages: number
  /** The length of their texts. */
  readonly bytes: number
  /** How many days ago their sessions ended, at least; null if the config keeps everything. */
  readonly days: number | null
}

/** How far a forgetting is. */
export interface ForgettingStatus {
  readonly step: 'rows' | 'database' | 'backups' | 'done' | 'failed'
  /** The share of the step, from 0 to 1. */
  readonly share: number
  /** Whether it was interrupted before. */
  readonly is_resumed: boolean
  /** Why it failed; a new start tries again. */
  readonly problem: string | null
}

/** Deletes what was said, with all copies. */
export interface Forgetting {
  /** Counts what would be forgotten. */
  count(targets: Targets): Promise<Forgotten>
  /** Resolves when the rows are gone; the copies follow in the background. */
  forget(targets: Targets): Promise<Forgotten>
  /** What is under way, or how the last time ended. */
  status(): ForgettingStatus | undefined
  /** Goes on with what a failure has interrupted; false if there is nothing. */
  resume(): boolean
}

/** The process that the engine runs in. */
export interface DaemonPort {
  status(): DaemonStatus
  stop(): void
  /** Replaces the HTTP tokens of this daemon. */
  rotateTokens(): void
  /** Deletes old tool messages as its job does, or only counts them. */
  prune(how: { readonly dryRun: boolean }): Promise<PruneResult>
  readonly memory: Forgetting
  /** Starts the next daemon; resolves to its pid when it waits only for this one to stop. */
  startSuccessor(program: DaemonProgram): Promise<number>
}

/** A project whose texts are indexed, in one of its workplaces. */
export interface IndexedProject {
  readonly id: number
  readonly root: string
  /** Every source of this kind is read again, and no other; without it, what has changed of all kinds. */
  readonly kind?: Source | undefined
}

/** How far the index of a project is; counted in files and sessions. */
export interface IndexProgress {
  done: number
  total: number
  changed: number
  /** In milliseconds of `performance.now()`. */
  started: number
}

/** The vectors of a project, which search uses beside the words. */
export interface VectorStatus {
  /** The space that questions are compared in; null before the first vectors. */
  readonly active: SpaceStatus | null
  /** The space of another model that takes its place when it is filled. */
  readonly building: SpaceStatus | null
  /** The fill that is under way, at any project. */
  readonly running: { readonly project_id: number; readonly done: number; readonly seconds: number } | null
  /** Why there are no vectors, or why a question was searched by its words alone. */
  readonly problem: { readonly message: string; readonly at: string } | null
}

/** A space and how much of a project it has. */
export interface SpaceStatus {
  readonly space: string
  readonly provider: string
  readonly model: string
  readonly dims: number
  readonly pieces: number
  readonly embedded: number
}

/** The index of texts; it works beside the event loop. */
export interface TextIndex {
  find(wanted: Wanted): Promise<readonly FoundChunk[]>
  /** Splits a text for `replaceSource`. */
  split(text: string, title: string): Promise<readonly Piece[]>
  /** The places that are about a request, in what is indexed now. */
  remember(wish: MemoryWish): Promise<readonly Quote[]>
  /** Brings the index of a project up to date; a call while that is under way waits for the same. Never rejects. */
  refresh(project: IndexedProject): Promise<void>
  /** Null if no model is used. */
  vectors(project: number): Promise<VectorStatus | null>
  /** Undefined if nothing is under way. */
  progress(project: number): Readonly<IndexProgress> | undefined
}

/** The machine of a daemon. */
export interface Machine {
  /** Random, kept in the home; two homes are two machines. */
  readonly machine_id: string
  /** The host name, for people. */
  readonly label: string
  /** Whether a process of this machine, such as `4711:123456`, still runs. */
  readonly isRunning: (process: string) => boolean
}

/** How the reader of an answer calls our program. */
export interface Programs {
  /** Keeps whether `holdfast` is a command where a session of a client runs. */
  note(session: string, isCommand: boolean): void
  /** The word for the shell of a session: `holdfast`, or the path of the launcher. */
  of(session: string | undefined): string
}

/** Everything that the engine needs from outside; the daemon provides it. */
export interface Context {
  readonly store: Store
  readonly clock: Clock
  /** Ids that sort by creation. */
  readonly newId: () => string
  readonly files: Files
  readonly skillFolders: SkillFolders
  /** Reads the runbook of a folder as it is on disk now. */
  readonly readRunbook: ReadRunbook
  readonly user: UserFolders
  /** Our own files, which hold the rules. */
  readonly own: OwnFiles
  /** The folder with the commands, templates and standards that the package ships. */
  readonly packaged: string
  readonly machine: Machine
  /** The known clients, by name. */
  readonly clients: Clients
  /** The rules for hook events, in order. */
  readonly rules: readonly Rule[]
  readonly daemon: DaemonPort
  readonly index: TextIndex
  readonly ai: Ai
  readonly programs: Programs
  /** The settings for a project from its config file and the user's, or with '' the user's; never throws. */
  readonly config: (project: string) => Config
  /** When a pause of enforcement ends, in milliseconds since 1970; undefined if not paused. */
  readonly pausedUntil: () => number | undefined
  /** A session without activity for longer is stale. */
  readonly staleAfterSeconds: number
  /** A call waits this long for what the index knows about its request. */
  readonly memoryMilliseconds: number
  /** How long a search may wait for the vector of its question. */
  readonly questionMilliseconds: number
  /** Every method, by its full name. */
  readonly methods: ReadonlyMap<string, Method>
}

/** A session that was last active before this moment is stale. */
export const staleSince = ({ clock, staleAfterSeconds }: Context): string =>
  timestamp(clock.now() - staleAfterSeconds * 1000)

/** The caller: a connection, or a process that calls the engine directly. */
export interface Caller {
  /** Sends a notification; resolves when the other end can take more. */
  notify(method: string, params: unknown): Promise<void>
  /** Aborted when the other end disconnects. */
  readonly gone: AbortSignal
  /** Milliseconds since 1970; after this moment the caller no longer waits. */
  readonly deadline?: number
}
