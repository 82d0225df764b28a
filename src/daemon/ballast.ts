import { randomBytes } from 'node:crypto'
import { appendFileSync, lstatSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { DiskStatus } from '../engine/call/context.ts'
import { place } from '../files/place.ts'
import { EngineError } from '../model/error.ts'
import type { Database } from '../store/database.ts'
import type { Home } from './home.ts'
import { type Log, logLine } from './log.ts'

const CHUNK_BYTES = 1_048_576
const CHUNKS = 16
/** With less free space than this, no ballast is created. */
const ROOM_BYTES = 67_108_864
/** With less free space than this, a daemon could not take its lock. */
const NOTHING_BYTES = 1_048_576

interface BallastOptions {
  readonly home: Pick<Home, 'ballast' | 'folder'>
  readonly log: Log
}

/** A file that reserves disk space; deleting it on a full disk makes room for important writes. */
export class Ballast {
  readonly #options: BallastOptions
  /** How often the ballast was deleted. */
  givenUp = 0

  constructor(options: BallastOptions) {
    this.#options = options
    removeUnfinished(options.home.ballast)
  }

  get status(): DiskStatus {
    return diskOf(this.#options.home)
  }

  /** Deletes the ballast; returns whether that made room. */
  giveUp(): boolean {
    const { home, log } = this.#options
    if (!isThere(home.ballast)) return false
    rmSync(home.ballast, { force: true })
    this.givenUp++
    log.write('error', DISK_FULL, { message: givenUp(home.folder) })
    return true
  }

  /** Creates the ballast if it is missing and the disk has room. */
  async look(): Promise<void> {
    const { home, log } = this.#options
    if (isThere(home.ballast) || freeIn(home.folder) < ROOM_BYTES) return
    await make(home.ballast)
    log.write('debug', 'ballast created', { bytes: CHUNKS * CHUNK_BYTES })
  }
}

export const diskOf = ({ folder, ballast }: Pick<Home, 'folder' | 'ballast'>): DiskStatus => ({
  free_bytes: freeIn(folder),
  has_ballast: isThere(ballast),
})

const DISK_FULL = 'disk full'
const givenUp = (folder: string) =>
  `The disk of ${folder} is full; the ballast file was deleted to make room.`

/** Makes room on a full disk for a daemon that starts, before its log is open. */
export function makeRoomToStart({ folder, ballast, log }: Pick<Home, 'folder' | 'ballast' | 'log'>): void {
  if (freeIn(folder) >= NOTHING_BYTES || !isThere(ballast)) return
  rmSync(ballast, { force: true })
  appendFileSync(log, logLine('error', DISK_FULL, { message: givenUp(folder) }), { mode: 0o600 })
}

const isThere = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false }) !== undefined

function freeIn(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Removes the unfinished ballast of a killed daemon; safe only while holding the lock. */
function removeUnfinished(path: string): void {
  const [folder, name] = [dirname(path), basename(path)]
  for (const found of readdirSync(folder))
    if (found.startsWith(`${name}.`)) rmSync(join(folder, found), { force: true, recursive: true })
}

/** Writes random chunks, because zeros may take no space, and renames the file at the end. */
async function make(path: string): Promise<void> {
  const chunk = randomBytes(CHUNK_BYTES)
  await place(path, async (fresh) => {
    await using file = await open(fresh, 'w', 0o600)
    for (let count = 0; count < CHUNKS; count++) await file.write(chunk)
  })
}

/** Repeats a transaction that failed on a full disk, if deleting the ballast made room. */
export function withBallast(database: Database, ballast: Ballast): Database {
  return {
    ...database,
    async transact(run, options) {
      const before = ballast.givenUp
      try {
        return await database.transact(run, options)
      } catch (error) {
        const isFull = error instanceof EngineError && error.code === 'storage-full'
        // Several transactions of one commit may fail together; the first one deletes the ballast.
        if (!isFull || (!ballast.giveUp() && ballast.givenUp === before)) throw error
        return await database.transact(run, options)
      }
    },
  }
}
