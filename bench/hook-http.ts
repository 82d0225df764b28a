import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { rawSteps } from './hook-engine.ts'
import { type Key, keyIn, Post } from './hook-post.ts'
import { looking, makeRepository, Scene, stepping } from './hook-scene.ts'
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
  type Times,
} from './measure.ts'
import { homeIn, shareCore, startDaemon, startNode, stop, withFolder } from './processes.ts'

const BARE_HTTP = join(import.meta.dirname, 'bare-http.cjs')
const SESSIONS = 64

/** Starts the bare server, which replies with nothing; given a file of statements, it commits them first. */
export const startBare = (key: string, env: NodeJS.ProcessEnv, ...statements: readonly string[]) =>
  startNode([BARE_HTTP, key, ...statements], env)

/** A hook over a kept connection, against a bare server. */
export function overHttp(rounds: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const repository = makeRepository(folder)
    const [bareKey, committingKey] = [join(folder, 'bare.json'), join(folder, 'committing.json')]
    const statements = join(folder, 'statements.json')
    writeFileSync(statements, JSON.stringify(await rawSteps(join(folder, 'raw'))))
    const children = [
      startBare(bareKey, homeIn(folder)),
      startBare(committingKey, homeIn(folder), statements),
      startDaemon(folder),
    ]
    const keys = {
      echo: await keyIn(bareKey),
      committing: await keyIn(committingKey),
      daemon: await keyIn(join(folder, 'home', 'hook.json')),
    }
    const crowd = await manySessions(rounds, repository, keys)
    shareCore(children)
    const one = await oneSession(rounds, repository, keys)
    await Promise.all(children.map(stop))
    return [...one, ...crowd]
  })
}

type Keys = Readonly<Record<'echo' | 'committing' | 'daemon', Key>>

async function oneSession(rounds: number, repository: string, keys: Keys): Promise<readonly Row[]> {
  const [echo, daemon] = [await Post.open(keys.echo), await Post.open(keys.daemon)]
  const scene = await new Scene(repository).begin(daemon.route)
  const looks = await race(
    { rounds, calls: 4000, warmUp: 2000 },
    { echo: looking(scene, echo.route), daemon: looking(scene, daemon.route) },
  )
  // Opened late, because a bare server closes connections that are idle for a minute.
  const committing = await Post.open(keys.committing)
  const steps = await race(
    { rounds, calls: 800, warmUp: 400 },
    {
      // The same requests, with a commit for each.
      committing: stepping(new Scene(repository), committing.route),
      daemon: stepping(scene, daemon.route),
    },
  )
  for (const post of [echo, committing, daemon]) post.close()
  return [
    compared({
      name: 'hooks',
      target: atMost(1.8),
      what: 'http, nothing to record',
      times: looks.daemon,
      against: 'bare node:http',
      baseline: looks.echo,
    }),
    compared({
      name: 'hooks',
      target: atMost(1.5),
      what: 'http, a step is recorded',
      times: steps.daemon,
      against: 'bare server with the same SQL, FULL',
      baseline: steps.committing,
    }),
  ]
}

/** Every session always has one hook in flight. */
async function manySessions(rounds: number, repository: string, keys: Keys): Promise<readonly Row[]> {
  const crowd = async (key: Key, isOurs: boolean) =>
    await Promise.all(
      Array.from({ length: SESSIONS }, async (_, index) => {
        const post = await Post.open(key)
        const scene = new Scene(repository, `session-${index}`)
        if (isOurs) await scene.begin(post.route)
        return { post, run: looking(scene, post.route) }
      }),
    )
  const [echoes, daemons] = [await crowd(keys.echo, false), await crowd(keys.daemon, true)]
  const together =
    (all: readonly { readonly run: Contender }[]): Contender =>
    async (count) =>
      (await Promise.all(all.map(({ run }) => run(Math.ceil(count / all.length))))).flat()
  const times = await race(
    { rounds, calls: 10_000, warmUp: 3000 },
    { echo: together(echoes), daemon: together(daemons) },
  )
  for (const { post } of [...echoes, ...daemons]) post.close()
  const spread = (of: Times) => p99(of) / p50(of)
  return [
    compared({
      name: 'hooks',
      what: `http, ${SESSIONS} sessions at once`,
      times: times.daemon,
      against: 'bare node:http',
      baseline: times.echo,
    }),
    {
      name: 'hooks',
      what: `p99 over p50, ${SESSIONS} sessions at once`,
      unit: '×',
      baseline: { what: 'bare node:http', value: over(times.echo, spread) },
      p50: over(times.daemon, spread),
      ratio: ratioOf(times.daemon, times.echo, { of: spread, to: spread }),
      target: atMost(3),
    },
  ]
}
