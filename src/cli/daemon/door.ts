import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findHome } from '../../daemon/home.ts'
import { COMMAND_DOORS } from '../../model/door.ts'
import type { RpcConnection } from '../../rpc/connect.ts'
import type { Arguments } from '../frame/args.ts'
import type { Before } from '../frame/dispatch.ts'
import type { Io } from '../frame/io.ts'
import { connectTo } from './connect.ts'
import { Remote } from './remote.ts'
import { sessionsAround } from './sessions-around.ts'

/** Lets the user loosen the rules, and has the daemon judge an agent that tries. */
export const openDoor: Before = async (io, { command, given, words }) => {
  if (COMMAND_DOORS.get(command.name)?.(typed(given)) !== true) return io
  const sessions = sessionsAround(io.env)
  const door = { words, sessions, cwd: resolve(io.cwd, given.values['project'] ?? '.') }
  if (sessions.length === 0) {
    await note(io, door)
    return { ...io, by: 'user' }
  }
  using remote = new Remote(io)
  return { ...io, ...(await remote.call<{ by: 'agent' | 'user' }>('door.open', door)) }
}

const typed = ({ positionals, values, switches }: Arguments) => ({
  positionals,
  flags: { ...Object.fromEntries([...switches].map((name) => [name, 'true'])), ...values },
})

const WAIT_MILLISECONDS = 1000

/** The user's own commands also work without a daemon, or with one that does not answer. */
async function note(io: Io, door: object): Promise<void> {
  const connection = await connectTo(findHome(io.env)).catch(() => undefined)
  if (connection === undefined) return
  await Promise.race([recorded(connection, door), sleep(WAIT_MILLISECONDS, undefined, { ref: false })])
  connection.close()
}

const recorded = (connection: RpcConnection, door: object): Promise<unknown> =>
  connection.call('door.open', door).catch(() => undefined)
