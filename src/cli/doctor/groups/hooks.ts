import { get } from 'node:http'
import { clients } from '../../../clients/index.ts'
import { pauseReader } from '../../../daemon/pause.ts'
import { VERSION } from '../../../daemon/version.ts'
import { FLAWS, type Flaw, type Way } from '../../../model/client-settings.ts'
import { timestamp } from '../../../model/clock.ts'
import { relativeTime } from '../../../model/text/time.ts'
import { type Trial, tryHooks } from '../../install/canary.ts'
import { callsByHttp } from '../../install/wired-text.ts'
import { isBesideLock, keptFirst } from '../../install/warnings.ts'
import type { Check, Group, Problem } from '../check.ts'
import type { Scene } from '../scene.ts'
import { openHttp } from '../../daemon/until-http.ts'
import { recent } from './scarce.ts'
import { hookedIn, waysOf, wiredIn } from './settings.ts'
import { byClient, type Source } from '../sources.ts'

const LOOK_MILLISECONDS = 2000

const flawed = (code: Flaw['code']): Check => ({
  code,
  severity: 'broken',
  finds: FLAWS[code],
  mends: 'holdfast init --scope SCOPE --yes',
  look: (scene) =>
    scene.sources().flatMap(({ client, text, path, renew }) =>
      client.settings
        .flaws(text)
        .filter((flaw) => flaw.code === code)
        .map(({ detail }) => ({ detail: `${path}: ${detail}`, fix: renew })),
    ),
})

const portOf = (way: Way): number | undefined =>
  way.kind === 'http' ? Number(new URL(way.url).port) : undefined

async function deadPorts(scene: Scene): Promise<readonly Problem[]> {
  const { status } = await scene.reached()
  const port = status?.http.port ?? undefined
  if (port === undefined) return []
  const problems: Problem[] = []
  for (const source of scene.sources())
    for (const named of new Set(waysOf(source).flatMap((way) => portOf(way) ?? [])))
      if (named !== port) {
        const detail = `${source.path}: hooks call port ${named}, where ${await whoAt(named)}; the daemon uses port ${port}.`
        problems.push({ detail, fix: source.renew })
      }
  return problems
}

/** Asks without the token, which only the daemon may see. */
export async function whoAt(port: number, patience = LOOK_MILLISECONDS): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>()
  // fetch refuses the ports that browsers block.
  const signal = AbortSignal.timeout(patience)
  const request = get({ host: '127.0.0.1', port, agent: false, signal }, () => {
    resolve('another program answers')
    request.destroy()
  })
  request.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'ECONNREFUSED') resolve('no program listens')
    else if (signal.aborted) resolve('no program answers')
    else resolve(`no HTTP answer arrives (${code ?? message})`)
  })
  return await promise
}

const tried = new WeakMap<Scene, Promise<readonly (readonly [Source, readonly Trial[]])[]>>()

/** Tests every event and handler, except handlers that call another port. */
export async function trialsOf(scene: Scene): Promise<readonly (readonly [Source, readonly Trial[]])[]> {
  const known = tried.get(scene) ?? tryAll(scene)
  tried.set(scene, known)
  return await known
}

async function tryAll(scene: Scene) {
  const status = await scene.served()
  // A daemon of another version may not support test events.
  if (status?.version !== VERSION) return []
  const port = status.http.listening ? (status.http.port ?? undefined) : undefined
  const all: (readonly [Source, readonly Trial[]])[] = []
  for (const source of hookedIn(scene.sources())) {
    const isTried = ({ way }: { way: Way }) => way.kind === 'command' || portOf(way) === port
    all.push([source, await tryHooks(scene.io, scene.remote, source, isTried)])
  }
  return all
}

const failed = (fault: Trial['fault'], about: Pick<Check, 'code' | 'finds' | 'mends'>): Check => ({
  ...about,
  severity: 'broken',
  async look(scene) {
    return (await trialsOf(scene)).flatMap(([source, trials]) => {
      const those = trials.filter((trial) => trial.fault === fault)
      return [...Map.groupBy(those, ({ way, detail }) => `via ${way}: ${detail}`)].map(([what, same]) => {
        const events = [...new Set(same.map(({ event }) => event))].join(', ')
        // A wrong reply is not a fault of the settings.
        const fix = fault === 'route' ? openRoute(scene, source) : about.mends
        return { detail: `${source.path}: ${events} ${what}.`, fix }
      })
    })
  },
})

/** The fix of a route. */
const openRoute = ({ io, home }: Scene, { renew }: Source): string => (home.opensHttp ? renew : openHttp(io))

