import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { atMost, compared, type Contender, median, race, type Row, timed } from './measure.ts'
import {
  BARE_SERVER,
  connect,
  homeIn,
  request,
  socketIn,
  startDaemon,
  startNode,
  stop,
  withDaemon,
  withFolder,
} from './processes.ts'

const IDLE_MILLISECONDS = 2000

/** From the start of the process to its first reply. */
export function start(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const [usual, fresh] = [join(folder, 'usual'), join(folder, 'fresh')]
    for (const home of [usual, fresh]) mkdirSync(home)
    // A first run fills the compile cache, as on a machine where a daemon ran before.
    for (const home of [usual, fresh]) await idleMemory(home)
    const bare = firstAnswer(
      (socket) => startNode([BARE_SERVER, socket], homeIn(folder)),
      () => {
        const socket = join(folder, 'bare.sock')
        rmSync(socket, { force: true })
        return socket
      },
    )
    const again = firstAnswer(
      () => startDaemon(usual),
      () => socketIn(usual),
    )
    const first = firstAnswer(
      () => startDaemon(fresh),
      () => {
        rmSync(join(fresh, 'home'), { recursive: true, force: true })
        return socketIn(fresh)
      },
    )
    const times = await race({ rounds, calls: 15, turns: 15, warmUp: 2 }, { bare, again, first })
    const memory: number[] = []
    for (let round = 0; round < rounds; round++) memory.push(await idleMemory(usual))
    const shared = { name: 'start', against: 'bare net server', baseline: times.bare, unit: 'ms' } as const
    return [
      compared({ ...shared, what: 'daemon to its first reply', times: times.again, target: atMost(3) }),
      compared({ ...shared, what: 'the same, with a new database', times: times.first }),
      {
        name: 'start',
        what: 'memory when idle',
        unit: 'MB',
        p50: median(memory),
        target: atMost(80),
      },
    ]
  })
}

type Started = ReturnType<typeof startNode>

function firstAnswer(launch: (socket: string) => Started, prepare: () => string): Contender {
  return async (count) => {
    const times: number[] = []
    for (let index = 0; index < count; index++) {
      const socket = prepare()
      const begin = timed(async () => {
        child = launch(socket)
        const line = await connect(socket)
        await line.ask(request('daemon.ping'))
        line.close()
      })
      let child: Started | undefined
      times.push(...(await begin(1)))
      if (child !== undefined) await stop(child)
    }
    return times
  }
}

/** The memory of an idle daemon, in megabytes. */
function idleMemory(folder: string): Promise<number> {
  return withDaemon(folder, async (line) => {
    await sleep(IDLE_MILLISECONDS)
    const { memory_bytes: bytes } = (await line.call('daemon.status')) as { memory_bytes: number }
    return bytes / 1024 ** 2
  })
}
