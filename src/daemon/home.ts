import { createHash } from 'node:crypto'
import { lstatSync, mkdirSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { EngineError } from '../model/error.ts'

/** Where everything of one user lies. */
export interface Home {
  readonly folder: string
  readonly socket: string
  readonly lock: string
  readonly log: string
  /** Names the daemon that was last seen here; for people, never a proof of life. */
  readonly about: string
  /** A file of ours, or a PostgreSQL for many machines. */
  readonly database: string
  readonly isPostgres: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** The kernel cuts longer socket paths off. */
const LONGEST_SOCKET_PATH = 100

export function findHome(env: Environment = process.env): Home {
  const state = env['XDG_STATE_HOME'] ?? join(env['HOME'] ?? homedir(), '.local', 'state')
  const folder = resolve(given(env['HOLDFAST_HOME']) ?? join(state, 'holdfast'))
  const url = given(env['HOLDFAST_DATABASE_URL'])
  return {
    folder,
    socket: socketPath(folder, env),
    lock: join(folder, 'lock.db'),
    log: join(folder, 'daemon.log'),
    about: join(folder, 'daemon.json'),
    database: url ?? join(folder, 'engine.db'),
    isPostgres: url !== undefined,
  }
}

const given = (text: string | undefined) => (text === undefined || text === '' ? undefined : text)

function socketPath(folder: string, env: Environment): string {
  const near = join(folder, 'engine.sock')
  if (Buffer.byteLength(near) <= LONGEST_SOCKET_PATH) return near
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return join(given(env['XDG_RUNTIME_DIR']) ?? tmpdir(), `holdfast-${userInfo().uid}`, `${name}.sock`)
}

/** Only this user may look into the folders of the socket and the database: that is the boundary. */
export function preparePrivateFolders(home: Home): void {
  for (const folder of new Set([home.folder, dirname(home.socket)])) {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    checkPrivate(folder)
  }
}

/** Refuses what another user could have put there or could look into. */
export function checkPrivate(path: string): void {
  const info = lstatSync(path)
  if (info.isSymbolicLink() || info.uid !== userInfo().uid)
    throw new EngineError('forbidden', `${path} does not belong to this user, so it is not trusted.`, {
      hint: 'Set HOLDFAST_HOME to a folder of your own.',
    })
  if ((info.mode & 0o077) !== 0)
    throw new EngineError('forbidden', `${path} is open to other users.`, { hint: `chmod go-rwx ${path}` })
}