const twice = (scene: Scene): readonly Problem[] => byClient(scene.sources()).flatMap(twiceIn)

/** A client calls equal handlers of settings once, but each handler of a plugin. */
function twiceIn(sources: readonly Source[]): readonly Problem[] {
  const wired = hookedIn(sources).map((source) => ({ ...wiredIn(source), ...source }))
  const locked = wired.find(({ lock }) => lock !== undefined)
  const [first, ...others] = keptFirst(
    locked === undefined ? wired : wired.filter(({ kind }) => !isBesideLock(kind, locked)),
  )
  if (first === undefined) return []
  return others
    .filter((source) => source.kind === 'plugin' || !isSame(waysOf(source), waysOf(first)))
    .map(({ path, remove }) => ({
      detail: `Every event arrives twice: ${first.path} and ${path} both have hooks.`,
      fix: remove,
    }))
}

const isSame = (one: readonly Way[], other: readonly Way[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

async function faults(scene: Scene): Promise<readonly Problem[]> {
  const status = await scene.served()
  const known = recent(status?.hook_faults)
  if (known === undefined) return []
  const detail = `${known.count} failed since the daemon started, the last one ${relativeTime(known.last_at)}: ${known.last} See: holdfast logs --level warn`
  return [{ detail, fix: 'holdfast daemon stop' }]
}

const disablingPlugins = [...clients.values()].flatMap(({ plugins }) => plugins?.disable('NAME') ?? [])

export const hooks: Group = {
  name: 'hooks',
  async well(scene) {
    const lines = (await trialsOf(scene)).map(([{ path }, trials]) => {
      const refused = trials.filter(({ detail }) => detail === 'refused').length
      const ways = [...new Set(trials.map(({ way }) => way))].join(', ')
      const were = refused === 1 ? 'was' : 'were'
      return `${path}: ${trials.length} test events arrived via ${ways}. The ${refused} that must be refused ${were} refused.`
    })
    return lines.length === 0 ? undefined : lines.join(' ')
  },
  checks: [
    {
      code: 'hooks-none',
      severity: 'warning',
      finds: 'no hooks are installed here, so nothing is recorded or enforced',
      mends: 'holdfast init --yes',
      look: (scene) =>
        scene.sources().some(({ client, text }) => client.settings.flaws(text).length > 0) ||
        hookedIn(scene.sources()).length > 0
          ? []
          : [{ detail: 'No hooks are installed here.', fix: 'holdfast init --yes' }],
    },
    ...(Object.keys(FLAWS) as Flaw['code'][]).map(flawed),
    {
      code: 'hook-port',
      severity: 'broken',
      finds: 'hooks call a port that the daemon does not use',
      mends: 'holdfast init --scope SCOPE --yes',
      look: deadPorts,
    },
    {
      code: 'hook-http',
      severity: 'broken',
      finds:
        'an older version installed hooks that send their token to any program that has the port, and believe its answer',
      mends: 'holdfast init --scope SCOPE --yes',
      look: (scene) =>
        hookedIn(scene.sources())
          .filter((source) => callsByHttp(wiredIn(source)))
          .map(({ path, renew }) => ({
            detail: `${path}: an older version installed these hooks. They call by HTTP and believe any program that has the port.`,
            fix: renew,
          })),
    },
    failed('route', {
      code: 'hook-route',
      finds: 'the daemon did not receive a test event',
      mends: 'holdfast init --scope SCOPE --yes',
    }),
    failed('gate', {
      code: 'hook-gate',
      finds: 'the client would not understand the reply to a test event',
      mends: 'holdfast daemon stop',
    }),
    {
      code: 'hooks-twice',
      severity: 'broken',
      finds: 'hooks are installed twice, so every event arrives twice',
      mends: ['holdfast uninstall --scope SCOPE', ...disablingPlugins].join(', or '),
      look: twice,
    },
    {
      code: 'hooks-failing',
      severity: 'broken',
      finds: 'hooks failed in the last ten minutes, and every call passed',
      mends: 'holdfast daemon stop',
      look: faults,
    },
    {
      code: 'hooks-paused',
      severity: 'warning',
      finds: 'enforcement is paused',
      mends: 'holdfast pause off',
      look({ home }) {
        const until = pauseReader(home)(Date.now())
        if (until === undefined) return []
        const detail = `Enforcement is paused; the pause ends ${relativeTime(timestamp(until))}.`
        return [{ detail, fix: 'holdfast pause off' }]
      },
    },
  ],
}
