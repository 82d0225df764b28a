import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findHome, type Home } from '../../daemon/home.ts'
import { ACTING, COMMAND_DOORS } from '../../model/door.ts'
import { RemoteError } from '../../rpc/connect.ts'
import type { Arguments } from '../frame/args.ts'
import { callerOf } from '../frame/caller.ts'
import type { Before } from '../frame/dispatch.ts'
import type { Io } from '../frame/io.ts'
import { connectTo } from './connect.ts'
import { homesInSettings } from './homes-in-settings.ts'
import { Remote, toEngineError } from './remote.ts'
import { callerAround } from './sessions-around.ts'

/** Lets the user loosen the rules, and has the daemon judge an agent that tries. */
export const openDoor: Before = async (io, { command, given, words }) => {
  if (COMMAND_DOORS.get(command.name)?.(typed(given)) !== true) {
    if (ACTING.has(command.name)) await checkSession(io, { ...given, name: command.name }, words)
    return io
  }
  const around = callerAround(io.env)
  const door = { words, ...around, cwd: resolve(io.cwd, given.values['project'] ?? '.') }
  if (WRITES_SHARED.has(command.name) || given.positionals[0] === 'locked')
    for (const home of homesInSettings(io.env, door.cwd)) await askRunning(home, door)
  if (around.sessions.length === 0) return { ...io, ...(await askRunning(findHome(io.env), door)) }
  using remote = new Remote(io)
  return { ...io, ...(await remote.call<Caller>('door.open', door)) }
}

/** Has the daemon judge a command that does not act for the session which the processes around it name. */
async function checkSession(
  io: Io,
  given: Arguments & { readonly name: string },
  words: readonly string[],
): Promise<void> {
  // Elsewhere, each process around the command costs a program that shows it.
  if (process.platform !== 'linux') return
  const around = callerAround(io.env)
  const { native_id } = { ...callerOf(io, given.values), ...(given.name === 'rpc' && sessionIn(given)) }
  if (around.sessions.every((session) => session === native_id)) return
  using remote = new Remote(io)
  await remote.call('door.pass', { words, ...(native_id !== undefined && { native_id }), ...around })
}

/** The session that the parameters of `rpc` name. */
function sessionIn({ positionals: [, params = ''] }: Arguments): { readonly native_id?: string } {
  const [, native_id] = /"native_id"\s*:\s*"([^"\\]*)"/.exec(params) ?? []
  return native_id === undefined ? {} : { native_id }
}

/** Commands that write files which do not belong to one home, as `enforce locked` does; an agent could name a home of its own. */
const WRITES_SHARED: ReadonlySet<string> = new Set(['init', 'uninstall', 'config set', 'config unset'])

interface Caller {
  readonly by: 'agent' | 'user'
}

/** A switch that is on counts, even if it is also turned off, because commands read it so. */
const typed = ({ positionals, values, switches }: Arguments) => ({
  positionals,
  flags: { ...values, ...Object.fromEntries([...switches].map((name) => [name, 'true'])) },
})

const WAIT_MILLISECONDS = 5000

/** The user's own commands also work without a daemon, or with one that does not answer. */
async function askRunning(home: Home, door: object): Promise<Caller> {
  const user = { by: 'user' } as const
  const connection = await connectTo(home).catch(() => undefined)
  if (connection === undefined) return user
  try {
    const late = sleep(WAIT_MILLISECONDS, user, { ref: false })
    return await Promise.race([connection.call('door.open', door) as Promise<Caller>, late])
  } catch (error) {
    const known = error instanceof RemoteError ? toEngineError(error) : undefined
    if (known?.code === 'refused') throw known
    return user
  } finally {
    // A daemon that does not answer never closes its end, and the process would wait for it.
    connection.abandon()
  }
}
