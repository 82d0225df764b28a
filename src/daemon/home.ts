import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync } from 'node:fs'
import { userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { clients } from '../clients/index.ts'
import { syncSync } from '../files/place.ts'
import type { Environment, UserFolders } from '../model/client-files.ts'
import { EngineError } from '../model/error.ts'
import type { OwnFiles } from '../model/own-files.ts'
import { STALE_AFTER_SECONDS } from '../model/session.ts'
import { shellWord } from '../model/shell/word.ts'
import { cacheFolder, configFolder, programsFolder, userHome } from './standard-folder.ts'

/** The paths and settings of one user's daemon. */
export interface Home {
  readonly folder: string
  readonly socket: string
  readonly lock: string
  /** The lock for starting a daemon. */
  readonly turn: string
  readonly log: string
  /** Describes the last daemon, for people only; it does not prove that the daemon runs. */
  readonly about: string
  /** The port and the hook token; shells read this file. */
  readonly hookKey: string
  /** The port and the token for all routes. */
  readonly fullKey: string
  /** The folder with backups of the database. */
  readonly backups: string
  /** Reserves disk space, and is deleted when the disk is full. */
  readonly ballast: string
  /** Holds the random id of this machine. */
  readonly machine: string
  /** Holds the time until which enforcement is paused. */
  readonly pause: string
  /** Holds what is being forgotten until nothing is left of it. */
  readonly forgetting: string
  /** The user's config file. */
  readonly config: string
  /** The user's overlays for skills of others. */
  readonly overlays: string
  /** The folder with a file for the key of each provider of models. */
  readonly keys: string
  /** Where `init` keeps copies of our program, for all homes of the user. */
  readonly programs: string
  /** Where Node keeps what it compiled of our program (`bin/holdfast.js`). */
  readonly cache: string
  /** The script that runs `holdfast` for this home, whatever the PATH of its caller. */
  readonly launcher: string
  /** Whether the daemon also listens on loopback HTTP, which client hooks need. */
  readonly opensHttp: boolean
  /** The path of the SQLite file, or the URL of a PostgreSQL database. */
  readonly database: string
  readonly isPostgres: boolean
  /** How long a session may be silent before it is stale. */
  readonly staleAfterSeconds: number
  /** How long a call waits for what the index knows about its request. */
  readonly memoryMilliseconds: number
  /** How long a search may wait for the vector of its question. */
  readonly questionMilliseconds: number
  /** How long the daemon runs without a call; undefined means forever. */
  readonly idleSeconds: number | undefined
  /** Whether the daemon makes a backup every day. */
  readonly backsUp: boolean
  /** How many backups to keep. */
  readonly keepBackups: number
  /** How long to keep tool messages of ended sessions; undefined means forever. */
  readonly keepDays: number | undefined
  /** A larger SQLite database keeps them for a shorter time. */
  readonly keepMegabytes: number
  /** Where clients keep files that belong to the user. */
  readonly user: UserFolders
}

const MEMORY_MILLISECONDS = 500
const QUESTION_MILLISECONDS = 1500
const KEEP_BACKUPS = 7
const KEEP_DAYS = 30
const KEEP_MEGABYTES = 1024

/** The kernel truncates longer socket paths. */
const LONGEST_SOCKET_PATH = 100

export function findHome(env: Environment = process.env): Home {
  const state = given(env['XDG_STATE_HOME']) ?? join(userHome(env), '.local', 'state')
  const folder = resolve(given(env['HOLDFAST_HOME']) ?? join(state, 'holdfast'))
  const url = given(env['HOLDFAST_DATABASE_URL'])
  return {
    folder,
    socket: socketPath(folder),
    lock: join(folder, 'lock.db'),
    turn: join(folder, 'turn.db'),
    log: join(folder, 'daemon.log'),
    about: join(folder, 'daemon.json'),
    hookKey: join(folder, 'hook.json'),
    fullKey: join(folder, 'http.json'),
    backups: join(folder, 'backups'),
    ballast: join(folder, 'ballast.bin'),
    machine: join(folder, 'machine-id'),
    pause: join(folder, 'pause.json'),
    forgetting: join(folder, 'forgetting.json'),
    config: configPath(env),
    overlays: join(configFolder(env), 'skills'),
    keys: join(configFolder(env), 'keys'),
    programs: programsFolder(env),
    cache: cacheFolder(env),
    launcher: join(folder, 'bin', 'holdfast'),
    opensHttp: given(env['HOLDFAST_HTTP']) !== 'off',
    database: url ?? join(folder, 'engine.db'),
    isPostgres: url !== undefined,
    staleAfterSeconds: countOf(env, 'HOLDFAST_STALE_SECONDS') ?? STALE_AFTER_SECONDS,
    memoryMilliseconds: countOf(env, 'HOLDFAST_MEMORY_MILLISECONDS') ?? MEMORY_MILLISECONDS,
    questionMilliseconds: countOf(env, 'HOLDFAST_QUESTION_MILLISECONDS') ?? QUESTION_MILLISECONDS,
    idleSeconds: countOf(env, 'HOLDFAST_IDLE_SECONDS'),
    backsUp: given(env['HOLDFAST_BACKUP']) !== 'off',
    keepBackups: countOf(env, 'HOLDFAST_KEEP_BACKUPS') ?? KEEP_BACKUPS,
    keepDays:
      given(env['HOLDFAST_KEEP_DAYS']) === 'off'
        ? undefined
        : (countOf(env, 'HOLDFAST_KEEP_DAYS') ?? KEEP_DAYS),
    keepMegabytes: countOf(env, 'HOLDFAST_KEEP_MEGABYTES') ?? KEEP_MEGABYTES,
    user: userFolders(userHome(env), env),
  }
}

/** The user's config file. */
export const configPath = (env: Environment): string => join(configFolder(env), 'config.yaml')

const userFolders = (home: string, env: Environment): UserFolders => ({
  home,
  clients: new Map([...clients].map(([name, { folders }]) => [name, resolve(folders.user(home, env))])),
})

const given = (text: string | undefined) => (text === undefined || text === '' ? undefined : text)

function countOf(env: Environment, name: string): number | undefined {
  const text = given(env[name])
  if (text === undefined) return undefined
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new EngineError('invalid', `${name} must be a whole number above 0, not ${JSON.stringify(text)}.`, {
    field: name,
    hint: `unset ${name}`,
  })
}

function socketPath(folder: string): string {
  const near = join(folder, 'engine.sock')
  if (Buffer.byteLength(near) <= LONGEST_SOCKET_PATH) return near
  // Loaded here, because the import is slow and few homes need it.
  const name = process.getBuiltinModule('node:crypto').hash('sha256', folder).slice(0, 16)
  // Ignores TMPDIR, because callers such as cron must find the same daemon.
  return join('/tmp', `holdfast-${userInfo().uid}`, `${name}.sock`)
}

/** The files of a home that exists, as hooks see them: with links resolved. */
export function ownFilesOf(home: Home): OwnFiles {
  const folder = realpathSync(home.folder)
  const inside = (path: string) => path.replace(home.folder, folder)
  return {
    folder,
    programs: existsSync(home.programs) ? realpathSync(home.programs) : home.programs,
    config: home.config,
    overlays: home.overlays,
    secrets: [
      ...[home.hookKey, home.fullKey, home.backups, ...(home.isPostgres ? [] : [home.database])].map(inside),
      home.keys,
    ],
    open: [home.launcher, home.log, home.about].map(inside),
  }
}

/** Creates the folders of the socket and the database, private to this user: the security boundary. */
export function preparePrivateFolders(home: Home): void {
  for (const folder of new Set([home.folder, dirname(home.socket)])) {
    try {
      makeFolder(folder)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      throw new EngineError('unavailable', `The folder ${folder} cannot be created: ${why}.`, {
        cause: error,
        hint: 'Set HOLDFAST_HOME to a folder that you own.',
      })
    }
    checkPrivate(folder)
  }
}

/** Replaces Node's recursive mkdir, which never returns for folders such as those in /proc. */
function makeFolder(folder: string): void {
  const known = lstatSync(folder, { throwIfNoEntry: false })
  if (known?.isFile() === true) throw new Error('a file with that name exists')
  if (known !== undefined) return
  makeFolder(dirname(folder))
  try {
    mkdirSync(folder, { mode: 0o700 })
    syncSync(dirname(folder))
  } catch (error) {
    // Another process may have created it meanwhile.
    if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) throw error
  }
}

/** Without this check, a read-only folder would look like a damaged database. */
export function checkWritable(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new EngineError('unavailable', `The folder ${folder} is not writable: ${why}.`, {
      cause: error,
      hint: 'holdfast doctor',
    })
  }
}

/** Refuses a path that another user could have created or can read. */
export function checkPrivate(path: string): void {
  const info = lstatSync(path)
  if (info.isSymbolicLink() || info.uid !== userInfo().uid) {
    const why = info.isSymbolicLink() ? 'is a symbolic link' : 'does not belong to this user'
    throw new EngineError('forbidden', `${path} ${why}, so it is not trusted.`, {
      hint: 'Set HOLDFAST_HOME to a folder that you own.',
    })
  }
  if ((info.mode & 0o077) !== 0)
    throw new EngineError('forbidden', `${path} is accessible to other users.`, {
      hint: `chmod go-rwx ${shellWord(path)}`,
    })
}
