import { join } from 'node:path'
import {
  atMost,
  compared,
  type Contender,
  over,
  p50,
  p99,
  race,
  ratioOf,
  type Row,
  timed,
} from './measure.ts'
import {
  BARE_SERVER,
  connect,
  homeIn,
  type Line,
  request,
  shareCore,
  socketIn,
  startDaemon,
  startNode,
  stop,
  withFolder,
} from './processes.ts'

const CLIENTS = 64
const PING = request('daemon.ping')

/** A round trip through our server, against an echo server. */
export function wire(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const echoSocket = join(folder, 'echo.sock')
    const [echo, daemon] = [startNode([BARE_SERVER, echoSocket], homeIn(folder)), startDaemon(folder)]
    const [echoes, daemons] = [await connections(echoSocket), await connections(socketIn(folder))]
    const many = await race(
      { rounds, calls: 40_000, warmUp: 3000 },
      { echo: together(echoes), daemon: together(daemons) },
    )
    shareCore([echo, daemon])
    const one = await race(
      { rounds, calls: 10_000, warmUp: 3000 },
      { echo: alone(echoes), daemon: alone(daemons) },
    )
    for (const line of [...echoes, ...daemons]) line.close()
    await Promise.all([stop(echo), stop(daemon)])
    return [
      compared({
        name: 'wire',
        what: 'daemon.ping, 1 client',
        times: one.daemon,
        against: 'net echo',
        baseline: one.echo,
        target: atMost(1.3),
      }),
      compared({
        name: 'wire',
        what: `daemon.ping, ${CLIENTS} clients`,
        times: many.daemon,
        against: 'net echo',
        baseline: many.echo,
      }),
      {
        name: 'wire',
        what: `p99 with ${CLIENTS} clients`,
        unit: 'µs',
        baseline: { what: 'p99 of net echo', value: over(many.echo, p99) },
        p50: over(many.daemon, p50),
        p99: over(many.daemon, p99),
        ratio: ratioOf(many.daemon, many.echo, { of: p99, to: p99 }),
        target: atMost(3),
      },
    ]
  })
}

const connections = (path: string) => Promise.all(Array.from({ length: CLIENTS }, () => connect(path)))

const alone = ([line]: readonly Line[]): Contender => timed(() => line?.ask(PING))

/** Every client always has one call in flight. */
const together =
  (lines: readonly Line[]): Contender =>
  async (count) => {
    const each = lines.map((line) => timed(() => line.ask(PING))(Math.ceil(count / lines.length)))
    return (await Promise.all(each)).flat()
  }
