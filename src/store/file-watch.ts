import { EngineError } from '../model/error.ts'

/** Why the files of an embedded database cannot be trusted any more. */
export interface Doubt {
  readonly reason: string
  /**
   * Whether the content may be wrong, not only its name. Closing would then write a wrong log into the database, so
   * the process must end with its connection open.
   */
  readonly isContent: boolean
}

/** What the disk says about a file. */
export interface Seen {
  readonly inode: number
  readonly size: number
  readonly changed: number
}

/** What is kept beside the database, so that the next start finds out whether something is missing. */
export interface Kept {
  /** The last ledger entry that was acknowledged. */
  readonly seq: number
  /** The database after our last write. */
  readonly database: Seen | undefined
  /** Whether the database was closed, so that it has no log. */
  readonly isClosed: boolean
}

/** The files of an embedded database, and how to see them without opening them. */
export interface WatchedFiles {
  readonly database: string
  readonly log: string
  readonly lock: string
  /** Must not open the file, which would drop the locks of SQLite; undefined if nothing has that name. */
  readonly see: (path: string) => Seen | undefined
  /** Called after a COMMIT, so it must be cheap; it must not throw. */
  readonly keep: (news: Partial<Kept>) => void
}

/** For a database that nobody else can reach. */
export const unwatched: WatchedFiles = {
  database: '',
  log: '',
  lock: '',
  see: () => undefined,
  keep: () => undefined,
}

interface Known {
  readonly database: Seen | undefined
  readonly log: Seen | undefined
  readonly lock: Seen | undefined
  /** SQLite's number for commits of others. */
  readonly version: number
}

/** SQLite shortens a longer log when it starts from its beginning again. */
export const LOG_LIMIT_BYTES = 67_108_864

/**
 * Compares the database, its log and the lock of the daemon with what we left. Only our own commits and checkpoints
 * write these files, except for other SQLite programs, which `version` reveals.
 */
export class FileWatch {
  readonly #files: WatchedFiles
  readonly #listeners: ((doubt: Doubt) => void)[] = []
  #known: Known | undefined
  /** Set once; the files stay in doubt until another process has checked them. */
  doubt: Doubt | undefined

  constructor(files: WatchedFiles) {
    this.#files = files
  }

  /** Called once, as soon as there is a doubt. */
  onDoubt(listener: (doubt: Doubt) => void): void {
    this.#listeners.push(listener)
  }

  /** Takes the files as they are, because we wrote them last. */
  trust(version: number): void {
    this.#known = this.#see(version)
  }

  /** The same after a checkpoint of ours. */
  checkpointed(version: number): void {
    this.trust(version)
    this.#files.keep({ database: this.#known?.database })
  }

  /** Keeps that the ledger up to an entry is there, in the database as it is. */
  acknowledge(seq: number): void {
    this.#files.keep({ seq, database: this.#known?.database })
  }

  /** Called when the connection is closed. */
  closed(): void {
    const { database, see, keep } = this.#files
    keep({ database: see(database), isClosed: true })
  }

  /** Whether nothing but us and SQLite has changed the files since we wrote them. */
  look(version: () => number): boolean {
    const known = this.#known
    if (known === undefined || this.doubt !== undefined) return this.doubt === undefined
    const now = this.#see(known.version)
    const moved = this.#moved(known, now)
    if (moved !== undefined) return this.mistrust(moved)
    const changed = this.#changed('database', known, now) ?? this.#changed('log', known, now)
    if (changed === undefined) return true
    const current = version()
    if (current === known.version) return this.mistrust(changed)
    this.#known = { ...now, version: current }
    return true
  }

  /** Whether a commit has reached the files that our names mean; `seq` is its last ledger entry, if it has one. */
  committed(version: number, seq: number | undefined): boolean {
    const known = this.#known
    if (known === undefined) return true
    const now = this.#see(version)
    const doubt =
      this.#moved(known, now) ?? this.#changed('database', known, now) ?? this.#shortened(known, now)
    if (doubt !== undefined) return this.mistrust(doubt)
    this.#known = now
    if (seq !== undefined) this.#files.keep({ seq })
    return true
  }

  /** Keeps the first doubt. */
  mistrust(doubt: Doubt): false {
    if (this.doubt === undefined) {
      this.doubt = doubt
      for (const listener of this.#listeners) listener(doubt)
    }
    return false
  }

  #see(version: number): Known {
    const { database, log, lock, see } = this.#files
    return { database: see(database), log: see(log), lock: see(lock), version }
  }

  #moved(known: Known, now: Known): Doubt | undefined {
    for (const file of ['database', 'log', 'lock'] as const) {
      if (known[file] === undefined || known[file].inode === now[file]?.inode) continue
      const how = now[file] === undefined ? 'removed' : 'replaced'
      return { reason: `${this.#files[file]} was ${how} while the daemon ran.`, isContent: false }
    }
    return undefined
  }

  #changed(file: 'database' | 'log', known: Known, now: Known): Doubt | undefined {
    const [before, after] = [known[file], now[file]]
    return before?.size === after?.size && before?.changed === after?.changed
      ? undefined
      : { reason: `${this.#files[file]} was changed by another program.`, isContent: true }
  }

  #shortened(known: Known, now: Known): Doubt | undefined {
    const least = Math.min(known.log?.size ?? 0, LOG_LIMIT_BYTES)
    return (now.log?.size ?? 0) >= least
      ? undefined
      : { reason: `${this.#files.log} was cut by another program.`, isContent: true }
  }
}

/** The error of every call while the files are in doubt. */
export const inDoubt = ({ reason }: Doubt) =>
  new EngineError(
    'unavailable',
    `${reason} Nothing is acknowledged until a new daemon has checked the files.`,
    { hint: 'holdfast doctor' },
  )
